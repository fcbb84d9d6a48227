"""Parameters of the method, apart from the settings that a user sees.

The values were chosen by experiments on the instances of `benchmarks`; tests pass in smaller ones
to reach every phase with few points.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ccviz.solvers.colgen.params.discs import DisjunctionParams, StrongParams, TermParams
from ccviz.solvers.colgen.params.facilities import FacilityParams, LocalParams, NeighbourhoodParams
from ccviz.solvers.colgen.params.pricing import PricingParams, TurnParams
from ccviz.solvers.colgen.params.start import CertificateParams, StartParams

__all__ = [
    "CertificateParams",
    "DisjunctionParams",
    "FacilityParams",
    "LocalParams",
    "NeighbourhoodParams",
    "Params",
    "PricingParams",
    "StartParams",
    "StrongParams",
    "TermParams",
    "TurnParams",
]


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
