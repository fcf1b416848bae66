# SPDX-License-Identifier: BSD-3-Clause
"""The Spack recipe of berth. Spack takes the archive of the sources from the current folder."""
import os

from spack.package import *


class Berth(CMakePackage):
    """Placement of MPI ranks by what they send to each other: berth records a job once, finds a
    placement for the machine, predicts the gain, and writes the file that the launcher takes."""

    manual_download = True
    url = f"file://{os.getcwd()}/berth-0.2.0.tar.gz"
    license("BSD-3-Clause")
    version("0.2.0")

    variant("mpi", default=True, description="Tracer and collective library for the MPI")
    variant("otf2", default=True, description="Import of OTF2 archives")
    variant("sqlite", default=True, description="Import and export of SQLite databases")
    variant("metis", default=True, description="The mapper metis")
    variant("toml", default=True, description="Project files")
    variant("ncurses", default=True, description="The browser berth view")
    variant("libfabric", default=True, description="Agents of collective calls")
    variant("libdw", default=True, description="Names of call sites")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cjson")
    depends_on("expat")
    depends_on("hwloc@2:")
    depends_on("zstd")
    depends_on("otf2@3:", when="+otf2")
    depends_on("sqlite@3.36:", when="+sqlite")
    depends_on("metis@5:~int64", when="+metis")
    depends_on("elfutils", when="+libdw")
    depends_on("ncurses", when="+ncurses")
    depends_on("libfabric@1.17:", when="+libfabric")
    depends_on("cxx", type="build", when="+toml")
    depends_on("tomlplusplus@3.1:", when="+toml")
    with when("+mpi"):
        depends_on("mpi")
        depends_on("libunwind")
        requires("^[virtuals=mpi] openmpi@4.1:4", "^[virtuals=mpi] mpich@4:", policy="one_of",
                 msg="berth's tracer is for Open MPI 4.1 and MPICH 4")

    def cmake_args(self):
        return [
            self.define("BERTH_TESTS", False),
            self.define("BERTH_WITH_D3", False),
            self.define("BERTH_WITH_OPENMPI", self.spec.satisfies("^openmpi")),
            self.define("BERTH_WITH_MPICH", self.spec.satisfies("^mpich")),
            self.define_from_variant("BERTH_MPI", "mpi"),
            self.define_from_variant("BERTH_WITH_OTF2", "otf2"),
            self.define_from_variant("BERTH_WITH_SQLITE", "sqlite"),
            self.define_from_variant("BERTH_WITH_METIS", "metis"),
            self.define_from_variant("BERTH_WITH_LIBDW", "libdw"),
            self.define_from_variant("BERTH_WITH_TOML", "toml"),
            self.define_from_variant("BERTH_WITH_NCURSES", "ncurses"),
            self.define_from_variant("BERTH_WITH_LIBFABRIC", "libfabric"),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def says_its_version(self):
        berth = Executable(self.prefix.bin.berth)
        assert str(self.version) in berth("--version", output=str)
