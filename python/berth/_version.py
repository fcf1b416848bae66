# SPDX-License-Identifier: BSD-3-Clause
"""The version of berth that the module belongs to, as in CMakeLists.txt."""
__version__ = "0.2.0"
