"""Rules of the house that no compiler checks. Prints TAP; run as lint.py ROOT BUILD."""
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT, BUILD = Path(sys.argv[1]), Path(sys.argv[2])

# Who may include whom (ARCHITECTURE.md; S1-94). A folder may always include itself.
MAY_USE = {
    "base": set(),
    "vault": {"base"},
    "http": {"base"},
    "sync": {"base", "vault"},
    "oauth": {"base", "http"},
    "mcp": {"base", "http"},
    "app": {"base", "vault", "http", "oauth", "mcp", "sync"},
}

# A library's header is included where the library is wrapped, and nowhere else.
WRAPPED = {
    r"uv\.h": {"src/http/connection.h"},
    r"llhttp\.h": {"src/http/parse.c"},
    r"utf8proc\.h": {"src/base/utf8.c"},
    r"xxhash\.h": {"src/base/hash.c"},
    r"openssl/.*": {"src/base/hash.c", "src/oauth/es256.c"},
    r"sqlite3\.h": {"src/oauth/store.c"},
    r"crypt\.h": {"src/oauth/bcrypt.c"},
    r"pcre2\.h": {"src/vault/regex.c"},
    r"yaml\.h": {"src/vault/yaml_tree.c"},
}

# Parts of a module that is tested as a whole, and what has nothing to test.
TESTED_WITH = {"config_jsonc", "config_toml", "fs_place", "fs_secret", "fs_walk", "options_help",
               "rand", "sandbox_calls", "toml", "toml_scalar"}

LINES_MAX = 600
results = []


def check(name, problems):
    results.append((name, list(problems)))


def tracked(*patterns):
    out = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", *patterns],
                         capture_output=True, text=True, check=False)
    if out.returncode != 0:  # an unpacked archive
        return [p for pattern in patterns for p in ROOT.rglob(pattern.removeprefix(":/"))]
    return [ROOT / p for p in out.stdout.splitlines() if (ROOT / p).is_file()]


SOURCES = [p for p in tracked("*.c", "*.h")]
OURS = [p for p in SOURCES if p.relative_to(ROOT).parts[0] == "src"]


def includes(path):
    text = path.read_text()
    return re.findall(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', text, re.M)


def wrong_direction():
    for path in OURS:
        folder = path.relative_to(ROOT / "src").parts[0]
        for kind, name in includes(path):
            target = name.split("/")[0]
            if kind == '"' and "/" not in name:
                yield f"{path}: \"{name}\" must be named from src/"
            elif kind == '"' and target != folder and target not in MAY_USE[folder]:
                yield f"{path}: {folder} may not use {name}"


def unwrapped():
    for path in OURS:
        for kind, name in includes(path):
            for pattern, homes in WRAPPED.items():
                if re.fullmatch(pattern, name) and str(path.relative_to(ROOT)) not in homes:
                    yield f"{path}: <{name}> is included only by {', '.join(sorted(homes))}"


def bad_headers():
    for path in OURS:
        text = path.read_text()
        if path.suffix == ".h" and "#pragma once" not in text:
            yield f"{path}: no #pragma once"
        if path.suffix == ".h" and not text.startswith("/*"):
            yield f"{path}: a header begins by saying what it is"


def too_long():
    for path in OURS:
        n = path.read_text().count("\n")
        if n > LINES_MAX:
            yield f"{path}: {n} lines, at most {LINES_MAX}"


def unfinished():
    mark = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|\.\./shared")
    this = Path(__file__).resolve()
    for path in tracked("*.c", "*.h", "*.mjs", "*.py", "*.sh", "*.md", "meson.build", "run", "test"):
        if path.resolve() == this or "examples/" in str(path):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if mark.search(line):
                yield f"{path}:{number}: {line.strip()}"


def no_test():
    for path in OURS:
        parts = path.relative_to(ROOT / "src")
        if path.suffix == ".c" and parts.parts[0] == "base" and parts.stem not in TESTED_WITH:
            if not (ROOT / "tests/unit" / parts.parent / f"test_{parts.stem}.c").exists():
                yield f"{path}: no tests/unit/{parts.parent}/test_{parts.stem}.c"


def misformatted():
    tool = next((t for t in ("clang-format-14", "clang-format") if have(t)), None)
    for path in SOURCES:
        run = subprocess.run([tool, "--dry-run", "-Werror", path], capture_output=True, check=False)
        if run.returncode != 0:
            yield f"{path}: not as clang-format would have it"


def have(tool):
    return subprocess.run(["sh", "-c", f"command -v {tool}"], capture_output=True,
                          check=False).returncode == 0


# Fifty times slower than all others together: with ./test --full only.
DEEP = ["--checks=clang-analyzer-deadcode.*"] if os.environ.get("LINT_DEEP") else []


def tidy_one(path):
    run = subprocess.run(["clang-tidy-14", "-p", BUILD, "--quiet", *DEEP, path], capture_output=True,
                         text=True, check=False)
    return [] if run.returncode == 0 else run.stdout.splitlines()[:20]


def untidy():
    known = {entry["file"] for entry in json.loads((BUILD / "compile_commands.json").read_text())}
    known = {os.path.realpath(os.path.join(BUILD, f)) for f in known}
    files = [p for p in OURS if p.suffix == ".c" and os.path.realpath(p) in known]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for problems in pool.map(tidy_one, files):
            yield from problems


check("includes point down only", wrong_direction())
check("libraries are wrapped in one place", unwrapped())
check("headers are contracts", bad_headers())
check("no file is feared", too_long())
check("nothing is left unfinished", unfinished())
check("base modules have their tests", no_test())
check("clang-format agrees", misformatted())
check("clang-tidy agrees", untidy())

print(f"1..{len(results)}")
for number, (name, problems) in enumerate(results, 1):
    print("not ok" if problems else "ok", number, "-", name)
    for problem in problems:
        print("#", problem)
sys.exit(any(problems for _, problems in results))
