"""Two builds of vaultd compared, in turns: instructions (callgrind), which do not depend on what else
the machine does, and CPU time. bench/run --compare REV calls it; on its own:

    compare.py NOW THEN [--quick] [--tap]     two build folders; --quick: 1,000 notes, instructions alone

Prints a table, or with --tap what ./test reads. The ratio is now divided by then, the spread the lowest
and the highest of all turns. Fails if instructions are above LIMIT times those of then.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 1.15
QUICK, TAP = "--quick" in sys.argv, "--tap" in sys.argv
NOTES = 1000 if QUICK else 10000
TURNS = 2 if QUICK else 5
LINKS = 50
ASKED = 100  # times each question

QUESTIONS = (
    ("vault_search", {"query": "line", "mode": "text"}),
    ("vault_search", {"query": "project review"}),
    ("vault_links", {"direction": "unresolved"}),
    ("vault_query", {"sort": ["-file.modified"], "limit": 20}),
    ("vault_info", {}),
)


class Side:
    """A build, with a vault and a state folder of its own."""

    def __init__(self, build, vault, scratch):
        self.build, self.vault, self.state = Path(build), f"{scratch}/vault", f"{scratch}/state"
        shutil.copytree(vault, self.vault)
        os.mkdir(self.state, 0o700)

    def program(self, name, *words):
        return [str(self.build / name), *(word.format(vault=self.vault, state=self.state) for word in words)]

    def run(self, *words, asked=None):
        done = subprocess.run(words, input=asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        shutil.rmtree(f"{self.vault}/Bench", ignore_errors=True)
        shutil.rmtree(f"{self.vault}/Bench moved", ignore_errors=True)
        if done.returncode != 0:
            sys.exit(f"compare: {' '.join(words)} failed:\n{done.stderr[-2000:]}")
        return done

    def instructions(self, command, asked=None):
        said = self.run("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command, asked=asked)
        return int(re.search(r"Collected : (\d+)", said.stderr)[1])

    def cpu_ms(self, command, _asked=None):
        return json.loads(self.run(*command).stdout)["cpu_ms"]


def requests():
    """What a client sends over stdio: each question so many times."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    calls = [("initialize", client)] + [("tools/call", {"name": name, "arguments": arguments})
                                        for name, arguments in QUESTIONS for _ in range(ASKED)]
    return "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": params}) + "\n"
                   for i, (method, params) in enumerate(calls))


def rows():
    """Label, how it is measured, the program and its arguments, what it is sent."""
    vault, restart = "bench/bench_vault", ("restart", "{vault}", "1", "{state}")
    yield "first scan", Side.instructions, vault, ("scan", "{vault}", "1"), None
    yield "restart", Side.instructions, vault, restart, None
    yield f"rename with {LINKS} links, 10 times", Side.instructions, "bench/bench_change", (
        "rename", "{vault}", "{state}", str(LINKS)), None
    yield f"{len(QUESTIONS) * ASKED} questions", Side.instructions, "src/app/vaultd", (
        "serve", "--stdio", "--vault-path", "{vault}", "--state-dir", "{state}", "--sandbox", "off"), requests()
    if not QUICK:
        yield "first scan", Side.cpu_ms, vault, ("scan", "{vault}", "1"), None
        yield "restart", Side.cpu_ms, vault, restart, None


def compare(sides, number, row):
    """True if it is within the limit."""
    label, measure, program, words, asked = row
    print(f"measuring {label} ...", file=sys.stderr, flush=True)
    for side in sides:  # the first run makes and stores the index
        if "restart" in words or asked:
            side.run(*side.program(program, *words), asked=asked)
    turns = [[measure(side, side.program(program, *words), asked) for side in sides] for _ in range(TURNS)]
    ratios = [now / then for now, then in turns]
    now, then = (statistics.median(turn[i] for turn in turns) for i in (0, 1))
    counts = measure is Side.instructions
    unit, scale = ("M instructions", 1e6) if counts else ("ms CPU time", 1)
    ratio = statistics.median(ratios)
    within = not counts or ratio <= LIMIT
    if TAP:
        print(f"{'' if within else 'not '}ok {number} - {label}: {ratio:.3f} times the {unit.split(' ', 1)[1]}", flush=True)
    else:
        print(f"| {label} | {now / scale:,.1f} {unit} | {then / scale:,.1f} | {ratio:.3f}× |"
              f" {min(ratios):.3f}–{max(ratios):.3f} |", flush=True)
    return within


def main():
    builds = [word for word in sys.argv[1:] if not word.startswith("--")]
    with tempfile.TemporaryDirectory(prefix="vaultd-compare-") as scratch:
        subprocess.run([f"{builds[0]}/bench/vault_gen", f"{scratch}/vault", str(NOTES)], check=True,
                       stdout=subprocess.DEVNULL)
        sides = []
        for name, build in zip(("now", "then"), builds):
            os.mkdir(f"{scratch}/{name}")
            sides.append(Side(build, f"{scratch}/vault", f"{scratch}/{name}"))
        measured = list(rows())
        print(f"1..{len(measured)}" if TAP else
              "| what | now | then | ratio | spread |\n| --- | ---: | ---: | ---: | ---: |", flush=True)
        within = [compare(sides, i, row) for i, row in enumerate(measured, 1)]
    if not all(within):
        sys.exit(f"compare: more than {LIMIT}× the instructions")


if __name__ == "__main__":
    main()
