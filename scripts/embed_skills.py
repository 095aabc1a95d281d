"""The skills as C: embed_skills.py OUT FILE.md… writes SKILL_NAME_ABOUT, what a skill is for, and
SKILL_NAME_TEXT, what is behind its frontmatter."""
import json
import re
import sys
from pathlib import Path


def literal(text):
    """One C string per line; JSON's escapes of ASCII are C's, and the rest stays UTF-8."""
    lines = text.splitlines(keepends=True)
    return "\n".join(f"    {json.dumps(line, ensure_ascii=False)}" for line in lines)


def embed(path):
    front, body = re.fullmatch(r"---\n(.*?)\n---\n\n(.*)", path.read_text(encoding="utf-8"), re.S).groups()
    about = re.search(r"^description: (.*)$", front, re.M).group(1)
    name = path.stem.upper()
    return (f"static const char SKILL_{name}_ABOUT[] =\n{literal(about)};\n\n"
            f"static const char SKILL_{name}_TEXT[] =\n{literal(body)};\n")


out, *skills = map(Path, sys.argv[1:])
out.write_text("#pragma once\n\n" + "\n".join(map(embed, skills)), encoding="utf-8")
