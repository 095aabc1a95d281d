"""Rules of the house that no compiler checks. Prints TAP; run as lint.py ROOT BUILD."""
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT, BUILD = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()


def have(tool):
    return subprocess.run(["sh", "-c", f"command -v {tool}"], capture_output=True, check=False).returncode == 0


def newest(name):
    """The tool of Debian 12, or the one that this system has."""
    return next((t for t in (f"{name}-14", name, *(f"{name}-{n}" for n in range(30, 14, -1))) if have(t)), name)


CLANG, TIDY, FORMAT = newest("clang"), newest("clang-tidy"), "clang-format-14"

# Rooms in the order of use: each may include itself and those it names, with all that they
# may (ARCHITECTURE.md). The build links them by the same list (meson.build).
USES = {
    "base": [],
    "vault/text": ["base"],
    "vault/note": ["vault/text"],
    "vault/forms": ["vault/note"],
    "vault/index": ["vault/forms"],
    "vault/meaning": ["vault/index"],
    "vault/eval": ["vault/index"],
    "vault/dql": ["vault/eval"],
    "vault/ask": ["vault/dql", "vault/meaning"],
    "vault/change": ["vault/ask"],
    "vault": ["vault/change"],
    "http": ["base"],
    "sync": ["vault"],
    "fetch": ["base"],
    "pdf": ["base"],
    "picture": ["base"],
    "oauth/proof": ["base"],
    "state": ["base"],
    "replica": ["state"],
    "oauth": ["fetch", "http", "oauth/proof", "replica"],
    "mcp": ["http"],
    "app/setup": ["vault", "mcp", "sync", "pdf", "fetch", "replica"],
    "app/answers": ["vault"],
    "app/tool_support": ["app/setup", "app/answers"],
    "app/tools": ["app/tool_support", "picture"],
    "app/catalog": ["app/tools"],
    "app/web": ["app/catalog", "oauth"],
    "app/cli": ["app/web"],
    "app/doctor": ["app/cli"],
    "app": ["app/doctor"],
}
FILES_MAX = 70  # in one folder

# A library's header is included where the library is wrapped, and nowhere else.
WRAPPED = {
    r"uv\.h": {"src/http/connection.h", "src/base/os/uv/watcher.c"},
    r"llhttp\.h": {"src/http/parse.c"},
    r"utf8proc\.h": {"src/base/utf8.c"},
    r"libstemmer\.h": {"src/vault/text/stem.c"},
    r"xxhash\.h": {"src/base/hash.c"},
    r"openssl/.*": {"src/base/hash.c", "src/oauth/proof/es256.c", "src/oauth/proof/seal.c"},
    r"libpq-fe\.h": {"src/state/postgres_lib.h"},
    r"sqlite3\.h": {"src/state/store_sqlite.c"},
    r"crypt\.h": {"src/oauth/proof/bcrypt.c"},
    r"pcre2\.h": {"src/vault/text/regex.c"},
    r"yaml\.h": {"src/vault/note/yaml_tree.c"},
    r"pthread\.h": {"src/base/os/posix/native.h"},
    r"dlfcn\.h": {"src/base/os/posix/library.c"},
}

# What a system may do in its own way is asked of it below src/base/os, and nowhere else.
OF_A_SYSTEM = re.compile(r"(arpa|linux|net|netinet|sys)/.*|"
                         r"(dirent|dlfcn|elf|fcntl|grp|link|netdb|poll|pthread|pwd|sched|signal|spawn|termios|unistd)\.h")

# What differs between C libraries, or lacks in some: base/sort.h, base/clock.h and base/os have it for all systems.
OF_A_LIBRARY = re.compile(r"\b(aligned_alloc|getenv|getline|gmtime_r|lgamma_r|localtime_r|memmem|mktime|qsort|qsort_r|realpath|setenv|"
                          r"strftime|strptime|timegm|unsetenv)\(")

# Parts of a module that is tested as a whole, and what has nothing to test.
TESTED_WITH = {"arguments", "bell", "child_copy", "child_environment", "child_spawn", "child_start", "clock_boot",
               "console", "failure", "fd", "file_attributes", "file_beneath", "file_born", "file_lock", "file_path",
               "file_rename", "file_rename_wine", "file_renumber", "file_stat", "file_symlink", "file_sync",
               "fs_case", "fs_place", "fs_secret", "fs_walk", "heap", "library_own", "machine_folders",
               "machine_program", "machine_skill", "machine_system", "machine_use", "memory_lease", "net_address",
               "net_own", "nt", "nt_name", "options_help", "pipe_open", "pump", "rand", "sandbox_calls", "self_own",
               "signal_queue", "stop_event", "thread_own", "thread_wait", "token", "watcher_own", "wide"}

# Modules that use each other, headers and .c files taken together. Where it is one machine in
# several files (a server and its connections, a note and its scanner), that is its nature.
MUTUAL = [
    {"base/arena", "base/err"},  # memory that runs out is a BUG()
    {"base/lock", "base/log"},  # the log has a lock, and a loop that waits is logged
    {"http/connection", "http/server"},
    {"vault/note/note", "vault/note/scan"},
    # yaml_tree obeys the limits of a block, and a scalar from JSON is read as YAML would read it
    {"vault/note/frontmatter", "vault/note/prop", "vault/note/yaml"},
    {"vault/eval/dialect", "vault/eval/value"},  # values compare as a dialect says
    {"vault/eval/eval", "vault/eval/function"},  # expressions call functions that evaluate expressions
    {"oauth/auth", "oauth/browser", "oauth/upstream"},  # a sign-in that leaves for a provider and comes back
    {"mcp/peers", "mcp/task"},  # a task is stored for other processes, which send messages to it
]

# Called by tests alone: windows on what must hold (memory that is bounded, what is watched), and what the conformance
# suites expect of a server and tests/fixture cannot have of its own: mcp_ask and mcp_elicit are mcp_confirm for any
# question, mcp_log needs the level that a client has set, mcp_link what the client's revision knows.
FOR_TESTS = {"auth_flows_count", "watch_folders", "words_count", "hub_forget_idle", "mcp_ask", "mcp_elicit", "mcp_link", "mcp_log"}

# Struct tags that every tool or command may define for itself, and those that several files still define, each with a
# meaning of its own. No other tag has two: a reader who searches for one finds one.
TAGS_OF_ROWS = {"args", "options"}
TAGS_TWICE = {"cache_entry", "copy", "dialect", "lookup", "reading", "row"}

# What reads without a caller's view, and the rooms that answer callers.
WITHOUT_VIEW = r"\b(vault_root|vault_whole|fs_root_open|app_names)\s*\(|\bserved->vault\b|\bapp->vaults\[[^]]*\]\.vault\b"
ANSWERING = ("app/answers", "app/tool_support", "app/tools")

# What takes or gives lines of notes, and what would find them in another way than base/text.h. Exceptions are texts
# that are not notes, and what knows a line break as bytes and takes no line number from it.
OF_NOTES = ("app/answers", "app/tool_support", "app/tools", "app/catalog", "vault/")
OWN_LINES = (r"[!=]= '\\n'|'\\n' [!=]=|(str_next|str_find_char|str_find_last|str_split|memchr|bytes_find_last)\([^;]*'\\n'|"
             r"str_find\([^;]*STR\(\"(\\r)?\\n\"\)")
OTHER_LINES = {
    "app/answers/reading.c": "the size of a character in JSON",
    "app/answers/term.c": "a diff, and control characters of a terminal",
    "vault/access.c": "rules of a grant",
    "vault/change/journal.c": "records of the journal",
    "vault/change/journal_record.c": "records of the journal",
    "vault/change/journal_segments.c": "records of the journal",
    "vault/feed.c": "entries of the feed",
    "vault/change/proposal.c": "the first line of a record",
    "vault/change/rename_quote.c": "YAML, where a line ends with LF or CRLF",
    "vault/eval/bases_lex.c": "an expression",
    "vault/forms/board.c": "boards with a lone CR are refused there",
    "vault/forms/board_edit.c": "boards with a lone CR are refused",
    "vault/forms/inline.c": "CRLF as one break",
    "vault/forms/templater.c": "<%- removes one break",
    "vault/index/titles.c": "names, which are folded",
    "vault/index/words_split.h": "spaces between words",
    "vault/meaning/tokens.c": "spaces between tokens",
    "vault/note/edit_lines.c": "which breaks a text has",
    "vault/note/edit_regex.c": "lines of rg, with the numbers of base/text.h",
    "vault/note/edit_replace.c": "LF and CRLF are equal in old_text",
    "vault/note/edit_tolerant.c": "a text in which every break is LF",
    "vault/note/frontmatter_simple.c": "YAML, where a line ends with LF or CRLF",
    "vault/note/frontmatter_splice.c": "YAML, where a line ends with LF or CRLF",
    "vault/note/merge.c": "which breaks a text has",
    "vault/note/merge_frontmatter.c": "YAML; a block with a lone CR is merged as lines",
    "vault/note/policy.c": "the block of properties, as note.c finds it",
    "vault/note/scan_block.c": "the scanner: CRLF as one break",
    "vault/note/scan_marks.c": "the scanner: all breaks of 64 bytes at once",
    "vault/note/yaml_dump.c": "YAML that is written, always with LF",
    "vault/note/yaml_emit.c": "YAML that is written, always with LF",
    "vault/note/yaml_tree.c": "YAML, where a line ends with LF or CRLF",
    "vault/ops_new.c": "whether a text begins with a break",
    "vault/text/regex.c": "characters of a pattern",
    "vault/text/regex_atom.c": "characters of a pattern",
    "vault/text/regex_lex.c": "comments of a pattern",
    "vault/text/regex_lines.c": "lines of the engine, which gets LF for each lone CR",
    "vault/text/textscan.c": "breaks that become spaces",
    "vault/text/visible.c": "characters that are shown as they are",
    "vault/text/yaml_text.c": "YAML that is written, always with LF",
}

LINES_MAX = 600
results = []
reports = {}
skips = {}  # why a check is not made here


def check(name, problems):
    results.append((name, list(problems)))


def report(name, problems):
    """A limit that would shape the code if it were enforced: it is shown, and fails nothing."""
    reports[name] = list(problems)
    check(name, [])


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


def room_of(name):
    """Of a path below src: the longest room that it is in."""
    parts = name.split("/")[:-1]
    while parts and "/".join(parts) not in USES:
        parts.pop()
    return "/".join(parts)


def reach(room):
    return {room}.union(*map(reach, USES[room]))


def wrong_direction():
    for path in OURS:
        room = room_of(str(path.relative_to(ROOT / "src")))
        for kind, name in includes(path):
            if kind == '"' and "/" not in name:
                yield f"{path}: \"{name}\" must be named from src/"
            elif kind == '"' and room_of(name) not in reach(room):
                yield f"{path}: {room} may not use {name}"


def crowded():
    folders = {}
    for path in OURS:
        folders.setdefault(path.parent, []).append(path)
    for folder, files in folders.items():
        if len(files) > FILES_MAX:
            yield f"{folder}: {len(files)} files, at most {FILES_MAX}"


def module(name):
    """vault/note/frontmatter_edit.c belongs to vault/note/frontmatter."""
    return re.sub(r"(_\w*)?\.[ch]$", "", name)


def cycles(files):
    """Modules of these files that include each other in a circle."""
    uses = {}
    for path in files:
        name = module(str(path.relative_to(ROOT / "src")))
        uses.setdefault(name, set()).update(
            {module(n) for kind, n in includes(path) if kind == '"'} - {name})
    done = set()

    def visit(name, trail):
        if name in trail:
            yield trail[trail.index(name):]
        elif name not in done:
            for used in sorted(uses.get(name, ())):
                yield from visit(used, trail + [name])
            done.add(name)

    for name in sorted(uses):
        yield from visit(name, [])


def header_cycles():
    """Also by way of their modules' parts."""
    for circle in cycles(p for p in OURS if p.suffix == ".h"):
        yield " -> ".join(circle + circle[:1])


def module_cycles():
    for circle in cycles(OURS):
        if not any(set(circle) <= known for known in MUTUAL):
            yield " -> ".join(circle + circle[:1])


@functools.cache
def symbols():
    """By source file: what its object defines, and what it takes from elsewhere."""
    objects = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        source = Path(os.path.realpath(BUILD / entry["file"]))
        if source.suffix == ".c" and source.is_relative_to(ROOT / "src"):
            objects[entry["output"]] = source
    out = subprocess.run(["nm", *objects], cwd=BUILD, capture_output=True, text=True, check=True).stdout
    table = []
    for block in out.split("\n\n"):
        name, *lines = block.strip().splitlines()
        words = [line.split()[-2:] for line in lines]
        table.append((objects[name.rstrip(":")], {n for t, n in words if t in "TDBRC"}, {n for t, n in words if t == "U"}))
    return table


def called_by_nobody():
    """What has a name for other files and no caller in src, not even in its own."""
    table = symbols()
    used = FOR_TESTS.union({"main"}, *(names for _, _, names in table))
    for source, defined, _ in table:
        text = source.read_text()
        for name in sorted(defined - used):
            if not name.startswith("_") and len(re.findall(rf"\b{name}\b", text)) < 2:
                yield f"{source}: {name} is not called"


def declared():
    """Which header declares a name."""
    homes = {}
    for path in OURS:
        if path.suffix == ".h":
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            listed = re.findall(r"\bX\((\w+),", text)  # STORE_DECLARE
            text = re.sub(r"#define(?:.*\\\n)*.*", "", text)
            for name in listed + re.findall(r"\b(\w+)\s*[(;,\[]", text):
                homes.setdefault(name, set()).add(str(path.relative_to(ROOT / "src")))
    return homes


def untold_includes():
    """A .c includes the header of what it calls; base and its own module's excepted."""
    table, homes = symbols(), declared()
    ours = set().union(*(defined for _, defined, _ in table))
    for source, _, used in table:
        name = str(source.relative_to(ROOT / "src"))
        given = {n for kind, n in includes(source) if kind == '"'}
        for symbol in sorted(used & ours):
            headers = homes.get(symbol, set())
            if not headers:
                yield f"{source}: {symbol} is declared by no header"
            elif not any(h in given or h.startswith("base/") or module(h) == module(name)
                         for h in headers):
                yield f"{source}: calls {symbol}, include {' or '.join(sorted(headers))}"


def unwrapped():
    for path in OURS:
        for kind, name in includes(path):
            for pattern, homes in WRAPPED.items():
                if re.fullmatch(pattern, name) and str(path.relative_to(ROOT)) not in homes:
                    yield f"{path}: <{name}> is included only by {', '.join(sorted(homes))}"


def around_the_wall():
    for path in OURS:
        name = str(path.relative_to(ROOT))
        if name.startswith("src/base/os/"):
            continue
        found = [n for kind, n in includes(path) if kind == "<" and OF_A_SYSTEM.fullmatch(n)]
        yield from (f"{name}: <{n}> is included only below src/base/os" for n in found)
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        yield from (f"{name}: {n}() is called only below src/base/os" for n in OF_A_LIBRARY.findall(text))


def around_the_view():
    for path in OURS:
        if not str(path.relative_to(ROOT / "src")).startswith(ANSWERING):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(WITHOUT_VIEW, line):
                yield f"{path}:{number}: read through tool_vault(), the caller's view"


def second_lines():
    for path in OURS:
        name = str(path.relative_to(ROOT / "src"))
        if not name.startswith(OF_NOTES) or name in OTHER_LINES:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(OWN_LINES, line):
                yield f"{path}:{number}: lines of a note come from base/text.h (a lone CR ends one, too)"


# Loops over all files are made with index_next() and index_next_by_path(), which take a stop.
ASKING = ("vault/ask/", "vault/eval/", "vault/dql/")
ALL_FILES = r"for \(file_id \w+ = 0;.*<.*->n\b|for \(size_t \w+ = 0;.*index_nth\("


def loops_without_stop():
    for path in OURS:
        if not str(path.relative_to(ROOT / "src")).startswith(ASKING):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(ALL_FILES, line):
                yield f"{path}:{number}: loop over files with index_next() and a stop"


# Rooms that know texts and an index of them, and no disk: but for the stored index and the settings of Obsidian.
NO_DISK = ("vault/text/", "vault/note/", "vault/forms/", "vault/index/", "vault/eval/", "vault/dql/", "vault/ask/", "vault/change/rename")
NO_DISK_BUT = ("vault/index/snapshot", "vault/note/obsidian.c")
DISK = re.compile(r"base/(fs\w*|process|spawn|net|os/\w+/(file|folder|child|pipe)\w*)\.c")


def around_the_vault():
    table = [(str(source.relative_to(ROOT / "src")), defined, used) for source, defined, used in symbols()]
    slow = set().union(*(defined for source, defined, _ in table if DISK.fullmatch(source)))
    for source, _, used in table:
        if source.startswith(NO_DISK) and not source.startswith(NO_DISK_BUT):
            for name in sorted(used & slow):
                yield f"src/{source}: calls {name}, but its room has no disk"


# Locks have ranks (base/lock.h), which is made of what has none. The latter still have some.
UNRANKED = ("base/os/", "base/lock.", "base/timed_lock.",
            "state/store_sqlite.", "replica/replica_vault.")


def locks_without_rank():
    for path in OURS:
        if str(path.relative_to(ROOT / "src")).startswith(UNRANKED):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"\bstruct (?:mutex|rwlock)\b|\b(?:mutex|rwlock)_\w+\(|\bcond_wait\w*\(", line):
                yield f"{path}:{number}: use a struct lock with a rank (base/lock.h)"


# A function in a row is called; what the row is, says a flag in it.
BY_FUNCTION = r"(?:->|\.)(?:run|call|read|app|steps|hear|print|make)\b\s*[!=]= ?&?(?!NULL\b)[a-z_]"


def rows_by_function():
    for path in OURS:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(BY_FUNCTION, line):
                yield f"{path}:{number}: tell rows apart by a flag, not by their function"


def names_of_tools():
    """What a caller is told to use depends on the caller: err_remedy() says it below the app."""
    tools = "|".join(p.stem for p in OURS if p.match("src/app/tools/vault_*.c"))
    for path in OURS:
        if path.is_relative_to(ROOT / "src/vault") or path.is_relative_to(ROOT / "src/sync"):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if not line.startswith("#include") and re.search(rf'"[^"]*\b({tools})\b[^"]*"', line):
                    yield f"{path}:{number}: a tool's name is known to the app only"


def bad_headers():
    for path in OURS:
        text = path.read_text()
        if path.suffix == ".h" and "#pragma once" not in text:
            yield f"{path}: no #pragma once"
        if path.suffix == ".h" and not text.startswith("/*"):
            yield f"{path}: a header begins by saying what it is"


NO_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# Parts of one file, which sets what they need first.
FRAGMENTS = {"src/vault/meaning/kernel_body.h", "tests/unit/vault/text/regex_patterns.h"}
# As in meson.build; the values do not matter here.
ALONE = [CLANG, "-fsyntax-only", "-std=gnu17", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-Isrc",
         "-Itests/support", "-DVAULTD_VERSION=\"\"", "-DVAULTD_SANITIZED=0", "-DVAULTD_STATIC=0",
         "-DVAULTD_PORTABLE=0", "-Werror=implicit", "-include"]


def alone(header):
    run = subprocess.run([*ALONE, header, "-xc", "/dev/null"], cwd=ROOT, capture_output=True, text=True, check=False)
    return [] if run.returncode == 0 else run.stderr.splitlines()[:5]


def included_first():
    """Headers that a .c includes before anything else: the build has compiled them alone."""
    for path in SOURCES:
        first = re.search(r'^\s*#\s*(\w+)\s*"([^"]+)"', NO_COMMENT.sub("", path.read_text()), re.M)
        if path.suffix == ".c" and first and first[1] == "include" and "#" not in first.string[:first.start()]:
            yield from (home / first[2] for home in (ROOT / "src", ROOT / "tests/support", path.parent))


def needy_headers():
    """Headers that compile only after others: they break the next file that includes them."""
    known = set(included_first()) | {ROOT / name for name in FRAGMENTS}
    for folder in ["src/base/os/windows", "tests/support/windows"]:  # for another system
        known |= set((ROOT / folder).rglob("*.h"))
    headers = [p for p in SOURCES if p.suffix == ".h" and p not in known]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for problems in pool.map(alone, headers):
            yield from problems


def too_long():
    for path in OURS:
        n = path.read_text().count("\n")
        if n > LINES_MAX:
            yield f"{path}: {n} lines, at most {LINES_MAX}"


# C++ keywords are names in C, but the formatter misreads them, and so do many editors.
FOREIGN = re.compile(r"\b(and|catch|class|delete|explicit|export|friend|mutable|namespace|new|not|nullptr|operator|or|"
                     r"private|protected|public|template|this|throw|try|typeid|typename|using|virtual|xor)\b")
NO_CODE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|^\s*#\s*include[^\n]*""",
                     re.S | re.M)


def foreign_names():
    for path in SOURCES:
        code = NO_CODE.sub(lambda m: "\n" * m[0].count("\n"), path.read_text())
        for number, line in enumerate(code.splitlines(), 1):
            for word in FOREIGN.findall(line):
                yield f"{path}:{number}: '{word}' is a keyword of C++"


def unfinished():
    # In quotes, it is the name of a status of tasks.
    mark = re.compile(r"""(?<!["'\\])\b(TODO|FIXME|XXX|HACK)\b(?!["'\\])|\.\./shared""")
    this = Path(__file__).resolve()
    for path in tracked("*.c", "*.h", "*.mjs", "*.py", "*.sh", "*.md", "meson.build", "run", "test"):
        if path.resolve() == this or "examples/" in str(path):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if mark.search(line):
                yield f"{path}:{number}: {line.strip()}"


# A section of a document that is not in the repository; those of RFCs have their number.
SECTION = re.compile(r"\w\.md,? (§ ?)?\d|§")


def sections_of_nothing():
    for path in tracked("src/*.c", "src/*.h", "tests/*.c", "tests/*.h", "tests/*.mjs", "bench/*.c", "bench/*.py", "scripts/*"):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if SECTION.search(line) and not re.search(r"RFC \d|[\"'`]", line):
                yield f"{path}:{number}: names a section of a document that is not here"


# Files, functions, limits and tests that the tour of the code names: what moves or goes takes its sentence along.
NAMED = re.compile(r"`(?:[^`\n ]*?/)?(?:(?P<name>\w+)\([^`\n]*\)|(?P<limit>[A-Z]+_[A-Z0-9_]+)|(?P<test>test_\w+))`")
NAMED_FILE = re.compile(r"`(?:[^`\n]*[ ,])?([a-z][\w/]*\.(?:c|h|test\.mjs|js|html))\b[^`\n]*`")


def named_but_gone():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    files = {str(p.relative_to(ROOT)) for p in tracked("src/*", "tests/*", "bench/*", "scripts/*")}
    words = set()
    for p in tracked("src/*.c", "src/*.h", "tests/*.c", "tests/*.h", "bench/*.c"):
        words.update(re.findall(r"\w+", p.read_text()))
    for m in NAMED_FILE.finditer(text):
        if not any(f"/{f}".endswith(f"/{m[1]}") for f in files):
            yield f"ARCHITECTURE.md names {m[1]}, which is not here"
    for m in NAMED.finditer(text):
        if m[m.lastgroup] not in words:
            yield f"ARCHITECTURE.md names {m[m.lastgroup]}, which is not here"


# A server answers before its log is written and read: only after its end is the log complete.
LOG_READ = re.compile(r"assert\.match\((\w+)\.stderr\b|\b(\w+)\.stderr\.match\(")
ENDED = re.compile(r"\.(stop|eof|crash|ended|endsCleanly)\b")


def hasty_tests():
    for path in tracked("tests/e2e/*.mjs"):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            found = LOG_READ.search(line)
            name = found and (found[1] or found[2])
            started = name and re.search(rf"\b{name} = (await )?(start\w*|serve)\(", "\n".join(lines))
            if started and not any(ENDED.search(before) for before in lines[max(0, number - 5):number]):
                yield f"{path}:{number}: wait for the line with says(), or stop the server first"


def shared_names():
    """A stack trace, a profile or a search shows the name of a function without its file."""
    homes = {}
    for path in OURS:
        if path.suffix == ".c":
            text = path.read_text().replace("__attribute__((always_inline)) ", "")
            for name in re.findall(r"^static (?:\w+[\s*]+)+?(\w+)\(", text, re.M):
                homes.setdefault(name, set()).add(path.relative_to(ROOT / "src"))
    for name, paths in sorted(homes.items()):
        if len(paths) > 2:
            yield f"{name}() is in {len(paths)} files: say whose it is in src/{', src/'.join(sorted(map(str, paths)))}"


def second_tags():
    homes = {}
    for path in OURS:
        if "os" not in path.parts:  # one body for each system
            for tag in re.findall(r"^struct (\w+) \{", path.read_text(), re.M):
                homes.setdefault(tag, []).append(str(path.relative_to(ROOT)))
    for tag, paths in sorted(homes.items()):
        if len(paths) > 1 and tag not in TAGS_OF_ROWS | TAGS_TWICE:
            yield f"struct {tag} is defined in {', '.join(sorted(paths))}: give each a name of its own"


def second_copies():
    """Names and addresses of the project are in one file, and every @NAME@ in packages is one of them."""
    conf = ROOT / "packaging/project.conf"
    values = dict(re.findall(r"^([A-Z_]+)=(.*)$", conf.read_text(), re.M))
    for path in tracked("*"):
        if path == conf or not path.is_file() or path.is_symlink():
            continue
        text = path.read_bytes().decode(errors="replace")
        for name, value in values.items():
            if value in text:
                yield f"{path}: a copy of {name}; write @{name}@ (packaging/project.conf)"
        if "packaging" in path.relative_to(ROOT).parts:
            unknown = set(re.findall(r"@([A-Z_]+)@", text)) - set(values) - {"NAME", "OUTPUT", "VERSION", "MAIL_DATE"}
            yield from (f"{path}: @{name}@ is not in packaging/project.conf" for name in sorted(unknown))


def no_test():
    for path in OURS:
        parts = path.relative_to(ROOT / "src")
        if path.suffix == ".c" and parts.parts[0] == "base" and parts.stem not in TESTED_WITH:
            if not (ROOT / "tests/unit/base" / f"test_{parts.stem}.c").exists():
                yield f"{path}: no tests/unit/base/test_{parts.stem}.c"


# A file that passed clang-format or clang-tidy is not looked at again until it, a header of ours that it includes, its
# command or the rules change. The clones of a machine share the stamps, as they share the compiler cache.
STAMPS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vaultd-lint"


def stamp(*seen):
    STAMPS.mkdir(parents=True, exist_ok=True)
    return STAMPS / hashlib.sha256(json.dumps(seen).encode()).hexdigest()


def misformatted():
    rules = (ROOT / ".clang-format").read_text()
    stamps = {str(p): stamp(FORMAT, rules, p.name, p.read_text()) for p in SOURCES}
    files = [path for path, done in stamps.items() if not done.exists()]
    if not files:
        return
    run = subprocess.run([FORMAT, "--dry-run", "-Werror", *files], capture_output=True, text=True, check=False)
    bad = set(re.findall(r"^(.+?):\d+:\d+: error:", run.stderr, re.M))
    yield from (f"{path}: not as clang-format would have it" for path in sorted(bad))
    if run.returncode != 0 and not bad:
        yield run.stderr
        return
    for path in set(files) - bad:
        stamps[path].touch()


# Fifty times slower than all others together: with ./test --full only.
DEEP = ["--checks=clang-analyzer-deadcode.*"] if os.environ.get("LINT_DEEP") else []


def text_hashes():
    """The name and the hash of each of our files, by its real path."""
    return {os.path.realpath(p): (str(p.relative_to(ROOT)), hashlib.sha256(p.read_bytes()).hexdigest()) for p in SOURCES}


@functools.cache
def real_path(name):
    return os.path.realpath(BUILD / name)


def included():
    """By object file: our files that the compiler has read for it, as the build knows them."""
    out = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    for block in out.split("\n\n"):
        target, *lines = block.splitlines() or [""]
        yield target.split(":")[0], {real_path(line.strip()) for line in lines}


def tidy_stamps():
    """By source file: the stamp of all that clang-tidy can see of it."""
    texts, needs = text_hashes(), dict(included())
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    common = [version, (ROOT / ".clang-tidy").read_text(), *DEEP]
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        source = os.path.realpath(BUILD / entry["file"])
        command = entry["command"].replace(str(ROOT), "")
        seen = sorted(texts[p] for p in needs.get(entry["output"], ()) if p in texts)
        yield source, stamp(common, command, seen)


TIDY_BATCH = 10  # files for one process: to start it takes as long as to check a file


def tidy_some(files):
    """Check (path, stamp) of some files; if there is a problem, each of them alone."""
    command = [TIDY, "-p", BUILD, "--quiet", *DEEP, *(path for path, _ in files)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        for _, done in files:
            done.touch()
        return []
    return run.stdout.splitlines()[:20] if len(files) == 1 else [line for file in files for line in tidy_some([file])]


def untidy():
    stamps = dict(tidy_stamps())
    known = [(p, stamps[os.path.realpath(p)]) for p in OURS if p.suffix == ".c" and os.path.realpath(p) in stamps]
    files = [(path, done) for path, done in known if not done.exists()]
    batches = [files[i:i + TIDY_BATCH] for i in range(0, len(files), TIDY_BATCH)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for problems in pool.map(tidy_some, batches):
            yield from problems


check("S1-94 includes point down only", wrong_direction())
report("no folder is crowded", crowded())
check("headers do not include each other in circles", header_cycles())
check("modules do not use each other in circles", module_cycles())
check("files include what they call", untold_includes())
check("nothing is there for tests alone", called_by_nobody())
check("libraries are wrapped in one place", unwrapped())
check("systems differ below src/base/os only", around_the_wall())
check("tools read through the caller's view", around_the_view())
check("one way to count lines", second_lines())
check("loops over files can be stopped", loops_without_stop())
check("rooms of texts use no disk", around_the_vault())
check("locks have ranks", locks_without_rank())
check("rows are told apart by flags", rows_by_function())
check("rooms below the app name no tool", names_of_tools())
check("headers are contracts", bad_headers())
check("headers compile alone", needy_headers())
report("files are short", too_long())
check("no name is a keyword of C++", foreign_names())
check("nothing is left unfinished", unfinished())
check("comments name no document that is not here", sections_of_nothing())
check("the architecture names what is here", named_but_gone())
check("tests wait for what a server logs", hasty_tests())
check("struct tags have one meaning", second_tags())
check("functions say what they do without their file", shared_names())
check("names of the project are in one place", second_copies())
check("base modules have their tests", no_test())
if have(FORMAT):
    check("clang-format agrees", misformatted())
else:
    skips["clang-format agrees"] = f"no {FORMAT} here: each version formats in its own way"
    check("clang-format agrees", [])
check("clang-tidy agrees", untidy())

print(f"1..{len(results)}")
for number, (name, problems) in enumerate(results, 1):
    print("not ok" if problems else "ok", number, "-", name, f"# SKIP {skips[name]}" if name in skips else "")
    for problem in problems + reports.get(name, []):
        print("#", problem)
sys.exit(any(problems for _, problems in results))
