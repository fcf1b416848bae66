#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares man pages as a terminal of 80 columns shows them with the Markdown that they are made from:
manual.py FOLDER, the pages of `berth manual --directory`. Prints a line for each difference."""
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["BERTH_SOURCE_DIR"])
COLUMNS = 80
DOCS = {**{p.stem: (5, p) for p in (SOURCE / "docs/formats").glob("*.md")},
        "environment": (7, SOURCE / "docs/environment.md")}


def shown(page):
    """The page on a terminal; man's warnings count as text of the first line."""
    env = {**os.environ, "MANWIDTH": str(COLUMNS), "LC_ALL": "C.UTF-8", "MANROFFOPT": "", "MAN_KEEP_FORMATTING": ""}
    run = subprocess.run(["man", "--warnings", "-l", page], env=env, capture_output=True, text=True)
    for line in run.stderr.splitlines():
        yield f"man says: {line}"
    yield from run.stdout.splitlines()


def reference(path):
    name = pathlib.PurePath(path).stem
    return f"berth-{name}({DOCS[name][0]})" if name in DOCS else None


def plain(line):
    """A line without Markdown's marks."""
    parts = []
    for i, part in enumerate(line.split("`")):
        if i % 2 == 0:
            part = re.sub(r"\[([^\]]*)\]\(([^)]*)\)", lambda m: reference(m[2]) or m[1], part)
            part = re.sub(r"\bdocs/[\w/-]+\.md", lambda m: reference(m[0]) or m[0], part)
            part = re.sub(r"\*\*|(?<![^ (])\*(?=\S)|(?<=\w)\*(?=\W|$)", "", part)
        parts.append(part)
    return "".join(parts)


def cells(row):
    masked = re.sub(r"`[^`]*`", lambda m: m[0].replace("|", "\0"), row)
    return [plain(c.replace("\0", "|").strip()) for c in masked.strip().strip("|").split("|")]


def parts_of(markdown):
    """What the text consists of: (kind, text) for each line."""
    code, above = False, ""
    for line in markdown.splitlines():
        if line.startswith("```"):
            code = not code
        elif code:
            yield "code", line
        elif line.startswith("|"):
            if not re.fullmatch(r"[|: -]+", line) and above.startswith("|"):
                yield "row", line  # headings aren't everywhere
        elif line.startswith("#"):
            yield line.split()[0], line.lstrip("# ")
        elif line.strip():
            yield "text", re.sub(r"^ *(- |\d+\. )", "", line)
        above = line


def capitals(text):
    return "".join(p if i % 2 else p.upper() for i, p in enumerate(text.split("`")))


def words(text):
    return collections.Counter(re.findall(r"[^\s,]+", text))


def compare(page, markdown, skip):
    lines = list(shown(page))
    for line in lines:
        if len(line) > COLUMNS:
            yield f"found {len(line)} columns, expected at most {COLUMNS}: {line}"
        if line.startswith("man says: "):
            yield line
    stripped = [line.strip() for line in lines]
    expected = collections.Counter()
    for kind, text in parts_of(markdown):
        if kind in skip:
            continue
        if kind == "##" and capitals(text) not in stripped:
            yield f"found no section {text}"
        if kind == "###" and plain(text) not in stripped:
            yield f"found no heading {text}"
        if kind == "row" and not any(line.startswith(cells(text)[0].split(" ")[0]) for line in stripped):
            yield f"found no row {cells(text)[0]}"
        if kind == "code" and len(text) <= COLUMNS - 4 and text.strip() not in stripped:
            yield f"found no line {text}"
        expected += words("" if kind == "##" else " ".join(cells(text)) if kind == "row" else
                          text if kind == "code" else plain(text))
    for word, n in (expected - words("\n".join(lines))).items():
        yield f"found {n} times too few: {word}"


def check(page):
    name, section = page.stem.removeprefix("berth-"), page.suffix[1:]
    if section == "1":
        markdown = (SOURCE / "man" / f"{page.stem}.md").read_text()
        # titles and synopses look different; options are compared by usage.sh
        body = markdown.split("\n```\n", 2)[2]
        found = compare(page, re.sub(r"## Options\n.*?(?=\n## |\Z)", "", body, flags=re.S), ())
        if "\n## See also\n" not in markdown:
            found = [*found, "found no section See also"]
    else:
        found = compare(page, DOCS[name][1].read_text(), ("#",))
    return [f"{page.name}: {line}" for line in found]


def references(pages):
    """Pages that a page names and that aren't there; pages that no command names."""
    texts = {page: page.read_text().replace("\\-", "-") for page in pages}
    there = {f"{page.stem}({page.suffix[1:]})" for page in pages}
    named = collections.defaultdict(set)
    for page, text in texts.items():
        for name, section in re.findall(r"(berth[a-z-]*)\\fR ?\((\d)\)", text):
            named[f"{name}({section})"].add(page.suffix)
    for name in sorted(named.keys() - there):
        yield f"found {name}, expected a page that is there"
    for name in sorted(there):
        if ".1" not in named[name]:
            yield f"found no command that names {name}"


def main():
    pages = sorted(pathlib.Path(sys.argv[1]).glob("*.[157]"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [line for lines in pool.map(check, pages) for line in lines]
    found += references(pages)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
