#!/usr/bin/env python3
"""Which requirements passed tests have proven: contracts.py [--all] LIST... RESULTS...

LISTs (*.md) are tests/contracts.md and tests/security.md; RESULTS are the lines that scripts/results.py
prints. A test proves a requirement by passing and by naming its id in its title: S0-12 or SEC-12, with _
instead of - where the title is the name of a function in C. The table
goes to stderr; with --all (all suites ran) what is missing is a result, on stdout and in the same form.
"""

import pathlib
import re
import sys

ROW = re.compile(r"^\| ((S\d|SEC)-\d+) \| .* \| ?(.*?) ?\|$")
NAMED = re.compile(r"(?<![A-Za-z0-9])(S\d|SEC)[-_](\d\d+)(?![0-9])")


def read_rows(paths):
    """(id, group, why it needs no test) of every requirement."""
    lines = [line for path in paths for line in path.read_text().splitlines()]
    return [match.groups() for match in map(ROW.match, lines) if match]


def group_name(group):
    return "security" if group == "SEC" else f"     00{group[1:]}"


def named(paths):
    """The ids that tests name, by status."""
    ids = {"passed": set(), "failed": set(), "skipped": set()}
    for path in paths:
        for line in path.read_text().splitlines():
            status, title, _ = line.split("\t")
            ids[status].update(f"{a}-{b}" for a, b in NAMED.findall(title))
    return ids


def judge(name, excuse, ids):
    """What became of one line. A failed test outweighs another that passed."""
    if name in ids["failed"]:
        return "failed"
    if name in ids["passed"]:
        return "proven"
    return "no test possible" if excuse else "skipped" if name in ids["skipped"] else "missing"


COLUMNS = ["proven", "failed", "skipped", "no test possible", "missing"]


def main():
    complete = sys.argv[1] == "--all"
    paths = list(map(pathlib.Path, sys.argv[2 if complete else 1:]))
    rows = read_rows(path for path in paths if path.suffix == ".md")
    ids = named(path for path in paths if path.suffix != ".md")
    fates = [(group, name, judge(name, excuse, ids)) for name, group, excuse in rows]
    print("contract  lines  " + "  ".join(COLUMNS), file=sys.stderr)
    for group in sorted({group for group, _, _ in fates}):
        of = [fate for g, _, fate in fates if g == group]
        counts = "  ".join(f"{of.count(column):{len(column)}}" for column in COLUMNS)
        print(f"{group_name(group)} {len(of):6}  {counts}", file=sys.stderr)
    if complete:
        missing = [name for _, name, fate in fates if fate == "missing"]
        unknown = sorted(set.union(*ids.values()) - {name for name, _, _ in rows})
        for title, bad in (("every line is proven by a test that names it in its title", missing),
                           ("tests name lines that exist", unknown)):
            print("failed" if bad else "passed", f"contracts {title}", " ".join(bad), sep="\t")


main()
