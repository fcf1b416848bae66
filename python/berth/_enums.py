# SPDX-License-Identifier: BSD-3-Clause
"""The enumerations of include/berth/*.h; _c.py has the prefixes of their constants."""
import enum


class Code(enum.IntEnum):
    OK = 0
    CHECK_FAILED = 1
    USAGE = 2
    BAD_INPUT = 3
    MISSING = 4
    NO_VERDICT = 5


class Model(enum.IntEnum):
    PORT = 0
    BOUND = 1
    SUM = 2
    FLOW = 3


class ResourceKind(enum.IntEnum):
    DOWN_OUT = 0
    DOWN_IN = 1
    UP_OUT = 2
    UP_IN = 3
    SWITCH = 4


class RunGain(enum.IntEnum):
    KNOWN = 0
    LIMIT = 1
    NO_CALLS = 2
    NO_TIMES = 3
    NO_UNIT = 4
    NO_REFERENCE = 5


class Verdict(enum.IntEnum):
    EQUAL = 0
    CHEAPER = 1
    MORE_EXPENSIVE = 2
    NONE = 3


class Quality(enum.IntEnum):
    FAST = 0
    ECO = 1
    STRONG = 2


class MapperRole(enum.IntEnum):
    BUILDS = 0
    SEARCHES = 1
    APART = 2


class Scaling(enum.IntEnum):
    FOUND = 0
    WEAK = 1
    STRONG = 2
