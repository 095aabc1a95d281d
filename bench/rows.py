"""The rows of the table, and how both sides of a row are measured. Used by measure.py, goals.py."""
import json
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

BUILD = Path(sys.argv[1])
QUICK = "--quick" in sys.argv

VAULTD = str(BUILD / "src/app/vaultd")

rows = []


def tool(name):
    return str(BUILD / "bench" / name)


def progress(what):
    print(f"measuring {what} ...", file=sys.stderr, flush=True)


def call(name, **arguments):
    params = json.dumps({"name": name, "arguments": arguments})
    return f'"method":"tools/call","params":{params}'


def number(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def add(what, ours, other, ratio=None, goal=None, met=None):
    """Everything but the ratio is text. A row without a goal is for information only."""
    rows.append([what, ours, other, "–" if ratio is None else f"{ratio:.2f}×",
                 goal or "–", "–" if met is None else "yes" if met else "**no**"])


def compare_best(what, unit, ours, floor, name, at_most):
    """The fastest of both sides: a floor is the best of several rounds by itself."""
    ratio = min(ours) / min(floor)
    add(what, f"{number(min(ours))} {unit}", f"{number(min(floor))} {unit} ({name})", ratio,
        f"≤ {at_most}×", ratio <= at_most)


def compare(what, unit, ours, other, name, at_most=None, at_least=None):
    """Two lists of samples, taken in turns. The ratio is the median of the ratios of each turn."""
    ratio = statistics.median(a / b for a, b in zip(ours, other))
    goal = met = None
    if at_most:
        goal, met = f"≤ {at_most}×", ratio <= at_most
    if at_least:
        goal, met = f"≥ {at_least}×", ratio >= at_least
    add(what, f"{number(statistics.median(ours))} {unit}",
        f"{number(statistics.median(other))} {unit} ({name})", ratio, goal, met)


def run_turns(program, options, commands):
    """Samples by label and key, in turn order."""
    words = [tool(program), *options]
    for i, command in enumerate(commands):
        words += ["--"] * (i > 0) + command
    out = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    samples = defaultdict(lambda: defaultdict(list))
    for line in out.splitlines():
        turn = json.loads(line)
        for key, value in turn.items():
            samples[turn["label"]][key].append(value)
    return samples


def one(*words):
    """The line of JSON that a program prints."""
    out = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(out)


def in_turns(ours, other, rounds):
    """What two commands print, taking turns."""
    turns = [(one(*ours), one(*other)) for _ in range(rounds)]
    return [[turn[i] for turn in turns] for i in (0, 1)]


def of(said, key):
    return [line[key] for line in said]


def serve(vault, state, *options):
    return [VAULTD, "serve", "--stdio", "--vault-path", vault, "--state-dir", state, *options]


def print_table():
    print("| what | ours | other | ratio | goal | met |")
    print("| --- | ---: | ---: | ---: | ---: | --- |")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def print_growth():
    """The rows with goals again, as they are in bench/README.md: both sizes in one line."""
    sizes, lines = ("10,000 notes, ", "100,000 notes, "), {}
    for what, ours, _, ratio, goal, met in rows:
        for i, size in enumerate(sizes):
            if what.startswith(size) and met != "–":
                cells = lines.setdefault(what[len(size):], [""] * 6)
                cells[3 * i:3 * i + 3] = [ratio if goal.endswith("×") else ours, goal, met]
    print("\n| row | 10,000 | goal | met | 100,000 | goal | met |")
    print("| --- | ---: | ---: | --- | ---: | ---: | --- |")
    for what, cells in lines.items():
        print("| " + " | ".join([what, *cells]) + " |")
