#!/usr/bin/env python3
"""session.py [--without MARK] PAGE: does what a page of documentation shows.

Runs the commands of all ```console blocks of a markdown page, in order, in one bash, in the current
folder, and compares what each prints (standard output and error) with what stands below it:

  $ command     a line that ends in a backslash goes on in the next one
  a line        is what is printed, but for
  …             within a line: any text; a line of its own: any lines, or none
  ≈0.046 ms     a number that comes from a clock: any number, any unit of time

Every command succeeds unless the next one is `echo $?`. --without leaves out the blocks that are
marked so behind the word console. At last, each digit that the page shows is replaced by another one:
then the comparison must fail, or the page could say anything there."""
import argparse
import dataclasses
import re
import subprocess
import sys

NUMBER = r"[-+]?[0-9][0-9.]*"
UNIT = r"(?: (?:ns|us|ms|s)\b)?"
# Between the commands' outputs; what it is filled with can't be printed by chance.
BORDER = "session-9f1c6d--"


@dataclasses.dataclass
class Step:
    line: int  # in the page
    command: str
    expected: list[str]
    found: list[str] = dataclasses.field(default_factory=list)
    code: int = -1


def steps_of(page: str, without: list[str]) -> list[Step]:
    steps: list[Step] = []
    inside = taken = goes_on = False
    for number, line in enumerate(open(page, encoding="utf-8").read().split("\n"), 1):
        if line.startswith("```"):
            words = line[3:].split()
            inside = not inside and words[:1] == ["console"]
            taken = inside and not set(words[1:]) & set(without)
            continue
        if not taken:
            continue
        if goes_on:
            steps[-1].command += "\n" + line
        elif line.startswith("$ "):
            steps.append(Step(number, line[2:], []))
        elif steps:
            steps[-1].expected.append(line)
        else:
            sys.exit(f"{page}:{number}: found '{line}', expected a command")
        goes_on = line.endswith("\\") and (goes_on or line.startswith("$ "))
    return steps


def run(steps: list[Step]) -> None:
    """One bash for all, so that variables, functions and $? last from one command to the next."""
    script = ["session_code() { return $1; }"]
    for step in steps:
        quoted = "'" + step.command.replace("'", "'\\''") + "'"
        script.append(f"session_code ${{code:-0}}; eval {quoted}; code=$?; "
                      f'printf "\\n%s%s\\n" {BORDER} $code')
    done = subprocess.run(["bash", "-c", "\n".join(script)], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          errors="replace")
    parts = re.split(rf"\n{BORDER}([0-9]+)\n", done.stdout)
    for step, text, code in zip(steps, parts[::2], parts[1::2]):
        step.code = int(code)
        step.found = text.removesuffix("\n").split("\n") if text else []


def pattern_of(line: str) -> re.Pattern[str]:
    parts = re.split(rf"(…|≈{NUMBER}{UNIT})", line)
    for i in range(1, len(parts), 2):
        parts[i] = ".*" if parts[i] == "…" else NUMBER + (UNIT if " " in parts[i] else "")
    parts[::2] = [re.escape(part) for part in parts[::2]]
    return re.compile("".join(parts))


def first_difference(expected: list[str], found: list[str]) -> int:
    """The first expected line that can't be met, -1 if all are: with each set of lines of what was
    found that the expected ones so far can end before."""
    ends = {0}
    for i, line in enumerate(expected):
        if line.strip() == "…":
            ends = set(range(min(ends), len(found) + 1))
        else:
            pattern = pattern_of(line)
            ends = {e + 1 for e in ends if e < len(found) and pattern.fullmatch(found[e].rstrip())}
        if not ends:
            return i
    return -1 if len(found) in ends else len(expected)


def report(page: str, step: Step, why: str) -> None:
    print(f"{page}:{step.line}: {why}\n  $ {step.command}")
    print("  found:\n" + "".join(f"    {line}\n" for line in step.found))


def unheeded_digits(page: str, steps: list[Step]) -> int:
    n = 0
    for step in steps:
        for i, line in enumerate(step.expected):
            for digit in re.finditer("[0-9]", re.sub(rf"≈{NUMBER}", lambda m: "≈" * len(m[0]), line)):
                at = digit.start()
                other = line[:at] + str((int(digit[0]) + 1) % 10) + line[at + 1:]
                changed = step.expected[:i] + [other] + step.expected[i + 1:]
                if first_difference(changed, step.found) < 0:
                    n += 1
                    print(f"{page}:{step.line}: '{line}' may as well be '{other}'")
    return n


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("page")
    options = parser.parse_args()
    page = options.page
    steps = steps_of(page, options.without)
    run(steps)
    failures = 0
    for i, step in enumerate(steps):
        at = first_difference(step.expected, step.found)
        shown = i + 1 < len(steps) and steps[i + 1].command == "echo $?"
        if step.code < 0:
            report(page, step, "it never came to this")
        elif step.code and not shown:
            report(page, step, f"exit code {step.code}, expected 0")
        elif at >= 0:
            rest = step.expected[at:] or ["the end"]
            report(page, step, f"expected, from line {at + 1} on: {rest[0]}")
        else:
            continue
        failures += 1
    failures = failures or unheeded_digits(page, steps)
    print(f"{page}: {len(steps)} commands, {failures} failures")
    return 1 if failures or not steps else 0


sys.exit(main())
