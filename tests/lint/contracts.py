#!/usr/bin/env python3
"""Which lines of the contracts passed tests have proven: contracts.py [--all] CONTRACTS RESULTS...

RESULTS are the lines that scripts/results.py prints. A test proves a line by passing and by naming
the line's id in its title: S0-12, or S0_12 where the title is the name of a function in C. The table
goes to stderr; with --all (all suites ran) what is missing is a result, on stdout and in the same form.
"""

import pathlib
import re
import sys

ROW = re.compile(r"^\| (S(\d)-\d+) \| .* \| ?(.*?) ?\|$")
NAMED = re.compile(r"(?<![A-Za-z0-9])S(\d)[-_](\d\d+)(?![0-9])")


def read_rows(path):
    """(id, contract, why it needs no test) of every line."""
    return [match.groups() for match in map(ROW.match, path.read_text().splitlines()) if match]


def named(paths):
    """The ids that tests name, by status."""
    ids = {"passed": set(), "failed": set(), "skipped": set()}
    for path in paths:
        for line in path.read_text().splitlines():
            status, title, _ = line.split("\t")
            ids[status].update(f"S{a}-{b}" for a, b in NAMED.findall(title))
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
    contracts, *results = map(pathlib.Path, sys.argv[2 if complete else 1:])
    rows, ids = read_rows(contracts), named(results)
    fates = [(contract, name, judge(name, excuse, ids)) for name, contract, excuse in rows]
    print("contract  lines  " + "  ".join(COLUMNS), file=sys.stderr)
    for contract in sorted({contract for contract, _, _ in fates}):
        of = [fate for c, _, fate in fates if c == contract]
        counts = "  ".join(f"{of.count(column):{len(column)}}" for column in COLUMNS)
        print(f"     00{contract} {len(of):6}  {counts}", file=sys.stderr)
    if complete:
        missing = [name for _, name, fate in fates if fate == "missing"]
        unknown = sorted(set.union(*ids.values()) - {name for name, _, _ in rows})
        for title, bad in (("every line is proven by a test that names it in its title", missing),
                           ("tests name lines that exist", unknown)):
            print("failed" if bad else "passed", f"contracts {title}", " ".join(bad), sep="\t")


main()
