"""Embed a text file in C: embed.py NAME IN OUT writes static const char NAME[], one literal per line.

A line "//= FILE" is replaced by the file of that name next to IN.
"""
import json
import sys
from pathlib import Path

name, source, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])


def lines_of(path: Path) -> list[str]:
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        lines += lines_of(path.parent / line[4:].strip()) if line.startswith("//= ") else [line]
    return lines


# JSON escapes ASCII as C does, and everything else stays UTF-8
literals = "\n".join(f"    {json.dumps(line, ensure_ascii=False)}" for line in lines_of(source))
out.write_text(f"#pragma once\n\nstatic const char {name}[] =\n{literals};\n", encoding="utf-8")
