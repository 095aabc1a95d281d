"""The rows that say how vaultd grows with a vault, each with its goal for 10,000 and 100,000 notes.
Called by measure.py."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from rows import QUICK, add, call, compare_best, in_turns, number, of, one, progress, run_turns, serve, tool

CORES = str(len(os.sched_getaffinity(0)))
STARTS = 3 if QUICK else 7
SETTLED_S = 5  # memory that does not change for so long will not


def is_large(notes):
    return notes >= 100000


# --- a server ---

class Server:
    """A server over stdio, from the moment it is started."""

    def __init__(self, vault, state):
        self.began = time.perf_counter()
        self.process = subprocess.Popen(serve(vault, state, "--answers", "json"), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={},
                 clientInfo={"name": "bench", "version": "1"})

    def ask(self, method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == 1:
                return answer["result"]

    def call(self, name, **arguments):
        return json.loads(self.ask("tools/call", name=name, arguments=arguments)["content"][0]["text"])

    def status_kb(self, key):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1])
        return 0

    def settled_mb(self, state):
        """Resident memory when the index is stored and it no longer changes."""
        while not list(Path(state).glob("*.snapshot")):
            time.sleep(0.1)
        last, since = 0, time.monotonic()
        while time.monotonic() - since < SETTLED_S:
            now = self.status_kb("VmRSS")
            if abs(now - last) > now / 1000:
                last, since = now, time.monotonic()
            time.sleep(0.1)
        return last / 1000

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder, 0o700)
    return folder


# --- starting ---

def compare_costs(what, ours, floor, name, at_most):
    """Elapsed time, and CPU time, which depends less on what else the machine does."""
    compare_best(what, "ms", of(ours, "ms"), of(floor, "ms"), name, at_most)
    compare_best(f"{what}, CPU time", "ms", of(ours, "cpu_ms"), of(floor, "cpu_ms"), name, at_most)


def first_answer_ms(vault, state, rare):
    server = Server(vault, fresh(state))
    found = server.call("vault_search", query=rare["word"])["total_files"]
    ms = (time.perf_counter() - server.began) * 1000
    server.stop()
    if found != rare["notes"]:
        sys.exit(f"bench: the first search found {found} notes, not {rare['notes']}")
    return ms


def first_start(name, vault, state, planted):
    progress(f"{name}: first start")
    ours, floor = [], []
    for _ in range(STARTS):
        floor.append(one(tool("floors"), "read", vault, CORES)["ms"])
        ours.append(first_answer_ms(vault, state, planted["rare"]))
    compare_best(f"{name}, first start to a right search answer", "ms", ours, floor,
                 "reading all files once", 3)
    ours, floor = in_turns((tool("bench_vault"), "scan", vault, CORES),
                           (tool("floors"), "read", vault, CORES))
    compare_costs(f"{name}, first start to a complete index", ours, floor, "reading all files once", 5)


def restart(name, vault, state, notes):
    progress(f"{name}: restart")
    ours = (tool("bench_vault"), "restart", vault, CORES, fresh(state))
    one(*ours)
    said, floor = in_turns(ours, (tool("floors"), "stat", vault, CORES))
    if notes > 1000:
        compare_costs(f"{name}, restart from the snapshot", said, floor, "stat walk", 2)
        return
    least = min(of(said, "cpu_ms")), min(of(floor, "cpu_ms"))
    fixed = least[0] - 2 * least[1]
    add(f"{name}, restart, CPU time: what exceeds two stat walks", f"{number(fixed)} ms",
        f"{number(least[1])} ms (stat walk)", None, "≤ 3 ms", fixed <= 3)


# --- memory ---

def memory_row(name, mb, text_mb, limit):
    add(name, f"{number(mb)} MB", f"{number(text_mb)} MB (the notes)", mb / text_mb,
        f"≤ {limit}×", mb / text_mb <= limit)


def memory(name, vault, state, notes):
    """After the first start, then after another."""
    text_mb = one(tool("floors"), "read", vault, CORES)["bytes"] / 1e6
    limit, stored = (1.5, 1.1) if is_large(notes) else (1.6, 1.2)
    fresh(state)
    for when in ("after the first start", "after a restart"):
        progress(f"{name}: memory {when}")
        server = Server(vault, state)
        server.call("vault_info")
        memory_row(f"{name}, resident memory {when}", server.settled_mb(state), text_mb, limit)
        server.stop()
    snapshot = next(Path(state).glob("*.snapshot")).stat().st_size / 1e6
    memory_row(f"{name}, snapshot", snapshot, text_mb, stored)


# --- changes ---

def renames(name, vault, state):
    for links in (100, 1000):
        progress(f"{name}: rename with {links:,} links")
        said = one(tool("bench_change"), "rename", vault, fresh(state), str(links))
        shutil.rmtree(f"{vault}/Bench")
        ratio = said["ms"] / said["plain_ms"]
        add(f"{name}, rename that rewrites {links:,} links", f"{number(said['ms'])} ms",
            f"{number(said['plain_ms'])} ms (rewriting as many files)", ratio, "≤ 1.5×", ratio <= 1.5)


def updates(vault):
    """CPU time to update the index: after an edit of one note, and after a folder was renamed."""
    said = one(tool("bench_change"), "update", vault, "-")
    for folder in Path(vault).glob("Bench*"):
        shutil.rmtree(folder)
    return said


def incremental(name, small, vault):
    """Compared with the smallest vault."""
    progress(f"{name}: updates of the index")
    turns = [(updates(small), updates(vault)) for _ in range(2 if QUICK else 5)]
    for key, what in (("note_us", "an edited note"), ("folder_us", "a renamed folder of 1,000")):
        ours, other = (min(turn[i][key] for turn in turns) for i in (1, 0))
        add(f"{name}, update of the index: {what}", f"{number(ours)} µs",
            f"{number(other)} µs (1,000 notes)", ours / other, "≤ 1.2×", ours <= 1.2 * other)


# --- questions ---

def question(name, what, vault, state, mode, text, limit_ms, notes=None):
    """In process, with all threads: the best of many rounds."""
    progress(f"{name}: {what}")
    said = one(tool("bench_vault"), "ask", vault, CORES, mode, text, state)
    if notes not in (None, said["found"]):
        sys.exit(f"bench: {name}: {mode} {text} found {said['found']}, not {notes}")
    ms = said["us"] / 1000
    add(f"{name}, {what}", f"{number(ms)} ms", f"{said['found']:,} found", ms / limit_ms,
        f"≤ {limit_ms} ms", ms <= limit_ms)


def backlinks(name, vault, state, planted, limit_ms):
    """A call of the tool, without what any call costs."""
    progress(f"{name}: backlinks")
    ask = call("vault_links", path=planted["hub"]["path"], direction="backlinks")
    command = serve(vault, state)
    s = run_turns("stdio_load", ["-w", "3", "-r", "3" if QUICK else "15", "-t", "100"],
                  [["links", ask, *command], ["ping", '"method":"ping"', *command]])
    ms = (statistics.median(s["links"]["median_us"]) - statistics.median(s["ping"]["median_us"])) / 1000
    add(f"{name}, backlinks with lines, {planted['hub']['backlinks']:,}", f"{number(ms)} ms", "–",
        ms / limit_ms, f"≤ {limit_ms} ms", ms <= limit_ms)


def throughput(name, vault, state, planted, goal):
    progress(f"{name}: searches a second")
    search = call("vault_search", query=planted["rare"]["word"], mode="text")
    s = run_turns("stdio_load", ["-w", "3", "-r", "3" if QUICK else "15", "-t", "200", "-d", "32"],
                  [["search", search, *serve(vault, state)]])
    rate = 1e6 / statistics.median(s["search"]["us"])
    add(f"{name}, searches a second over stdio, 32 in flight", f"{number(rate)} /s", "–",
        rate / goal, f"≥ {goal:,} /s", rate >= goal)


def questions(name, vault, state, planted, notes):
    large = is_large(notes)
    rare, hub = planted["rare"], planted["hub"]
    rows = (
        ("literal in few notes", "text", rare["word"], 0.2, 0.5, rare["notes"]),
        ("literal in no note", "text", "zyxwvq", 0.2, 0.5, 0),
        ("literal beyond ASCII, case folded", "text", planted["cyrillic"]["word"].upper(), 0.2, 0.5,
         planted["cyrillic"]["notes"]),
        ("regex with a literal part", "regex", planted["regex"]["pattern"], 0.5, 2,
         planted["regex"]["notes"]),
        ("literal in half of the notes", "text", planted["common"]["word"], 2, 15,
         planted["common"]["notes"]),
        ("unlinked mentions", "mentions", hub["path"], 10, 50, None),
        ("unresolved links", "unresolved", "-", 0.5, 1, None),
        ("query by one property", "select", "stage = zeroed", 0.5, 1, planted["property"]["notes"]),
        ("newest 20", "newest", "-", 0.5, 1, None),
        ("totals of vault_info", "count", "-", 0.1, 0.1, planted["notes"]),
    )
    for what, mode, text, limit, limit_large, found in rows:
        question(name, what, vault, state, mode, text, limit_large if large else limit, found)
    backlinks(name, vault, state, planted, 2 if large else 1)
    throughput(name, vault, state, planted, 4000 if large else 8000)


# --- all of it ---

def growth(scratch, vaults):
    """vaults: number of notes, path, what was planted; the smallest first."""
    small = vaults[0][1]
    for notes, vault, planted in vaults:
        name, state = f"{notes:,} notes", f"{scratch}/growth"
        restart(name, vault, state, notes)
        if notes > 1000:
            first_start(name, vault, state, planted)
            memory(name, vault, state, notes)
            questions(name, vault, state, planted, notes)
            renames(name, vault, state)
            incremental(name, small, vault)


def huge(scratch, vault, planted):
    """A million notes, once: start, memory, search, edit."""
    name, state = f"{planted['notes']:,} notes", fresh(f"{scratch}/growth")
    progress(f"{name}: first start")
    floor = one(tool("floors"), "read", vault, CORES)
    ms = first_answer_ms(vault, state, planted["rare"])
    add(f"{name}, first start to a right search answer", f"{number(ms)} ms",
        f"{number(floor['ms'])} ms (reading all files once)", ms / floor["ms"], "≤ 3×",
        ms <= 3 * floor["ms"])
    memory(name, vault, state, planted["notes"])
    restart(name, vault, state, planted["notes"])
    question(name, "literal in few notes", vault, state, "text", planted["rare"]["word"], 0.5,
             planted["rare"]["notes"])
    said = updates(vault)
    add(f"{name}, update of the index: an edited note", f"{number(said['note_us'])} µs", "–")
