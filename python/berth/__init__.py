# SPDX-License-Identifier: BSD-3-Clause
"""berth: which MPI rank runs on which core, what that costs and why.

    import berth
    pattern = berth.load_pattern("app.acp")          # who sends what to whom
    topology = berth.load_topology("cluster.json")   # the machine
    mapping = berth.map(pattern, topology)           # a placement
    print(berth.cost(pattern, topology, mapping).explain())
    mapping.write("rankfile", "app.rankfile")

Everything is computed by libberth.so, which `berth` itself uses. docs/python.md is the guide.
Errors are berth.Error and its subclasses, warnings berth.EstimateWarning. An object may be used by
one thread at a time; patterns and topologies don't change, so any number of threads may read
them."""
from . import frames, plot
from ._check import MAX_U64 as _MAX_U64, whole as _whole
from ._library import lib as _lib
from ._version import __version__
from .cost import (
    Bottleneck,
    Compared,
    Cost,
    Coverage,
    LevelCost,
    Load,
    PairLoad,
    PhaseCost,
    Port,
    compare,
    cost,
    default_mapping,
)
from .errors import (
    BadInputError,
    ClosedError,
    Error,
    EstimateWarning,
    Interrupted,
    MissingError,
    UsageError,
)
from .frames import frame
from .mapper import Candidate, Move, Progress, Search, algorithms, map, sample
from .mapping import Mapping, Place, Scope, load_mapping, mapping_formats
from .pattern import (
    Collective,
    Communicator,
    FunctionTime,
    Message,
    OneSided,
    Pattern,
    Phase,
    RankInfo,
    Site,
    import_pattern,
    load_pattern,
    pattern_formats,
)
from .scaling import (
    Agreement,
    Scaled,
    ScaledSite,
    agreement,
    scale,
    standard_pattern,
    standard_patterns,
)
from .topology import (
    Curve,
    Direction,
    Element,
    ElementType,
    Host,
    Pu,
    Topology,
    import_topology,
    load_topology,
    make_topology,
    this_machine,
)


def set_memory(n: int) -> None:
    """How many bytes a file may take while berth reads it and afterwards (1 GiB). A file that needs
    more raises MissingError."""
    _lib.berth_set_memory(_whole("n", n, 1, _MAX_U64))


__all__ = [
    "Agreement",
    "BadInputError",
    "Bottleneck",
    "Candidate",
    "ClosedError",
    "Collective",
    "Communicator",
    "Compared",
    "Cost",
    "Coverage",
    "Curve",
    "Direction",
    "Element",
    "ElementType",
    "Error",
    "EstimateWarning",
    "FunctionTime",
    "Host",
    "Interrupted",
    "LevelCost",
    "Load",
    "Mapping",
    "Message",
    "MissingError",
    "Move",
    "OneSided",
    "PairLoad",
    "Pattern",
    "Phase",
    "PhaseCost",
    "Place",
    "Port",
    "Progress",
    "Pu",
    "RankInfo",
    "Scaled",
    "ScaledSite",
    "Scope",
    "Search",
    "Site",
    "Topology",
    "UsageError",
    "__version__",
    "agreement",
    "algorithms",
    "compare",
    "cost",
    "default_mapping",
    "frame",
    "frames",
    "import_pattern",
    "import_topology",
    "load_mapping",
    "load_pattern",
    "load_topology",
    "make_topology",
    "map",
    "mapping_formats",
    "pattern_formats",
    "plot",
    "sample",
    "scale",
    "set_memory",
    "standard_pattern",
    "standard_patterns",
    "this_machine",
]
