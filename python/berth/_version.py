# SPDX-License-Identifier: BSD-3-Clause
"""The version of berth that the module belongs to, as in include/berth/version.h."""
__version__ = "0.1.0"
