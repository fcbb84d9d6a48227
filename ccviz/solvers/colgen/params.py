"""Parameters of the method, apart from the settings that a user sees.

The values were chosen by experiments on the instances of `benchmarks`; tests pass in smaller ones
to reach every phase with few points.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ccviz.solvers.base import setting

# --- Branching on discs, and disjunctions of discs ------------------------------------------------


@dataclass(frozen=True)
class StrongParams:
    """Strong branching on discs."""

    most: int = 40
    most_near: int = 4
    patience: int = 8  # Discs evaluated after the best one before it stops
    # Size of the region whose evaluations a disc invalidates, relative to a neighbourhood.
    reach: float = 0.5
    # Discs with centres nearer than this share of the larger radius count as alike.
    apart: float = 0.5
    # Facilities that save less than this share of the cardinality dual are left out.
    tight: float = 0.99
    size: float = 0.7  # Size of the local master, relative to a neighbourhood
    error: float = 0.05  # Accuracy, as a share of the missing bound


@dataclass(frozen=True)
class DisjunctionParams:
    """Where disjunctions lie and how long they are refined."""

    size: float = 1.0  # Blocks whose duals a disjunction may raise, relative to a neighbourhood
    cap: float = 1.2  # Largest dual in a term, as a multiple of the node's
    # step, steps: Share of its side by which a box grows on each side, and how often, while no two
    # meet.
    step: float = 0.05
    steps: int = 5
    candidates: int = 250  # Most middles of boxes; none at all turns disjunctions off
    # Most nodes of the search for the boxes of largest total weight that do not meet.
    packing_nodes: int = 10_000
    trusted: float = 2.0  # Weight of a candidate's growth rate against the observed one, in terms
    most_terms: int = 150  # Most terms of all disjunctions together; then the node is branched


@dataclass(frozen=True)
class TermParams:
    """Column generation in one term of a disjunction."""

    rounds: int = 8
    # Distance of bound and local master at which it ends, as a share of the node's tolerance.
    gap: float = 0.08
    left: float = 0.25  # or as a share of what the local master gains, if that is less
    # but at least this share of the tolerance. A term that gains less counts as stalled.
    nothing: float = 0.005
    error: float = 0.05  # Accuracy of the local master, as a share of the tolerance
    rough_rounds: int = 2  # rough_rounds, rough_error: the same in the first iterations
    rough_error: float = 0.2
    # first, useful: Facilities that save at least this share of the cardinality dual are a
    # disjunction's first, and are kept in a term.
    first: float = 0.9
    useful: float = 0.985
    # Size of the region when a worst term is worked on again, relative to a neighbourhood.
    wide: float = 2.0
    # Columns that gain less than this share of the tolerance, over all clusters, are not added.
    column: float = 0.25


# --- Column generation over facilities: at a node, and in the neighbourhoods of a large one -------


@dataclass(frozen=True)
class FacilityParams:
    """The master over facilities."""

    # pairs, pairs_if_few: Column generation begins over facilities if at least this number of pairs
    # of blocks would share a cluster, were all clusters of one size; the second holds for few
    # clusters, whose pricing is slow with links.
    pairs: int = 50_000
    pairs_if_few: int = 200_000
    few_clusters: int = 10  # Below this number of clusters the second limit holds
    most_dimensions: int = 3  # With more dimensions a facility has too many near blocks
    seeds: int = 500  # Blocks that heuristic pricing descends from
    visit_factor: int = 20  # Multiple of `PricingParams.visits` for an exact pricing
    slow_rounds: int = 3  # Iterations over which the growth of the bound is measured
    # A node is branched if these iterations gain less than this share of the missing bound.
    slow_share: float = 0.25
    # The same where nodes below have local masters: they inherit all that this node gains.
    slow_share_local: float = 0.05
    # left_out, raised_cap: A block of which more than this share is left out has the cap of its
    # dual multiplied.
    left_out: float = 1e-2
    raised_cap: float = 2.0
    # Least relative accuracy of a child's first master, which lacks facilities anyway.
    child_accuracy: float = 1e-3


@dataclass(frozen=True)
class NeighbourhoodParams:
    """The size of a neighbourhood."""

    blocks: int = 700
    # least_clusters, most_clusters: clipped to the blocks of this number of average clusters.
    least_clusters: float = 4.0
    most_clusters: float = 12.0
    # Local masters are used if all blocks are at least this multiple of a neighbourhood.
    parts: int = 4
    # Sizes of all neighbourhoods of a cycle together, as a multiple of the number of blocks.
    overlap: float = 2.0


@dataclass(frozen=True)
class LocalParams:
    """Column generation in one neighbourhood."""

    rounds: int = 8
    # Distance of bound and local master at which it ends, as a share of the node's tolerance.
    gap: float = 0.2
    error: float = 0.1  # Accuracy of the local master, as a share of the tolerance
    rough_rounds: int = 2  # rough_rounds, rough_error: the same in the first iterations
    rough_error: float = 0.5
    around: float = 3.0  # Size of the priced region, as a multiple of a neighbourhood
    # Facilities whose best part saves at least this share of the cardinality dual are kept.
    useful: float = 0.985


# --- Effort of pricing ----------------------------------------------------------------------------


@dataclass(frozen=True)
class PricingParams:
    """Effort of pricing in one iteration."""

    # Up to this number of clusters every iteration is priced exactly, for its bound.
    few_clusters: int = 20
    exact_every: int = 5  # With more clusters, iterations between two exact pricings
    # Blocks that an exact pricing visits before the task ends; the next task goes on with it.
    visits: int = 2_000_000
    # Most features for which `visits` holds. With more, it falls in inverse proportion.
    features: int = 100
    # most_seeds, least_seeds: Limits of the number of blocks that heuristic pricing descends from.
    most_seeds: int = 300
    least_seeds: int = 20
    seed_work: float = 3e7  # Seeds times blocks times features: about a second of descents
    # new_per_cluster, new_at_least: Most columns added in an iteration, per cluster, and in all if
    # that is more.
    new_per_cluster: int = 10
    new_at_least: int = 60


@dataclass(frozen=True)
class TurnParams:
    """How two methods of exact pricing take turns."""

    # Most blocks that are enumerated: that takes memory quadratic in them.
    most_enumerated: int = 3000
    # visits, visits_per_block: Blocks that each method visits in its first turn, and the same per
    # block if that is more. Every later turn has twice as many.
    visits: int = 50_000
    visits_per_block: int = 500


# --- How a node begins and how it is closed -------------------------------------------------------


@dataclass(frozen=True)
class StartParams:
    """How a root finds its first columns and their costs of being left out."""

    # Seconds for the check of feasibility. Column generation decides what it leaves open.
    feasibility_s: float = 2.0
    # memetic_blocks, memetic_clusters: The memetic solver gives the first clustering if there are
    # more blocks and more clusters than these. With fewer, k-means finds as good a clustering.
    memetic_blocks: int = 200
    memetic_clusters: int = 5
    # Least number of clusters at which swaps of centres improve that clustering further.
    swap_clusters: int = 40
    # least_swap_work, most_swap_work: Range of blocks times clusters for those swaps. At the upper
    # end they take about a minute.
    least_swap_work: int = 300_000
    most_swap_work: int = 1_000_000
    artificial: float = 2.0  # First artificial cost of a point, as a multiple of its usual cost
    # First artificial cost of a block, as a multiple of what the block adds to the second best
    # cluster; the larger of the two counts.
    artificial_move: float = 2.0
    # Largest first artificial cost, as a multiple of the usual cost. Larger ones leave no digits
    # for the costs of clusters that lie far apart.
    artificial_most: float = 100.0


@dataclass(frozen=True)
class CertificateParams:
    """When a closed node gets a semidefinite certificate besides."""

    few_blocks: int = 100  # Up to this number of blocks it costs next to nothing
    # many_blocks, large_clusters: Up to the first number of blocks it is tried if clusters have the
    # second on average: pricing with smaller clusters is quick to check.
    many_blocks: int = 400
    large_clusters: int = 12
    rounds: int = 60
    share: float = 0.9  # Share of the optimal gap that the target leaves; the rest is for rounding


@dataclass(frozen=True)
class Params:
    """All parameters."""

    start: StartParams = field(default_factory=StartParams)
    pricing: PricingParams = field(default_factory=PricingParams)
    turns: TurnParams = field(default_factory=TurnParams)
    facilities: FacilityParams = field(default_factory=FacilityParams)
    neighbourhood: NeighbourhoodParams = field(default_factory=NeighbourhoodParams)
    local: LocalParams = field(default_factory=LocalParams)
    strong: StrongParams = field(default_factory=StrongParams)
    disjunctions: DisjunctionParams = field(default_factory=DisjunctionParams)
    terms: TermParams = field(default_factory=TermParams)
    certificate: CertificateParams = field(default_factory=CertificateParams)
    # Whether clusters are so few that each is looked at, with every rule, in place of pricing.
    lists_clusters: bool = False
    task_work: float = 2e8  # Cubed blocks per iteration times iterations: a task of about a second


# --- Settings of the work on one node; those of the search over nodes are apart -------------------


@dataclass(frozen=True)
class NodeSettings:
    """Settings of `advance`."""

    tolerance: float = setting(1e-6, "Relative gap that counts as solved.", low=0.0)
    stabilisation: str = setting(
        "interior",
        "Duals at which columns are priced.",
        choices=("interior", "smoothing", "perturbation", "none"),
    )
    smoothing: float = setting(
        0.5,
        "Weight of the best duals so far in the duals at which columns are priced.",
        low=0.0,
        high=0.95,
        advanced=True,
    )
    pricing: str = setting(
        "both",
        "Exact pricing by spatial branch and bound, by enumeration of blocks, or by both in turns. "
        "*printed*: enumeration with the bound that the paper prints, without heuristics.",
        choices=("both", "space", "blocks", "printed"),
        advanced=True,
        label="Exact pricing",
    )
    listed: int = setting(
        50_000,
        "Most clusters that keep every constraint, up to which each is looked at in place of "
        "pricing: then the bounds count every rule.",
        low=0,
        advanced=True,
        label="Clusters listed, at most",
    )
    repair: str = setting(
        "artificial",
        "What makes a restricted master feasible: artificial columns, whose cost is raised, or "
        "Farkas pricing as in the paper, from the clusters of the first clusterings alone.",
        choices=("artificial", "farkas"),
        advanced=True,
        label="Infeasible masters",
    )
    first: str = setting(
        "blp-kmeans",
        "First columns from runs of BLP k-means, after S-MDEClust if there are many clusters and "
        "no rules; or from the best run of COP-k-means.",
        choices=("blp-kmeans", "cop-kmeans"),
        advanced=True,
        label="First columns by",
    )
    starts: int = setting(
        10,
        "Runs of k-means for the first columns. The paper uses 500 runs of COP-k-means.",
        low=0,
        advanced=True,
        label="First k-means runs",
    )
    round_iterations: int = setting(
        5,
        "Iterations on a node before the search picks the next node.",
        low=1,
        advanced=True,
        label="Iterations per round",
    )
    cover_nodes: int = setting(
        200,
        "Node limit of the search for the best clustering among the columns.",
        low=0,
        advanced=True,
        label="Nodes for the pool",
    )
