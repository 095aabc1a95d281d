"""The rows that say how vaultd grows with a vault, each with its goal for 10,000 and 100,000 notes.
Called by measure.py."""
import os
import shutil
import sys
import time
from pathlib import Path

import questions
from rows import QUICK, add, compare_best, in_turns, number, of, one, progress, tool
from server import Server, fresh

CORES = str(len(os.sched_getaffinity(0)))


def is_large(notes):
    return notes >= 100000


def rounds(notes, most):
    """As many as there is time for."""
    return 3 if QUICK or is_large(notes) else most


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


def first_start(name, vault, state, notes, planted):
    """Gives the CPU time of a first scan in ms."""
    progress(f"{name}: first start")
    ours, floor = [], []
    for _ in range(rounds(notes, 7)):
        floor.append(one(tool("floors"), "read", vault, CORES)["ms"])
        ours.append(first_answer_ms(vault, state, planted["rare"]))
    compare_best(f"{name}, first start to a right search answer", "ms", ours, floor,
                 "reading all files once", 3)
    ours, floor = in_turns((tool("bench_vault"), "scan", vault, CORES),
                           (tool("floors"), "read", vault, CORES), rounds(notes, 9))
    compare_costs(f"{name}, first start to a complete index", ours, floor, "reading all files once", 5)
    return min(of(ours, "cpu_ms"))


def restart(name, vault, state, notes):
    progress(f"{name}: restart")
    ours = (tool("bench_vault"), "restart", vault, CORES, fresh(state))
    one(*ours)
    said, floor = in_turns(ours, (tool("floors"), "stat", vault, CORES), 3 if QUICK else 9)
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
        ratio = said["ratio"]
        add(f"{name}, rename that rewrites {links:,} links", f"{number(said['ms'])} ms",
            f"{number(said['plain_ms'])} ms (rewriting as many files)", ratio, "≤ 1.5×", ratio <= 1.5)


def updates(vault):
    """CPU time to update the index: after an edit of one note, and after a folder was renamed."""
    said = one(tool("bench_change"), "update", vault, "-")
    for folder in Path(vault).glob("Bench*"):
        shutil.rmtree(folder)
    return said


def incremental(name, small, vault, notes):
    """Compared with the smallest vault."""
    progress(f"{name}: updates of the index")
    turns = [(updates(small), updates(vault)) for _ in range(rounds(notes, 5))]
    for key, what in (("note_us", "an edited note"), ("folder_us", "a renamed folder of 1,000")):
        ours, other = (min(turn[i][key] for turn in turns) for i in (1, 0))
        add(f"{name}, update of the index: {what}", f"{number(ours)} µs",
            f"{number(other)} µs (1,000 notes)", ours / other, "≤ 1.2×", ours <= 1.2 * other)


# --- all of it ---

def growth(scratch, vaults):
    """vaults: number of notes, path, what was planted; the smallest first."""
    small = vaults[0][1]
    for notes, vault, planted in vaults:
        name, state = f"{notes:,} notes", f"{scratch}/growth"
        restart(name, vault, state, notes)
        if notes > 1000:
            scan_ms = first_start(name, vault, state, notes, planted)
            memory(name, vault, state, notes)
            questions.measure(name, vault, state, planted, is_large(notes))
            if not is_large(notes):
                questions.forms(name, vault, scan_ms)
            renames(name, vault, state)
            incremental(name, small, vault, notes)


def edit_ms(server, vault):
    """Until the change is on disk, and a search finds it."""
    began = time.perf_counter()
    server.call("vault_write", path="Bench.md", content="A word: xqzzvwkedited.\n")
    ms = (time.perf_counter() - began) * 1000
    found = server.call("vault_search", query="xqzzvwkedited", mode="text")["total_files"]
    if found != 1:
        sys.exit(f"bench: the edit was found in {found} notes")
    os.remove(f"{vault}/Bench.md")
    return ms


def huge(scratch, vault, planted):
    """A million notes, once: start, memory, search, edit."""
    name, state = f"{planted['notes']:,} notes", f"{scratch}/growth"
    progress(f"{name}: first start")
    floor = one(tool("floors"), "read", vault, CORES)["ms"]
    compare_best(f"{name}, first start to a right search answer", "ms",
                 [first_answer_ms(vault, state, planted["rare"])], [floor], "reading all files once", 3)
    memory(name, vault, state, planted["notes"])
    progress(f"{name}: restart, edit")
    floor = one(tool("floors"), "stat", vault, CORES)["ms"]
    server = Server(vault, state)
    server.call("vault_info")
    ms = (time.perf_counter() - server.began) * 1000
    compare_best(f"{name}, restart from the snapshot", "ms", [ms], [floor], "stat walk", 2)
    questions.question(f"{name}, literal in few notes", vault, state, "vault_search",
                       {"query": planted["rare"]["word"], "mode": "text"}, None)
    add(f"{name}, edit of a small note", f"{number(edit_ms(server, vault))} ms", "–")
    server.stop()
