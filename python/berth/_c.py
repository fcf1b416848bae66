# SPDX-License-Identifier: BSD-3-Clause
"""The C declarations that the module uses: structs and enums of include/berth/*.h.

tests/python/declarations.py holds each size, offset and constant to the headers. Members are named
as in C. Pointers are borrowed or owned as the headers say; the modules above copy what they read,
so that nobody else sees a pointer."""
import ctypes
import typing
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_size_t,
    c_uint,
)
from ctypes import c_uint64, c_void_p
from typing import Annotated, Any, Callable, Optional, Type, TypeVar

from ._enums import (
    Code as Code,
    Model as Model,
    ResourceKind as ResourceKind,
    RunGain as RunGain,
    Verdict as Verdict,
    Quality as Quality,
    MapperRole as MapperRole,
)

Int = Annotated[int, c_int]
Unsigned = Annotated[int, c_uint]
Size = Annotated[int, c_size_t]
U64 = Annotated[int, c_uint64]
Double = Annotated[float, c_double]
Text = Annotated[Optional[bytes], c_char_p]
Texts = Annotated[Any, POINTER(c_char_p)]
Ints = Annotated[Any, POINTER(c_int)]
Doubles = Annotated[Any, POINTER(c_double)]
Opaque = Annotated[Optional[int], c_void_p]

S = TypeVar("S", bound=Type[Structure])
STRUCTS: "dict[str, Type[Structure]]" = {}


def struct(name: str) -> Callable[[S], S]:
    """Makes the annotations of a class the fields of the C struct `name`."""

    def with_fields(cls: S) -> S:
        hints = typing.get_type_hints(cls, include_extras=True)
        own = [key for key in cls.__annotations__ if not key.startswith("_")]
        cls._fields_ = [(key, _ctype(hints[key])) for key in own]
        STRUCTS[name] = cls
        return cls

    return with_fields


def _ctype(hint: Any) -> Any:
    return typing.get_args(hint)[1] if typing.get_origin(hint) is Annotated else hint


# --- error.h ---


@struct("berth_error_t")
class Error(Structure):
    code: Int
    text: Annotated[bytes, c_char * 480]


# --- pattern.h ---


@struct("berth_message_t")
class Message(Structure):
    phase: Int
    site: Int
    src: Int
    dst: Int
    size: U64
    count: U64
    bytes: U64


@struct("berth_rank_info_t")
class RankInfo(Structure):
    host: Text
    pu: Int
    wall_s: Double
    mpi_s: Double
    unsure_s: Double
    core_wait_s: Double


@struct("berth_phase_t")
class Phase(Structure):
    id: Int
    name: Text
    repeats: U64
    collective: Int
    stage: Int
    rounds: U64
    of_phase: Int
    more_of: Int
    by_hosts: Int


@struct("berth_site_t")
class Site(Structure):
    id: Int
    op: Text
    n_frames: Size
    frames: Texts


@struct("berth_comm_t")
class Comm(Structure):
    id: Int
    n_ranks: Size
    ranks: Ints
    border: Size


@struct("berth_share_t")
class Share(Structure):
    bytes: U64
    ranks: U64


@struct("berth_coll_t")
class Coll(Structure):
    phase: Int
    site: Int
    comm: Int
    op: Text
    bytes: U64
    count: U64
    root: Int
    n_shares: Size
    shares: Annotated[Any, POINTER(Share)]
    element: U64
    in_place: Int
    user_operation: Int
    uncommutative: Int
    included: Int


@struct("berth_rma_t")
class Rma(Structure):
    phase: Int
    site: Int
    src: Int
    win: Int
    sync: Text
    op: Text
    epochs: U64
    n_msgs: Size
    msgs: Annotated[Any, POINTER(Message)]
    comm: Int
    included: Int


@struct("berth_unmodelled_t")
class Unmodelled(Structure):
    op: Text
    calls: U64


@struct("berth_parameter_t")
class Parameter(Structure):
    name: Text
    value: Text
    text: Text
    unfollowed: Int


@struct("berth_time_t")
class Time(Structure):
    site: Int
    comm: Int
    op: Text
    total_s: Double
    max_s: Double
    max_rank: Int


@struct("berth_packed_t")
class Packed(Structure):
    rank: Int
    site: Int
    receives: Int
    size: U64
    pieces: U64
    span: U64
    count: U64


@struct("berth_cut_t")
class Cut(Structure):
    lines: U64
    senders: Int
    why: Text


@struct("berth_resolution_t")  # symbol.h
class Resolution(Structure):
    sites: Size
    resolved: Size
    named: Size
    unread: Size
    why: Annotated[bytes, c_char * 256]


# --- topo.h ---


@struct("berth_origin_t")
class Origin(Structure):
    date: Text
    mpi: Text
    transport: Text


@struct("berth_curve_t")
class Curve(Structure):
    name: Text
    source: Text
    n: Size
    size: Doubles
    bandwidth: Doubles
    origin: Origin
    spread: Doubles
    samples: Ints


@struct("berth_port_dir_t")
class PortDir(Structure):
    curve: Int
    capacity: Double
    spread: Double
    samples: Int
    origin: Origin


@struct("berth_port_t")
class Port(Structure):
    out: PortDir
    in_: PortDir
    reverse: Double


@struct("berth_type_t")
class ElementType(Structure):
    name: Text
    up: Port
    down: Port
    capacity: Double
    spread: Double
    samples: Int
    origin: Origin
    slowdown: Doubles
    n_slowdowns: Size
    node: Opaque


@struct("berth_element_t")
class Element(Structure):
    parent: Int
    type: Int
    depth: Int
    height: Int
    host: Int
    first_pu: Int
    n_pus: Int
    n_children: Int
    size: Int


@struct("berth_pu_t")
class Pu(Structure):
    element: Int
    host: Int
    os_index: Int
    core: Int


@struct("berth_host_t")
class Host(Structure):
    name: Text
    element: Int


# --- cost.h, uncertainty.h, assess.h ---


@struct("berth_coverage_t")
class Coverage(Structure):
    calls: Double
    bytes: Double
    left_out_calls: Double
    left_out_bytes: Double
    included_calls: Double
    unknown_calls: Double


@struct("berth_resource_t")
class Resource(Structure):
    element: Int
    kind: Int


@struct("berth_pair_load_t")
class PairLoad(Structure):
    src: Int
    dst: Int
    messages: Double
    bytes: Double
    time_s: Double


@struct("berth_phase_cost_t")
class PhaseCost(Structure):
    id: Int
    of_phase: Int
    name: Text
    repeats: Double
    cost_s: Double
    has_bottleneck: Int
    bottleneck: Resource
    bottleneck_bytes: Double
    n_pairs: Size
    n_listed: Size
    pairs: Annotated[Any, POINTER(PairLoad)]


@struct("berth_level_cost_t")
class LevelCost(Structure):
    depth: Int
    cost_s: Double
    messages: Double
    bytes: Double
    has_busiest: Int
    busiest: Resource


@struct("berth_cost_result_t")
class CostResult(Structure):
    cost_s: Double
    n_phases: Size
    phases: Annotated[Any, POINTER(PhaseCost)]
    max_cost_phase: Size
    n_levels: Size
    levels: Annotated[Any, POINTER(LevelCost)]


@struct("berth_load_t")
class Load(Structure):
    resource: Resource
    cost_s: Double
    bytes: Double


@struct("berth_interval_t")
class Interval(Structure):
    value: Double
    factor: Double
    low: Double
    high: Double


@struct("berth_estimate_t")
class Estimate(Structure):
    cost_s: Double
    packing_s: Double
    sharing_s: Double
    interval: Interval
    same: Int
    moved: Int
    moved_hosts: Int
    gain: Double
    verdict: Int
    run_gain_kind: Int
    run_gain: Double
    run_gain_low: Double
    run_gain_high: Double


@struct("berth_assess_options_t")
class AssessOptions(Structure):
    size: Size
    model: Int
    reference: Ints
    intervals: Int
    reasons: Int
    max_pairs: Size
    evaluator: Opaque


# --- mapping.h ---


@struct("berth_mapping_scope_t")
class MappingScope(Structure):
    hosts: Text
    reserve: Int
    ranks_per_pu: Int


@struct("berth_mapping_t")
class Mapping(Structure):
    ranks: Int
    pu_of_rank: Ints
    algorithm: Text
    model: Text
    topology: Text
    cost_s: Double
    scope: MappingScope
    unfinished: Int


@struct("berth_writer_t")
class Writer(Structure):
    name: Text
    help: Text
    write: Annotated[Any, CFUNCTYPE(c_int, POINTER(Mapping), c_void_p, c_char_p, POINTER(Error))]
    command: Annotated[
        Any, CFUNCTYPE(c_void_p, POINTER(Mapping), c_void_p, c_char_p, c_char_p, POINTER(Error))
    ]
    needs_pin: Annotated[
        Any, CFUNCTYPE(c_int, POINTER(Mapping), c_void_p, POINTER(c_int), POINTER(Error))
    ]


# --- map.h ---


MAX_CANDIDATES = 48
MAX_POINTS = 48


@struct("berth_map_options_t")
class MapOptions(Structure):
    size: Size
    objective: Int
    sum_share: Double
    seed: U64
    threads: Int
    quality: Int
    time_limit_s: Double
    iterations: U64
    min_gain: Double
    reserve: Int
    hosts: Text
    ranks_per_pu: Int
    any_thread: Int
    pinned: Ints
    from_: Ints
    move_price_s: Double
    max_moves: Int
    stable: Int
    team: Opaque


@struct("berth_map_progress_t")
class MapProgress(Structure):
    stage: Text
    elapsed_s: Double
    best: Double
    done: Double
    left_s: Double
    stopped: Int


@struct("berth_candidate_t")
class Candidate(Structure):
    name: Text
    price: Double
    any_thread: Int
    phase: Annotated[Any, POINTER(Phase)]
    apart: Int


@struct("berth_move_point_t")
class MovePoint(Structure):
    max: Int
    moved: Int
    cost_s: Double


@struct("berth_map_report_t")
class MapReport(Structure):
    n: Size
    candidate: Annotated[Any, Candidate * MAX_CANDIDATES]
    chosen: Size
    cheapest: Size
    left_as_it_is: Int
    min_gain: Double
    least_saved_s: Double
    stopped: Int
    lower_bound: Double
    price_of_first_threads: Double
    moved: Int
    n_points: Size
    point: Annotated[Any, MovePoint * MAX_POINTS]


@struct("berth_map_problem_t")
class MapProblem(Structure):
    pattern: Opaque
    topo: Opaque
    options: MapOptions
    n_pus: Int
    pus: Ints
    max_on_pu: Int
    shares_cores: Int
    n_any_pus: Int
    any_pus: Ints
    linear_pus: Ints
    starts: Annotated[Any, POINTER(POINTER(c_int))]
    n_starts: Size
    report: Annotated[Any, POINTER(MapReport)]
    watch: Opaque
    shared: Opaque
    started_s: Double


@struct("berth_mapper_t")
class Mapper(Structure):
    name: Text
    help: Text
    map: Opaque  # called by berth_map_run alone
    role: Int
    min_quality: Int
    max_ranks: Int
    shares_work: Int


# --- exchange.h ---

NOTE = CFUNCTYPE(None, c_char_p, c_void_p)


@struct("berth_exchange_t")
class Exchange(Structure):
    name: Text
    help: Text
    recognises: Opaque
    read: Opaque
    write: Annotated[Any, CFUNCTYPE(c_int, c_void_p, c_char_p, POINTER(Error))]
    loses: Unsigned
    write_graph: Annotated[Any, CFUNCTYPE(c_int, c_void_p, c_uint64, c_char_p, POINTER(Error))]
    weights_below: U64


@struct("berth_import_t")
class Import(Structure):
    n_paths: Size
    paths: Texts
    format: Annotated[Any, POINTER(Exchange)]
    ranks: Int
    message_size: U64
    note: Annotated[Any, NOTE]
    note_to: Opaque


# Constants of C by their prefix; and single ones.
ENUMS = {
    "BERTH_": Code,
    "BERTH_MODEL_": Model,
    "BERTH_RUN_GAIN_": RunGain,
    "BERTH_VERDICT_": Verdict,
    "BERTH_QUALITY_": Quality,
    "BERTH_MAPPER_": MapperRole,
}
# The kinds of resources have no prefix of their own.
CONSTANTS = {
    **{prefix + member.name: int(member) for prefix, cls in ENUMS.items() for member in cls},
    **{"BERTH_" + member.name: int(member) for member in ResourceKind},
    "BERTH_N_MODELS": len(Model),
    "BERTH_N_VERDICTS": len(Verdict),
    "BERTH_N_RESOURCE_KINDS": len(ResourceKind),
    "BERTH_MAX_CANDIDATES": MAX_CANDIDATES,
    "BERTH_MAX_POINTS": MAX_POINTS,
    "BERTH_PATTERN_STRICT": 0,
    "BERTH_PATTERN_TRUNCATED": 1,
    "BERTH_COLLECTIVES": 0,
    "BERTH_ONE_SIDED": 1,
}
