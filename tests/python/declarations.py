#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The module's C declarations against the public headers: a compiler reads both.

A C program states the size of each declared struct, the offset, size and kind of each member, and
each constant. Each prototype is declared again beside the header's: compilers refuse another one.
And the tests fail if a declaration is changed, which is tried."""
import ctypes
import pathlib
import subprocess
import tempfile
import unittest

import berth
import inputs
from berth import _c, _library, _version

# What a member is: f floating, i signed, u unsigned, a anything else (pointer, struct, array).
KINDS = """#define KIND(x) _Generic((x), double: 'f', int: 'i', long: 'i', unsigned: 'u', \\
  unsigned long: 'u', default: 'a')
"""
# Members that C calls otherwise, because Python has a word of that name.
C_NAMES = {"in_": "in", "from_": "from"}
ENUMS = {
    *("model", "objective", "verdict", "run_gain_kind", "quality", "min_quality", "role", "kind"),
    "scaling",
}


def headers() -> str:
    folders = [inputs.SOURCE / "include/berth", inputs.BUILD / "include/berth"]
    names = sorted(path.name for folder in folders for path in folder.glob("*.h"))
    return "".join(f"#include <berth/{name}>\n" for name in names)


def kind_of(name: str, ctype: type) -> str:
    if name in ENUMS and ctype is ctypes.c_int:
        return "u"  # gcc's enums without negative values
    if ctype is ctypes.c_double:
        return "f"
    return {ctypes.c_int: "i", ctypes.c_uint: "u", ctypes.c_size_t: "u", ctypes.c_uint64: "u"}.get(
        ctype, "a"
    )


def of_python() -> dict[str, str]:
    """What ctypes makes of the declarations."""
    found = {}
    for c_name, struct in _c.STRUCTS.items():
        found[c_name] = str(ctypes.sizeof(struct))
        for name, ctype in struct._fields_:
            member = getattr(struct, name)
            found[
                f"{c_name}.{C_NAMES.get(name, name)}"
            ] = f"{member.offset} {member.size} {kind_of(name, ctype)}"
    return {**found, **{name: str(value) for name, value in _c.CONSTANTS.items()}}


def program(of: dict[str, str]) -> str:
    lines = [headers(), "#include <stdio.h>\n", KINDS, "int main(void)\n{\n"]
    for key in of:
        struct, _, member = key.partition(".")
        if member:
            value = f"(({struct} *)0)->{member}"
            lines.append(
                f'printf("{key}=%zu %zu %c\\n", offsetof({struct}, {member}), sizeof {value}, '
                f"KIND({value}));\n"
            )
        elif struct in _c.STRUCTS:
            lines.append(f'printf("{key}=%zu\\n", sizeof({struct}));\n')
        else:
            lines.append(f'printf("{key}=%d\\n", (int){key});\n')
    return "".join([*lines, "return 0;\n}\n"])


def redeclared(prototypes: list[str]) -> str:
    return headers() + "".join(f"{line};\n" for line in prototypes)


def compiled(
    source: str, folder: pathlib.Path, *options: str
) -> "subprocess.CompletedProcess[str]":
    (folder / "x.c").write_text(source)
    return subprocess.run(
        [
            "cc",
            "-std=c11",
            "-I",
            inputs.SOURCE / "include",
            "-I",
            inputs.BUILD / "include",
            "-o",
            folder / "x",
            folder / "x.c",
            *options,
        ],
        capture_output=True,
        text=True,
    )


class Declarations(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def of_c(self, of: dict[str, str]) -> dict[str, str]:
        done = compiled(program(of), self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        out = subprocess.run([self.folder / "x"], capture_output=True, text=True, check=True).stdout
        return dict(line.split("=") for line in out.splitlines())

    def test_structs_and_constants(self) -> None:
        declared = of_python()
        self.assertGreater(len(declared), 250)
        self.assertEqual(declared, self.of_c(declared))

    def test_messages_as_numbers(self) -> None:
        """Pattern.messages reads structs without ctypes."""
        self.assertEqual(berth.pattern._UNPACK.size, ctypes.sizeof(_c.Message))
        names = [field[0] for field in _c.Message._fields_]
        self.assertEqual(tuple(names), berth.Message._fields[:5] + ("count", "bytes"))

    def test_structs_are_whole(self) -> None:
        """A struct that ended too early would have the same offsets, and another size unless
        padding hides it: the last member must end within 8 bytes of the end."""
        for name, struct in _c.STRUCTS.items():
            last = getattr(struct, struct._fields_[-1][0])
            self.assertLess(ctypes.sizeof(struct) - last.offset - last.size, 8, name)

    def test_a_struct_that_drifts_is_found(self) -> None:
        changes = [
            ("berth_message_t.size", "16 4 i"),
            ("berth_phase_t", "8"),
            ("BERTH_MODEL_FLOW", "4"),
            ("berth_rank_info_t.wall_s", "16 8 u"),
            ("berth_estimate_t.gain", "48 8 f"),
        ]
        for key, wrong in changes:
            declared = {**of_python(), key: wrong}
            self.assertNotEqual(declared[key], self.of_c(declared)[key], key)

    def test_prototypes(self) -> None:
        prototypes = _library.prototypes()
        self.assertGreater(len(prototypes), 90)
        done = compiled(redeclared(prototypes), self.folder, "-fsyntax-only")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_prototype_that_drifts_is_refused(self) -> None:
        for right, wrong in [
            ("int flags", "long flags"),
            ("const berth_pattern_t *p, const char *path", "berth_pattern_t *p, const char *path"),
            ("double berth_pattern_mpi_share", "float berth_pattern_mpi_share"),
            ("size_t max_samples, berth_error_t *err", "berth_error_t *err"),
        ]:
            whole = redeclared(_library.prototypes())
            self.assertIn(right, whole)
            done = compiled(whole.replace(right, wrong), self.folder, "-fsyntax-only")
            self.assertIn("conflicting types", done.stderr, wrong)

    def test_every_function_exists_and_is_declared_to_ctypes(self) -> None:
        for prototype in _library.prototypes():
            found = _library._PROTOTYPE.fullmatch(prototype)
            assert found
            function = getattr(_library.lib, found["name"])
            n = 0 if found["parameters"] == "void" else found["parameters"].count(",") + 1
            self.assertEqual(len(function.argtypes), n, prototype)

    def test_an_unknown_function_is_refused(self) -> None:
        with self.assertRaises(AttributeError):
            _library._declare(_library.lib, "int berth_no_such_function(int x)")

    def test_one_version(self) -> None:
        header = (inputs.BUILD / "include/berth/version.h").read_text()
        self.assertIn(f'#define BERTH_VERSION "{_version.__version__}"', header)
        self.assertEqual(_library.lib.berth_version().decode(), _version.__version__)


class Loading(unittest.TestCase):
    """What `import berth` says if it finds another library, or none."""

    def test_imports_that_fail(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            foreign, old = folder / "foreign.so", folder / "old.so"
            for path, code in [
                (foreign, "int x;"),
                (old, f'const char *berth_version(void) {{ return "{_version.__version__}"; }}'),
                (folder / "new.so", 'const char *berth_version(void) { return "1.0.0"; }'),
            ]:
                done = compiled(code, folder, "-shared", "-fPIC")
                self.assertEqual(done.returncode, 0, done.stderr)
                (folder / "x").rename(path)
            for library, expected in [
                (folder / "none.so", "found no libberth.so.0"),
                (foreign, "found libberth.so.0 an older one, expected " + _version.__version__),
                (folder / "new.so", "found libberth.so.0 1.0.0, expected " + _version.__version__),
                (old, "undefined symbol: berth_set_memory"),
            ]:
                environment = {**inputs.os.environ, "BERTH_LIBRARY": str(library)}
                done = subprocess.run(
                    [inputs.sys.executable, "-c", "import berth"],
                    env=environment,
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(done.returncode, 1, library)
                self.assertIn("ImportError: berth: ", done.stderr)
                self.assertIn(expected, done.stderr)


if __name__ == "__main__":
    unittest.main()
