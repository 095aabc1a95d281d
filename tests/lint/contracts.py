#!/usr/bin/env python3
"""Which lines of the contracts (tests/contracts.md) a test names: contracts.py TOP [--tap]."""

import pathlib
import re
import sys

ROW = re.compile(r"^\| (S(\d)-\d+) \| .* \| ?(.*?) ?\|$")
NAMED = re.compile(r"\bS\d-\d+\b")
SUFFIXES = {".mjs", ".c", ".h", ".py", ".sh"}


def read_rows(top):
    """(id, contract, why it needs no test) of every line."""
    lines = (top / "tests/contracts.md").read_text().splitlines()
    return [match.groups() for match in map(ROW.match, lines) if match]


def named_in_tests(top):
    named = set()
    for path in (top / "tests").rglob("*"):
        if path.suffix in SUFFIXES and "node_modules" not in path.parts:
            named.update(NAMED.findall(path.read_text()))
    return named


def count(rows, named):
    """By contract: lines, named by tests, excused; and the ids that are neither."""
    table, missing = {}, []
    for name, contract, excuse in rows:
        counts = table.setdefault(contract, [0, 0, 0])
        counts[0] += 1
        if name in named:
            counts[1] += 1
        elif excuse:
            counts[2] += 1
        else:
            missing.append(name)
    return table, missing


def main():
    top = pathlib.Path(sys.argv[1])
    rows, named = read_rows(top), named_in_tests(top)
    table, missing = count(rows, named)
    unknown = sorted(named - {name for name, _, _ in rows})
    if "--tap" in sys.argv:
        print("1..2")
        print(f"{'not ok' if missing else 'ok'} 1 every line of the contracts has a test: {' '.join(missing)}")
        print(f"{'not ok' if unknown else 'ok'} 2 tests name lines that exist: {' '.join(unknown)}")
        return
    print("contract  lines  tested  no test possible  missing")
    for contract, (lines, tested, excused) in sorted(table.items()):
        print(f"     00{contract} {lines:6} {tested:7} {excused:17} {lines - tested - excused:8}")


main()
