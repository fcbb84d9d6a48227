"""Parameters of the method, apart from the settings that a user sees.

The values were chosen by experiments on the instances of `benchmarks`; tests pass in smaller ones
to reach every phase with few points.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class StartParams:
    """How a root finds its first columns and their costs of being left out.

    Attributes
    ----------
    feasibility_s : float
        Seconds for the check of feasibility. Column generation decides what it leaves open.
    memetic_blocks, memetic_clusters : int
        The memetic solver gives the first clustering if there are more blocks and more clusters
        than these. With fewer, k-means finds as good a clustering.
    swap_clusters : int
        Least number of clusters at which swaps of centres improve that clustering further.
    least_swap_work, most_swap_work : int
        Range of blocks times clusters for those swaps. At the upper end they take about a minute.
    artificial : float
        First artificial cost of a point, as a multiple of its usual cost.
    artificial_move : float
        First artificial cost of a block, as a multiple of what the block adds to the second best
        cluster; the larger of the two counts.
    artificial_most : float
        Largest first artificial cost, as a multiple of the usual cost. Larger ones leave no digits
        for the costs of clusters that lie far apart.
    """

    feasibility_s: float = 2.0
    memetic_blocks: int = 200
    memetic_clusters: int = 5
    swap_clusters: int = 40
    least_swap_work: int = 300_000
    most_swap_work: int = 1_000_000
    artificial: float = 2.0
    artificial_move: float = 2.0
    artificial_most: float = 100.0


@dataclass(frozen=True)
class PricingParams:
    """Effort of pricing in one iteration.

    Attributes
    ----------
    few_clusters : int
        Up to this number of clusters every iteration is priced exactly, for its bound.
    exact_every : int
        With more clusters, iterations between two exact pricings.
    visits : int
        Blocks that an exact pricing visits before the task ends; the next task goes on with it.
    features : int
        Most features for which `visits` holds. With more, it falls in inverse proportion.
    most_seeds, least_seeds : int
        Limits of the number of blocks that heuristic pricing descends from.
    seed_work : float
        Seeds times blocks times features: about a second of descents.
    new_per_cluster, new_at_least : int
        Most columns added in an iteration, per cluster, and in all if that is more.
    """

    few_clusters: int = 20
    exact_every: int = 5
    visits: int = 2_000_000
    features: int = 100
    most_seeds: int = 300
    least_seeds: int = 20
    seed_work: float = 3e7
    new_per_cluster: int = 10
    new_at_least: int = 60


@dataclass(frozen=True)
class TurnParams:
    """How two methods of exact pricing take turns.

    Attributes
    ----------
    most_enumerated : int
        Most blocks that are enumerated: that takes memory quadratic in them.
    visits, visits_per_block : int
        Blocks that each method visits in its first turn, and the same per block if that is more.
        Every later turn has twice as many.
    """

    most_enumerated: int = 3000
    visits: int = 50_000
    visits_per_block: int = 500


@dataclass(frozen=True)
class FacilityParams:
    """The master over facilities.

    Attributes
    ----------
    pairs, pairs_if_few : int
        Column generation begins over facilities if at least this number of pairs of blocks would
        share a cluster, were all clusters of one size; the second holds for few clusters, whose
        pricing is slow with links.
    few_clusters : int
        Below this number of clusters the second limit holds.
    most_dimensions : int
        With more dimensions a facility has too many near blocks.
    seeds : int
        Blocks that heuristic pricing descends from.
    visit_factor : int
        Multiple of `PricingParams.visits` for an exact pricing.
    slow_rounds : int
        Iterations over which the growth of the bound is measured.
    slow_share : float
        A node is branched if these iterations gain less than this share of the missing bound.
    slow_share_local : float
        The same where nodes below have local masters: they inherit all that this node gains.
    left_out, raised_cap : float
        A block of which more than this share is left out has the cap of its dual multiplied.
    child_accuracy : float
        Least relative accuracy of a child's first master, which lacks facilities anyway.
    """

    pairs: int = 50_000
    pairs_if_few: int = 200_000
    few_clusters: int = 10
    most_dimensions: int = 3
    seeds: int = 500
    visit_factor: int = 20
    slow_rounds: int = 3
    slow_share: float = 0.25
    slow_share_local: float = 0.05
    left_out: float = 1e-2
    raised_cap: float = 2.0
    child_accuracy: float = 1e-3


@dataclass(frozen=True)
class NeighbourhoodParams:
    """The size of a neighbourhood.

    Attributes
    ----------
    blocks : int
        Blocks of a neighbourhood,
    least_clusters, most_clusters : float
        clipped to the blocks of this number of average clusters.
    parts : int
        Local masters are used if all blocks are at least this multiple of a neighbourhood.
    overlap : float
        Sizes of all neighbourhoods of a cycle together, as a multiple of the number of blocks.
    """

    blocks: int = 700
    least_clusters: float = 4.0
    most_clusters: float = 12.0
    parts: int = 4
    overlap: float = 2.0


@dataclass(frozen=True)
class LocalParams:
    """Column generation in one neighbourhood.

    Attributes
    ----------
    rounds : int
        Most iterations.
    gap : float
        Distance of bound and local master at which it ends, as a share of the node's tolerance.
    error : float
        Accuracy of the local master, as a share of the tolerance,
    rough_rounds, rough_error : int, float
        and in the first iterations.
    around : float
        Size of the priced region, as a multiple of a neighbourhood.
    useful : float
        Facilities whose best part saves at least this share of the cardinality dual are kept.
    """

    rounds: int = 8
    gap: float = 0.2
    error: float = 0.1
    rough_rounds: int = 2
    rough_error: float = 0.5
    around: float = 3.0
    useful: float = 0.985


@dataclass(frozen=True)
class StrongParams:
    """Strong branching on discs.

    Attributes
    ----------
    most, most_near : int
        Most discs evaluated at a node, and near one point.
    patience : int
        Discs evaluated after the best one before it stops.
    reach : float
        Size of the region whose evaluations a disc invalidates, relative to a neighbourhood.
    apart : float
        Discs with centres nearer than this share of the larger radius count as alike.
    tight : float
        Facilities that save less than this share of the cardinality dual are left out.
    size : float
        Size of the local master, relative to a neighbourhood.
    error : float
        Accuracy, as a share of the missing bound.
    """

    most: int = 40
    most_near: int = 4
    patience: int = 8
    reach: float = 0.5
    apart: float = 0.5
    tight: float = 0.99
    size: float = 0.7
    error: float = 0.05


@dataclass(frozen=True)
class DisjunctionParams:
    """Where disjunctions lie and how long they are refined.

    Attributes
    ----------
    size : float
        Blocks whose duals a disjunction may raise, relative to a neighbourhood.
    cap : float
        Largest dual in a term, as a multiple of the node's.
    step, steps : float, int
        Share of its side by which a box grows on each side, and how often, while no two meet.
    candidates : int
        Most middles of boxes; none at all turns disjunctions off.
    packing_nodes : int
        Most nodes of the search for the boxes of largest total weight that do not meet.
    trusted : float
        Weight of a candidate's growth rate against the observed one, in terms.
    most_terms : int
        Most terms of all disjunctions together; then the node is branched.
    """

    size: float = 1.0
    cap: float = 1.2
    step: float = 0.05
    steps: int = 5
    candidates: int = 250
    packing_nodes: int = 10_000
    trusted: float = 2.0
    most_terms: int = 150


@dataclass(frozen=True)
class TermParams:
    """Column generation in one term of a disjunction.

    Attributes
    ----------
    rounds : int
        Most iterations.
    gap : float
        Distance of bound and local master at which it ends, as a share of the node's tolerance,
    left : float
        or as a share of what the local master gains, if that is less,
    nothing : float
        but at least this share of the tolerance. A term that gains less counts as stalled.
    error : float
        Accuracy of the local master, as a share of the tolerance,
    rough_rounds, rough_error : int, float
        and in the first iterations.
    first, useful : float
        Facilities that save at least this share of the cardinality dual are a disjunction's first,
        and are kept in a term.
    wide : float
        Size of the region when a worst term is worked on again, relative to a neighbourhood.
    column : float
        Columns that gain less than this share of the tolerance, over all clusters, are not added.
    """

    rounds: int = 8
    gap: float = 0.08
    left: float = 0.25
    nothing: float = 0.005
    error: float = 0.05
    rough_rounds: int = 2
    rough_error: float = 0.2
    first: float = 0.9
    useful: float = 0.985
    wide: float = 2.0
    column: float = 0.25


@dataclass(frozen=True)
class CertificateParams:
    """When a closed node gets a semidefinite certificate besides.

    Attributes
    ----------
    few_blocks : int
        Up to this number of blocks it costs next to nothing.
    many_blocks, large_clusters : int
        Up to the first number of blocks it is tried if clusters have the second on average:
        pricing with smaller clusters is quick to check.
    rounds : int
        Most rounds of cuts.
    share : float
        Share of the optimal gap that the target leaves; the rest is for rounding.
    """

    few_blocks: int = 100
    many_blocks: int = 400
    large_clusters: int = 12
    rounds: int = 60
    share: float = 0.9


@dataclass(frozen=True)
class Params:
    """All parameters.

    Attributes
    ----------
    task_work : float
        Cubed blocks per iteration times iterations: a task of about a second.
    """

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
    task_work: float = 2e8
