"""How many lines of each folder of src have been run: coverage.py TOP BUILD, after tests ran in BUILD."""
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


def main():
    top, build = (Path(p).resolve() for p in sys.argv[1:])
    objects = sorted(build.glob("src/**/*.gcno"))
    runs = defaultdict(int)
    for at in range(0, len(objects), AT_ONCE):
        for name, line, count in lines_of(objects[at:at + AT_ONCE], build):
            runs[(build / name).resolve(), line] += count
    folders = defaultdict(lambda: [0, 0])
    for (path, _), count in runs.items():
        if path.is_relative_to(top / "src"):
            for key in (str(path.parent.relative_to(top)), "src"):
                folders[key][0] += 1
                folders[key][1] += count > 0
    width = max(map(len, folders))
    print(f"{'folder':{width}}   lines     run  share")
    for folder, (lines, reached) in sorted(folders.items()):
        print(f"{folder:{width}}  {lines:6}  {reached:6}  {100 * reached / lines:4.1f}%")


main()
