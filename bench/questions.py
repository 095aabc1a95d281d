"""questions.py BUILD [--large] [--quick]: what questions cost, each with its goal.

Called by measure.py, or alone after bench/run has built. A question is asked again and
again over stdio, one at a time; its cost is the processor time of the server, which other
programs on the machine change least. It is shown beside that of a ping to the same server.
Vaults and snapshots are made first, so that nothing is indexed meanwhile.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SNAPSHOT_S = 300
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"}}}


def call(name, **arguments):
    return '"method":"tools/call","params":' + json.dumps({"name": name, "arguments": arguments})


def questions(planted):
    """Label, request, goals in microseconds with 10,000 and with 100,000 notes."""
    def text(query):
        return call("vault_search", query=query, mode="text")
    rare, common, hub = planted["rare"], planted["common"], planted["hub"]
    return (
        (f"literal in {rare['notes']} notes", text(rare["word"]), 200, 500),
        ("literal in no note, with suggestions", text("xqzzvwkabsent"), 200, 500),
        ("literal beyond ASCII, in capitals", text(planted["cyrillic"]["word"].upper()), 200, 500),
        ("regex with a literal part",
         call("vault_search", query=planted["regex"]["pattern"], mode="regex"), 500, 2000),
        (f"literal in {common['notes']:,} notes", text(common["word"]), 2000, 15000),
        (f"backlinks with lines, {hub['backlinks']:,}",
         call("vault_links", path=hub["path"], direction="backlinks", limit=1000), 1000, 2000),
        ("unlinked mentions", call("vault_links", path=hub["path"], direction="mentions"),
         10000, 50000),
        ("unresolved links", call("vault_links", direction="unresolved"), 500, 1000),
        ("vault_query by one property", call("vault_query", where="stage = zeroed", limit=20),
         500, 1000),
        ("vault_query, the newest 20",
         call("vault_query", sort=["-file.modified"], limit=20), 500, 1000),
        ("vault_info", call("vault_info"), 100, 100),
    )


def make_snapshot(server, state):
    """Serve until the index is complete and saved."""
    with subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as p:
        p.stdin.write(json.dumps(HELLO) + "\n")
        p.stdin.flush()
        p.stdout.readline()
        end = time.monotonic() + SNAPSHOT_S
        while not list(Path(state).glob("*.snapshot")) and time.monotonic() < end:
            time.sleep(0.2)
        p.stdin.close()


def load(build, request, server, quick, depth=1):
    """The least of several turns: processor time and time per call, in microseconds."""
    words = [f"{build}/bench/stdio_load", "-d", str(depth), "-w", "3",
             "-r", "5" if quick else "15", "-t", "150", "x", request, *server]
    out = subprocess.run(words, check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout
    turns = [json.loads(line) for line in out.splitlines()]
    return min(t["cpu_us"] for t in turns), min(t["us"] for t in turns)


def measure(build, vault, state, planted, quick):
    """Rows for the table: what, ours, other, ratio, goal, met."""
    large = planted["notes"] > 10000
    name = f"{planted['notes']:,} notes"
    server = [f"{build}/src/app/vaultd", "serve", "--stdio", "--vault-path", vault,
              "--state-dir", state]
    make_snapshot(server, state)
    ping = load(build, '"method":"ping"', server, quick)[0]
    rows = []
    for label, request, goal, goal_large in questions(planted):
        print(f"measuring {name}: {label} ...", file=sys.stderr, flush=True)
        us, most = load(build, request, server, quick)[0], goal_large if large else goal
        rows.append([f"{name}, {label}, CPU time", f"{us:,.0f} µs", f"{ping:.1f} µs (ping)",
                     f"{us / ping:.0f}×", f"≤ {most:,} µs", "yes" if us <= most else "**no**"])
    least = 4000 if large else 8000
    rare = call("vault_search", query=planted["rare"]["word"], mode="text")
    per_s = 1e6 / load(build, rare, server, quick, depth=32)[1]
    rows.append([f"{name}, searches a second, 32 in flight", f"{per_s:,.0f}", "–", "–",
                 f"≥ {least:,}", "yes" if per_s >= least else "**no**"])
    return rows


def main():
    build, quick = sys.argv[1], "--quick" in sys.argv
    print("| what | ours | other | ratio | goal | met |")
    print("| --- | ---: | ---: | ---: | ---: | --- |")
    for notes in (10000, 100000) if "--large" in sys.argv else (10000,):
        with tempfile.TemporaryDirectory(prefix="vaultd-bench-") as scratch:
            made = subprocess.run([f"{build}/bench/vault_gen", f"{scratch}/vault", str(notes)],
                                  check=True, stdout=subprocess.PIPE, text=True).stdout
            os.mkdir(f"{scratch}/state", 0o700)
            for row in measure(build, f"{scratch}/vault", f"{scratch}/state",
                               json.loads(made), quick):
                print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
