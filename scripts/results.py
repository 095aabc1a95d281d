"""Print the results of tests, one per line: STATUS<tab>TITLE<tab>REASON.

results.py meson LOG [EXCUSES]: from the JSON log of Meson, with the TAP output of the programs in it. Each line of the
file EXCUSES is PATTERN<tab>REASON: a test whose title matches, and that fails, counts as skipped.
results.py node TAP: from the output of node --test.
results.py details TAP: not the results, but what node --test says about each failed test.

STATUS is passed, failed, or skipped. A skip without a reason counts as failed.
"""
import json
import re
import sys

# Node indents subtests and escapes a # in a title.
LINE = re.compile(r"^ *(not )?ok (?:\d+ )?(?:- )?((?:[^#\\]|\\.)*?)\s*(?:# (SKIP)\b ?(.*?)\s*)?(?:#.*)?$")
# SKIP() of tests/support/check.h prints this before the result of the test.
SKIPS = re.compile(r"^# skip (\S+): (.*)$", re.M)
PLAN = re.compile(r"^1\.\.(\d+)$", re.M)
EXCUSES = []  # (pattern, reason)
DETAILS_MAX = 40  # lines of one failure


def read_excuses(path):
    lines = (line.rstrip("\n") for line in open(path, encoding="utf-8") if not line.startswith("#"))
    EXCUSES.extend((re.compile(pattern), reason) for pattern, reason in (line.split("\t") for line in lines))


def show(status, title, reason=""):
    name = title.split(" / ", 1)[-1].split(" Could not run test: ")[0]  # without Meson's suites, and what cmocka adds
    excuse = next((why for pattern, why in EXCUSES if pattern.fullmatch(name)), None)
    if status == "failed" and excuse:
        status, reason = "skipped", excuse
    if status == "skipped" and not reason:
        status, reason = "failed", "skipped without a reason"
    print(status, title, reason, sep="\t")


def of_line(line):
    """(status, title, reason) of a TAP line, or None."""
    match = LINE.match(line)
    if not match:
        return None
    bad, title, directive, reason = match.groups()
    status = "skipped" if directive == "SKIP" else "failed" if bad else "passed"
    return status, re.sub(r"\\(.)", r"\1", title), reason or ""


def of_program(test):
    """The results of one program that Meson ran."""
    out = test.get("stdout") or ""
    skips = dict(SKIPS.findall(out))
    results = [r for r in map(of_line, out.splitlines()) if r]
    for status, title, reason in results:
        if status == "passed" and title in skips:
            status, reason = "skipped", skips[title]
        show(status, f"{test['name']} {title}", reason)
    good = test["result"] in ("OK", "EXPECTEDFAIL")
    plan = PLAN.search(out)
    was_cut = plan and len(results) < int(plan[1])
    if test["result"] == "SKIP" and not results:  # it exited with 77
        show("skipped", test["name"], (out.strip().splitlines() or [""])[-1])
    elif not results or (not good and (was_cut or all(status != "failed" for status, _, _ in results))):
        show("passed" if good else "failed", test["name"], "" if good else test["result"])


def show_details(lines):
    """The YAML block after each line of a failed test that is not a group of tests."""
    block = None
    for line in lines:
        if re.match(r" *not ok ", line):
            block = [line]
        elif block:
            block.append(line)
        if block and line.strip() == "...":
            if not any("subtestsFailed" in part for part in block):
                sys.stdout.writelines(block[:DETAILS_MAX])
            block = None


def main():
    kind, path, *excuses = sys.argv[1:]
    if kind == "details":
        return show_details(open(path, encoding="utf-8", errors="replace"))
    for file in excuses:
        read_excuses(file)
    for line in open(path, encoding="utf-8", errors="replace"):
        if kind == "meson":
            of_program(json.loads(line))
        elif (result := of_line(line)) and not result[1].endswith(".test.mjs"):
            show(*result)


main()
