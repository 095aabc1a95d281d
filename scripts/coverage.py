"""How many lines of each folder of src have been run: coverage.py TOP BUILD [FOLDER], after tests ran in BUILD.

With a folder, such as src/app, each file below it, those with most lines that have not been run first, and which these are."""
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

AT_ONCE = 50


def lines_of(objects, build):
    """(file, line, how often) as gcov reports them for some objects."""
    out = subprocess.run(["gcov", "--json-format", "--stdout", *objects], cwd=build, capture_output=True, check=True).stdout
    for text in out.splitlines():
        for file in json.loads(text)["files"]:
            for line in file["lines"]:
                yield file["file"], line["line_number"], line["count"]


def read_runs(top, build, below):
    """How often each line of a source file was run, by (path from the top, line)."""
    objects = sorted(build.glob("src/**/*.gcno"))
    runs = defaultdict(int)
    for at in range(0, len(objects), AT_ONCE):
        for name, line, count in lines_of(objects[at:at + AT_ONCE], build):
            runs[(build / name).resolve(), line] += count
    return {(path.relative_to(top), line): count for (path, line), count in runs.items() if path.is_relative_to(top / below)}


def print_folders(runs):
    folders = defaultdict(lambda: [0, 0])
    for (path, _), count in runs.items():
        for key in (str(path.parent), "src"):
            folders[key][0] += 1
            folders[key][1] += count > 0
    width = max(map(len, folders))
    print(f"{'folder':{width}}   lines     run  share")
    for folder, (lines, reached) in sorted(folders.items()):
        print(f"{folder:{width}}  {lines:6}  {reached:6}  {100 * reached / lines:4.1f}%")


def join_ranges(lines):
    """1 2 3 7 as 1-3,7."""
    ranges = []
    for line in sorted(lines):
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)


def print_files(runs):
    files = defaultdict(lambda: (set(), set()))
    for (path, line), count in runs.items():
        files[str(path)][count > 0].add(line)
    for path, (missed, reached) in sorted(files.items(), key=lambda f: -len(f[1][0])):
        lines = len(missed) + len(reached)
        print(f"{path}  {lines} lines  {100 * len(reached) / lines:.0f}%  not run: {join_ranges(missed)}")


def main():
    top, build = (Path(p).resolve() for p in sys.argv[1:3])
    if len(sys.argv) > 3:
        print_files(read_runs(top, build, sys.argv[3]))
    else:
        print_folders(read_runs(top, build, "src"))


main()
