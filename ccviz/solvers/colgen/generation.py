"""Column generation at one node: master, pricing, bound, in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.base import never
from ccviz.solvers.colgen.interior import Iterate
from ccviz.solvers.colgen.master import Master, MasterSolution, column_costs
from ccviz.solvers.colgen.places import placed
from ccviz.solvers.colgen.pool import FIRST_ACCURACY, Pool, Round
from ccviz.solvers.colgen.pricing import Priced, Pricer, join
from ccviz.solvers.colgen.repair import REPAIRS, lowered, lowering
from ccviz.solvers.colgen.spot import cover, is_local
from ccviz.solvers.colgen.star_master import Center, StarMaster

_FEW_CLUSTERS = 20  # up to here the bound is worth an exact pricing every time
_EXACT_EVERY = 5
_MOST_SEEDS, _LEAST_SEEDS = 300, 20
_SEED_WORK = 3e7  # blocks times features times seeds: what makes descents of a second or two
_NEW_A_CLUSTER = 10  # new columns at most, a cluster, and at least:
_NEW_AT_LEAST = 60
_SLICE = 2_000_000  # blocks that one exact pricing looks at before others have a turn,
_SLICE_FEATURES = 100  # of up to so many features; fewer blocks if there are more
_INFEASIBLE = 1e-5
_LEFT_OUT, _RAISED = 1e-2, 2.0  # a block this little covered by stars has its dual's cap raised
_STAR_SEEDS = 500  # a round over stars costs more than one over columns, so is priced more
_STAR_SLICES = 20  # thoroughly
_ROUNDS, _SLOW = 3, 0.25  # in so many rounds so little of what is missing is gained: better branch
_SLOW_BEFORE_SPOTS = 0.05  # where all nodes below have what this one wins, and rounds of their own
_LAST_ACCURACY = 1e-9


@dataclass(eq=False)
class Generation:
    """Column generation at a node, for as many iterations as its caller likes.

    Parameters
    ----------
    pool : Pool
    pricer : Pricer
    tolerance : float
        Absolute: stop when the bound is this near to the master's objective.
    seed : int
    stop : callable
        True once a long solution should end with what it has.
    """

    pool: Pool
    pricer: Pricer
    tolerance: float
    seed: int
    stop: Callable[[], bool] = never
    master: Master | StarMaster = field(init=False)
    rounds: list[Round] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.master = self._filled_master(self.pool.columns, self.pool.costs)

    def run(self, iterations: int, enough: float) -> MasterSolution:
        """Iterate until converged, the bound is enough, or the iterations are spent.

        To solve the first master takes one of them. A long exact pricing is left off before that;
        the next call goes on with it.
        """
        iterations -= self.pool.solution is None
        solution = self.pool.solution or self._solve()
        for _ in range(iterations):
            if self.pool.bound >= enough or self.pool.converged:
                break
            self._iterate(solution, enough)
            if self.pool.search is not None or self.pool.spot is not None:
                break
            solution = self._solve()
        self._keep(solution if self.pool.spot is None else None)  # a sweep has masters of its own
        return solution

    def _keep(self, solution: MasterSolution | None) -> None:
        """Let the pool hold what the next task begins with."""
        columns, costs = self.master.columns, self.master.costs
        middle = self.master.middle
        self.pool = replace(
            self.pool, columns=columns, costs=costs, solution=solution, middle=middle
        )

    def _begin_at_bound(self) -> None:
        """Let the next solution of the master over stars begin at the best bound's duals."""
        duals, price = self.pool.stabiliser.center, -self.pool.least
        if isinstance(self.master, StarMaster) and duals is not None and np.isfinite(price):
            self.master.middle = Center(duals, price)

    def _filled_master(self, columns: np.ndarray, costs: FloatArray) -> Master | StarMaster:
        pool = self.pool
        master = self._star_master() if pool.starred else self._column_master()
        master.add(columns, costs)
        return master

    def _star_master(self) -> StarMaster:
        pool = self.pool
        instance = self.pricer.alternatives[0]
        master = StarMaster(instance, pool.blocks.k, pool.artificial_cost, self.stop)
        if isinstance(pool.middle, Center):
            master.middle = pool.middle
        return master

    def _column_master(self) -> Master:
        pool = self.pool
        order = np.argsort(self.pricer.points[:, 0], kind="stable")
        interior = pool.stabiliser.interior
        master = Master(pool.blocks.s, pool.blocks.k, pool.artificial_cost, interior, order)
        if isinstance(pool.middle, Iterate):
            master.middle = pool.middle
        return master

    def _solve(self) -> MasterSolution:
        stabiliser = self.pool.stabiliser
        if isinstance(self.master, StarMaster):
            return self.master.solve(self.pool.accuracy)
        if stabiliser.scheme == "perturbation" and stabiliser.center is not None:
            self.master.perturb(stabiliser.center, stabiliser.extent)
        return self.master.solve(self.pool.accuracy)

    def _iterate(self, solution: MasterSolution, enough: float) -> None:
        at, priced = self._go_on() or self._price(
            self.pool.stabiliser.point(solution.duals), solution
        )
        if (
            priced.exact
            and (self.pool.quick or self.pool.starred)
            and not np.array_equal(at, solution.duals)
        ):
            found = [self._prove(point, solution.price) for point in self._points(at, solution)]
            priced = replace(join([priced, *found]), least=priced.least, search=priced.search)
        new = self._worth_adding(priced, solution)
        if len(new) == 0 and priced.search is None and not np.array_equal(at, solution.duals):
            # Mispriced: the smoothed point misled.
            at, priced = self._price(solution.duals, solution, exact=True)
            new = self._worth_adding(priced, solution)
        search = priced.search if len(new) == 0 else None
        self.pool = replace(self.pool, search=search)
        if search is not None:
            return
        self._conclude(solution, enough, found=len(new) > 0)
        self._log(solution, priced, len(new), at)
        self.master.add(priced.columns[new], priced.costs[new])
        self._trim(solution)

    def _go_on(self) -> tuple[FloatArray, Priced] | None:
        """Go on with the exact pricing that was left off, if there is one."""
        search = self.pool.search
        if search is None:
            return None
        priced = self.pricer.go_on(search, self._slice)
        self._raise_bound(search.duals, min(priced.least, search.best))
        return search.duals, priced

    def _price(
        self, at: FloatArray, solution: MasterSolution, exact: bool = False
    ) -> tuple[FloatArray, Priced]:
        """Price by descent, and exactly if that found nothing, or to raise the bound."""
        priced = self.pricer.heuristic(at, self._seeds(solution))
        exact = exact or self.pool.quick or self.pool.blocks.k <= _FEW_CLUSTERS
        exact = exact or self.pool.starred
        exact = exact or self.pool.iteration % _EXACT_EVERY == 0
        if not exact and len(self._worth_adding(priced, solution)) > 0:
            return at, priced
        values = priced.costs - priced.columns @ at
        known = float(values.min(initial=0.0))
        proof = self.pricer.exact(at, known, max(known, -solution.price), self._slice)
        self._raise_bound(at, min(proof.least, known))
        self.pool = replace(self.pool, quick=proof.exact)
        return at, replace(join([priced, proof]), least=proof.least, search=proof.search)

    def _points(self, at: FloatArray, solution: MasterSolution) -> Iterator[FloatArray]:
        """Yield the duals to prove a bound at: the master's own; over stars between them too.

        The last depends on what the bounds proved before it have moved.
        """
        if not self.pool.starred:
            yield solution.duals
            return
        yield at
        yield solution.duals
        yield self.pool.stabiliser.point(solution.duals)

    def _prove(self, at: FloatArray, price: float) -> Priced:
        """Price exactly against the master's price.

        Over stars, go on where the duals are lowered for what was found, until nothing is: the
        bound there misses the master's objective by each excess once, not k times the largest.
        """
        found = []
        for proof, lower in self._lowering(self.pricer, at, price):
            self._raise_bound(lower, min(proof.least, -price))
            found.append(proof)
        return join(found)

    def _lowering(
        self, pricer: Pricer, at: FloatArray, price: float
    ) -> Iterator[tuple[Priced, FloatArray]]:
        """Yield what exact pricing says at duals, and at lower ones, until no more is found."""
        rounds = REPAIRS if self.pool.starred else 1
        return lowering(pricer, at, price, rounds, self._slice)

    def _seeds(self, solution: MasterSolution) -> FloatArray:
        """Return centres to descend from: the blocks (or some), and the clusters in use."""
        points, mass = self.pricer.points, self.pool.blocks.mass
        most = min(_MOST_SEEDS, max(_LEAST_SEEDS, int(_SEED_WORK / points.size)))
        if self.pool.starred:  # a round costs more, and every basin is worth a star
            most = _STAR_SEEDS
        if len(points) > most:
            rng = np.random.default_rng((self.seed, self.pool.iteration))
            points = points[rng.choice(len(points), most, replace=False)]
        in_use = solution.weights > (0.01 if self.pool.starred else 0.1)
        used = self.master.columns[in_use, : len(mass)] * mass
        return np.concatenate([points, used @ self.pricer.points / used.sum(axis=1)[:, None]])

    @property
    def _slice(self) -> int:
        """Blocks that one exact pricing may look at in a turn."""
        usual = _SLICE * _STAR_SLICES if self.pool.starred else _SLICE
        return int(usual * min(1.0, _SLICE_FEATURES / self.pricer.points.shape[1]))

    def _raise_bound(self, at: FloatArray, least: float) -> None:
        """Take the Lagrangian bound at these duals, less a margin for its own rounding."""
        k, total = self.pool.blocks.k, float(at.sum())
        margin = 1e-13 * (total + k * abs(least))
        bound = total + k * least - margin
        if bound > self.pool.bound:
            stabiliser = self.pool.stabiliser.recenter(at)
            self.pool = replace(
                self.pool, bound=bound, duals=at, least=least, stabiliser=stabiliser
            )

    def _worth_adding(self, priced: Priced, solution: MasterSolution) -> np.ndarray:
        """Return the columns of negative reduced cost, each once, the best first, not too many.

        Of columns that stand for stars, those that a better one does not stand for already.
        """
        order = self._below_price(priced, solution)
        if self.pool.starred:
            order = self._apart(priced, order, solution)
        return order[: max(_NEW_AT_LEAST, _NEW_A_CLUSTER * self.pool.blocks.k)]

    def _below_price(self, priced: Priced, solution: MasterSolution) -> IntArray:
        """Return the columns of negative reduced cost, each once, the best first."""
        return priced.worth_more(solution.duals, solution.price, self._column_tolerance)

    def _apart(self, priced: Priced, order: IntArray, solution: MasterSolution) -> IntArray:
        """Return those of the ordered columns that are needed to bring all to the price."""
        instance, more = self.pricer.alternatives[0], self._column_tolerance
        _, needed = lowered(instance, priced.columns, order, solution.duals, solution.price, more)
        return order[needed[order]]

    @property
    def _column_tolerance(self) -> float:
        return 0.25 * self.tolerance / self.pool.blocks.k

    def _conclude(self, solution: MasterSolution, enough: float, found: bool) -> None:
        """Decide what it means if nothing was found."""
        gap = solution.objective - self.pool.bound
        self.pool = replace(self.pool, past=(*self.pool.past, self.pool.bound)[-_ROUNDS - 1 :])
        rough = isinstance(self.master, StarMaster) and self._is_rough(gap, solution.objective)
        if rough or (found and gap > self.tolerance):
            relative = 0.1 * max(gap, self.tolerance) / (1.0 + abs(solution.objective))
            accuracy = min(FIRST_ACCURACY, max(relative, _LAST_ACCURACY))
            self.pool = replace(self.pool, accuracy=accuracy)
            if isinstance(self.master, StarMaster):
                self._raise_caps(self.master, solution)
                hopeless = self.pricer.may_place and not rough
                hopeless = hopeless and self._is_in_vain(gap, enough, solution.objective)
                if hopeless and self._begin_sweep():
                    return
                self.pool = replace(
                    self.pool, converged=hopeless, hopeless=hopeless, early=hopeless
                )
            return
        if isinstance(self.master, StarMaster):
            hopeless = solution.objective < enough - self.tolerance
            self.pool = replace(self.pool, converged=hopeless, hopeless=hopeless)
            if not hopeless:
                self._leave_stars(self.master)
        elif self.pool.accuracy > _LAST_ACCURACY and self.pool.stabiliser.interior:
            self.pool = replace(self.pool, accuracy=_LAST_ACCURACY)
        elif self.pool.stabiliser.extent > 0.0:
            self.pool = replace(self.pool, stabiliser=self.pool.stabiliser.relax(solution.duals))
        elif solution.shortfall > _INFEASIBLE and self._is_cheap:
            self._raise_artificial_cost()
        else:
            self.pool = replace(self.pool, converged=True)

    def _begin_sweep(self) -> bool:
        """Go on at one spot after the other, all over; False where that was, or is no gain."""
        pool, instance = self.pool, self.pricer.alternatives[0]
        if pool.swept or self.pricer.has_places or not self._is_local:
            return False
        spots = cover(instance, pool.blocks.k)
        self._begin_at_bound()
        self.pool = replace(pool, spot=spots[0], sweep=(*spots[1:],), swept=True, past=())
        return True

    def _is_rough(self, gap: float, objective: float) -> bool:
        """Whether the master is too inaccurate for its objective to be compared with the bound."""
        accuracy = self.pool.accuracy
        return accuracy > _LAST_ACCURACY and accuracy * abs(objective) > max(gap, self.tolerance)

    def _is_in_vain(self, gap: float, enough: float, objective: float) -> bool:
        """Whether to branch rather than go on.

        More stars could only lower what the master says. If that closes no node, no bound will; but
        the nearer it is the better for the children, who begin with these stars.
        """
        if self._is_local:
            return self._is_slow(enough, _SLOW_BEFORE_SPOTS)
        return gap < enough - objective or self._is_slow(enough, _SLOW)

    @property
    def _is_local(self) -> bool:
        """Whether the nodes below are worked on around a spot."""
        return is_local(self.pool.blocks.s, self.pool.blocks.k)

    def _is_slow(self, enough: float, share: float) -> bool:
        """Whether the last rounds have won less than a share of what is missing."""
        past = self.pool.past
        return len(past) > _ROUNDS and past[-1] - past[0] < share * (enough - past[0])

    def vertex(self) -> MasterSolution:
        """Return a basic solution of the master over columns."""
        if isinstance(self.master, StarMaster):
            self._leave_stars(self.master)
        master = self.master
        assert isinstance(master, Master)
        return master.solve_to_vertex()

    def _leave_stars(self, master: StarMaster) -> None:
        """Go on with the columns that the stars' solution is made of, and all others.

        Where there are places, with stars at the centres of these: they say no less.
        """
        blocks = self.pool.blocks
        made = master.parts(self.pool.accuracy)
        if self.pricer.has_places:
            self._add_stars(master, made)
            return
        costs = column_costs(made, blocks.centroid, blocks.mass)
        columns = np.concatenate([np.eye(blocks.s, dtype=bool), master.columns, made])
        costs = np.concatenate([np.zeros(blocks.s), master.costs, costs])
        columns, first = np.unique(columns, axis=0, return_index=True)
        self.pool = replace(self.pool, starred=False, middle=None)
        self.master = self._filled_master(columns, costs[first])

    def _add_stars(self, master: StarMaster, made: np.ndarray) -> None:
        """Add stars at the centres of these columns; without a new one the node is done."""
        columns, costs, fits = placed(self.pricer.alternatives[0], made, mark=False)
        known = {column.tobytes() for column in np.packbits(master.columns, axis=1)}
        packed = np.packbits(columns, axis=1)
        fits &= np.array([column.tobytes() not in known for column in packed], dtype=np.bool_)
        master.add(columns[fits], costs[fits])
        accurate = self.pool.accuracy <= _LAST_ACCURACY
        done = not fits.any() and accurate
        self.pool = replace(self.pool, accuracy=_LAST_ACCURACY, converged=done, hopeless=done)

    @property
    def _is_cheap(self) -> bool:
        """Whether the bound is not yet beyond what a single cluster of all blocks costs."""
        return self.pool.bound <= self.most_cost

    @property
    def most_cost(self) -> float:
        """What one cluster of all blocks costs, and so no clustering more than that."""
        first = self.pricer.alternatives[0]
        return float(first.mass @ (first.points**2).sum(axis=1)) * (1.0 + 1e-9)

    def _raise_caps(self, master: StarMaster, solution: MasterSolution) -> None:
        """Let the duals rise where a block is rather left out than covered."""
        dear = self.pool.artificial_cost
        dear = np.where(solution.uncovered > _LEFT_OUT, _RAISED * dear, dear)
        self.pool = replace(self.pool, artificial_cost=dear)
        master.artificial_cost = dear

    def _raise_artificial_cost(self) -> None:
        self.pool = replace(self.pool, artificial_cost=10.0 * self.pool.artificial_cost)
        self.master = self._filled_master(self.master.columns, self.master.costs)

    def _trim(self, solution: MasterSolution) -> None:
        """Drop the columns farthest from use once there are many."""
        most = max(4000, 8 * self.pool.blocks.s)
        if len(self.master.costs) <= most:
            return
        reduced = self.master.values(solution.duals)
        self.master.keep(reduced <= np.partition(reduced, most // 2)[most // 2])

    def _log(self, solution: MasterSolution, priced: Priced, new: int, at: FloatArray) -> None:
        values = priced.costs - priced.columns @ solution.duals + solution.price
        self.pool = replace(self.pool, iteration=self.pool.iteration + 1)
        self.rounds.append(
            Round(
                iteration=self.pool.iteration,
                columns=new,
                pool=len(self.master.costs) + new,
                best_reduced_cost=float(values.min(initial=0.0)),
                exact=priced.exact,
                master_objective=solution.objective,
                bound=self.pool.bound,
                duals=at,
                center=self.pool.stabiliser.center,
            )
        )
