#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""estimate.py PATTERN TOPOLOGY MAPPING: what estimate.c prints, through libberth.so by ctypes."""
import ctypes
import json
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_size_t, c_void_p


class Error(ctypes.Structure):
    _fields_ = [("code", c_int), ("text", c_char * 480)]


class Interval(ctypes.Structure):
    _fields_ = [("value", c_double), ("factor", c_double), ("low", c_double), ("high", c_double)]


class Estimate(ctypes.Structure):  # berth_estimate_t
    _fields_ = [("cost_s", c_double), ("packing_s", c_double), ("sharing_s", c_double),
                ("interval", Interval), ("same", c_int),
                ("moved", c_int), ("moved_hosts", c_int), ("gain", c_double), ("verdict", c_int),
                ("run_gain_kind", c_int), ("run_gain", c_double),
                ("run_gain_low", c_double), ("run_gain_high", c_double)]


class AssessOptions(ctypes.Structure):  # berth_assess_options_t
    _fields_ = [("size", c_size_t), ("model", c_int), ("reference", POINTER(c_int)), ("intervals", c_int)]


class Resource(ctypes.Structure):
    _fields_ = [("element", c_int), ("kind", c_int)]


class Phase(ctypes.Structure):  # berth_phase_cost_t
    _fields_ = [("id", c_int), ("of_phase", c_int), ("name", c_char_p), ("repeats", c_double), ("cost_s", c_double),
                ("has_bottleneck", c_int), ("bottleneck", Resource), ("bottleneck_bytes", c_double),
                ("n_pairs", c_size_t), ("n_listed", c_size_t), ("pairs", c_void_p)]


class CostResult(ctypes.Structure):  # berth_cost_result_t
    _fields_ = [("cost_s", c_double), ("n_phases", c_size_t), ("phases", POINTER(Phase)),
                ("max_cost_phase", c_size_t), ("n_levels", c_size_t), ("levels", c_void_p)]


PORT = 0  # BERTH_MODEL_PORT
KNOWN, LIMIT = 0, 1  # BERTH_RUN_GAIN_…


def library():
    berth = ctypes.CDLL("libberth.so.0")
    for name in ("berth_pattern_load", "berth_topo_load", "berth_cost_new"):
        getattr(berth, name).restype = c_void_p
    for name in ("berth_verdict_name", "berth_resource_text"):
        getattr(berth, name).restype = c_char_p
    return berth


def checked(value, err):
    """The value, unless the call filled in an error."""
    if err.code:
        print(f"estimate.py: {err.text.decode()}", file=sys.stderr)
        sys.exit(err.code)
    return value


def main():
    if len(sys.argv) != 4:
        print("usage: estimate.py PATTERN TOPOLOGY MAPPING", file=sys.stderr)
        sys.exit(2)
    berth, err = library(), Error()
    pattern = c_void_p(checked(berth.berth_pattern_load(sys.argv[1].encode(), 0, byref(err)), err))
    topology = c_void_p(checked(berth.berth_topo_load(sys.argv[2].encode(), byref(err)), err))
    checked(berth.berth_collectives_include_by_hosts(pattern, b"auto", c_double(0), None, byref(err)), err)
    ranks = berth.berth_pattern_ranks(pattern)
    pus = json.load(open(sys.argv[3]))["pu_of_rank"]
    placement = (c_int * ranks)(*pus)
    linear = (c_int * ranks)(*range(ranks))  # the default order where each PU may be used

    options, estimates = AssessOptions(), (Estimate * 2)()
    berth.berth_assess_options_init(byref(options), c_size_t(ctypes.sizeof(options)))
    options.reference = linear
    placements = (POINTER(c_int) * 1)(placement)
    checked(berth.berth_assess(pattern, topology, byref(options), c_size_t(1), placements, estimates,
                               byref(err)), err)
    found, default = estimates
    print(f"cost: {found.cost_s:.6f} s ({found.interval.low:.6f} to {found.interval.high:.6f} s)")
    print(f"default order: {default.cost_s:.6f} s")
    print(f"gain: {100 * found.gain:.2f}%, {found.moved} ranks elsewhere: "
          f"{berth.berth_verdict_name(found.verdict).decode()}")
    of_run = {KNOWN: f"{100 * found.run_gain:.2f}%", LIMIT: f"at most {100 * found.run_gain:.2f}%"}
    print(f"gain of the run: {of_run.get(found.run_gain_kind, 'unknown')}")

    result, text = CostResult(), ctypes.create_string_buffer(256)
    evaluator = c_void_p(checked(berth.berth_cost_new(pattern, topology, byref(err)), err))
    checked(berth.berth_cost_explain(evaluator, PORT, placement, c_size_t(0), byref(result), byref(err)), err)
    phase = result.phases[result.max_cost_phase]
    if phase.has_bottleneck:
        where = berth.berth_resource_text(topology, phase.bottleneck, text, c_size_t(256)).decode()
        print(f"bottleneck: {where}, {phase.bottleneck_bytes:.0f} bytes")
    berth.berth_cost_result_clear(byref(result))
    berth.berth_cost_free(evaluator)
    berth.berth_topo_free(topology)
    berth.berth_pattern_free(pattern)


main()
