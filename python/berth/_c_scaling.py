# SPDX-License-Identifier: BSD-3-Clause
"""The C declarations of standard.h and scale.h, as _c.py has the others."""
from ctypes import Structure, c_int, c_uint64
from typing import Annotated, Any

from ._c import CONSTANTS, U64, Double, Int, Opaque, Size, Text, Texts, Unsigned, struct
from ._enums import Scaling as Scaling

# --- standard.h ---

DIMS = 4  # BERTH_STANDARD_DIMS, BERTH_SCALE_DIMS
Grid = Annotated[Any, c_int * DIMS]


@struct("berth_standard_t")
class Standard(Structure):
    name: Text
    summary: Text
    n_dims: Int
    block_dims: Int
    takes: Unsigned
    block: U64
    element: U64
    message: U64


@struct("berth_standard_options_t")
class StandardOptions(Structure):
    size: Size
    ranks: Int
    n_grid: Int
    grid: Grid
    n_block: Int
    block: Annotated[Any, c_uint64 * DIMS]
    element: U64
    message: U64
    steps: U64
    periodic: Int
    corners: Int


# --- scale.h ---


@struct("berth_scale_options_t")
class ScaleOptions(Structure):
    size: Size
    ranks: Int
    n_grid: Int
    grid: Grid
    scaling: Int
    progress: Opaque  # a function; Python has none
    progress_data: Opaque


@struct("berth_scale_grid_t")
class ScaleGrid(Structure):
    ranks: Int
    n_dims: Int
    dims: Grid


@struct("berth_scale_part_t")
class ScalePart(Structure):
    op: Text
    n_frames: Size
    frames: Texts
    phase: Text
    share: Double
    messages: Double
    kept: Int
    what: Text
    bytes: Text
    error: Double
    unsure: Text


@struct("berth_scale_agreement_t")
class ScaleAgreement(Structure):
    bytes: Double
    made: Double
    within: Double
    pairs: Size
    agree: Size

CONSTANTS.update({"BERTH_SCALING_" + member.name: int(member) for member in Scaling})
CONSTANTS.update({"BERTH_STANDARD_DIMS": DIMS, "BERTH_SCALE_DIMS": DIMS})
