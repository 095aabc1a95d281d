"""measure.py BUILD NODE [--quick] [--large] [--huge] [--engine] [--goals]: measure and print.
Called by ./run."""
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import git_write
import goals
import login_flood
import model
from idle_streams import Legacy, Modern, bytes_per_stream, resident_kb
from rows import (BUILD, QUICK, VAULTD, add, call, compare, number, one, print_growth, print_table,
                  progress, run_turns, serve, tool)

HERE = Path(__file__).resolve().parent
NODE = sys.argv[2]
LARGE = "--large" in sys.argv
HUGE = "--huge" in sys.argv
GOALS_ONLY = "--goals" in sys.argv
ENGINE_ONLY = GOALS_ONLY or "--engine" in sys.argv

FIXTURE = str(BUILD / "tests/fixture/fixture")
STREAMS = 2000
NOTE = "Projects/Cold frame.md"
SETTLE_S = 1.0


def node(name, *words):
    return [NODE, str(HERE / "node" / name), *words]


# --- measurements ---

def stdio():
    echo = call("echo", text="hello, vault")
    ours = ["ours", echo, FIXTURE, "--stdio"]
    others = {"C floor": ["other", echo, tool("echo_floor")],
              "Node SDK": ["other", echo, *node("echo-stdio.mjs")]}
    turns = ["-w", "20", "-r", "7" if QUICK else "41", "-t", "100"]
    for depth, key in ((1, "median_us"), (32, "us")):
        for name, other in others.items():
            progress(f"stdio, {depth} in flight, {name}")
            goal = 1.5 if (depth, name) == (1, "C floor") else None
            options = [*turns, "-d", str(depth), *(["-p"] if goal else [])]
            s = run_turns("stdio_load", options, [ours, other])
            compare(f"stdio echo, {depth} in flight, time per call", "µs", s["ours"][key],
                    s["other"][key], name, at_most=goal)


def http():
    progress("HTTP")
    servers = [["legacy", "legacy", FIXTURE, "127.0.0.1:PORT"],
               ["modern", "modern", FIXTURE, "127.0.0.1:PORT"],
               ["sdk", "legacy", *node("echo-http.mjs", "PORT")],
               ["bare", "plain", *node("bare-http.mjs", "PORT")]]
    options = ["-c", "64", "-w", "10", "-r", "3" if QUICK else "15", "-t", "500"]
    s = run_turns("http_load", options, servers)
    for turns in s.values():
        turns["per_cpu_s"] = [1e6 / us for us in turns["cpu_us"]]
    for era in ("legacy", "modern"):
        per_cpu = f"HTTP echo, {era}, requests per CPU-second"
        compare(per_cpu, "/s", s[era]["per_cpu_s"], s["sdk"]["per_cpu_s"], "Node SDK",
                at_least=4)
        compare(per_cpu, "/s", s[era]["per_cpu_s"], s["bare"]["per_cpu_s"], "bare Node")
        compare(f"HTTP echo, {era}, requests per second", "/s", s[era]["per_s"],
                s["sdk"]["per_s"], "Node SDK")


def streams():
    progress(f"memory of {STREAMS} idle streams")
    limit_kb = 4
    sdk = bytes_per_stream(node("echo-http.mjs", "PORT"), Legacy, STREAMS, False) / 1024
    for kind, name in ((Legacy, "legacy GET"), (Modern, "modern listen")):
        kb = bytes_per_stream([FIXTURE, "127.0.0.1:PORT"], kind, STREAMS, True) / 1024
        add(f"memory per idle stream, {name}", f"{number(kb)} KB",
            f"{number(sdk)} KB (Node SDK)", kb / sdk, f"≤ {limit_kb} KB", kb <= limit_kb)


def start(vault, state):
    progress("start")
    s = run_turns("start_time", ["-r", "40" if QUICK else "300"],
                  [["ours", *serve(vault, state)], ["empty", tool("empty")]])
    compare("start to the response to initialize", "µs", s["ours"]["us"], s["empty"]["us"],
            "empty program, same libraries", at_most=2)


def read_note(vault, state):
    progress("vault_read")
    s = run_turns("stdio_load", ["-r", "7" if QUICK else "41", "-t", "100"],
                  [["read", call("vault_read", path=NOTE), *serve(vault, state)],
                   ["echo", call("echo", text="hello, vault"), FIXTURE, "--stdio"]])
    compare("stdio vault_read, time per call", "µs", s["read"]["median_us"],
            s["echo"]["median_us"], "our echo", at_most=3)


def idle_mb(command):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"}}}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as server:
        server.stdin.write(json.dumps(hello) + "\n")
        server.stdin.flush()
        server.stdout.readline()
        time.sleep(SETTLE_S)
        mb = resident_kb(server.pid) / 1024
        server.stdin.close()
        return mb


def idle(vault, state):
    progress("memory when idle")
    ours, sdk = idle_mb(serve(vault, state)), idle_mb(node("echo-stdio.mjs"))
    add("resident memory when idle, example vault", f"{number(ours)} MB",
        f"{number(sdk)} MB (Node SDK, echo)", ours / sdk)


def json_text():
    progress("JSON")
    out = subprocess.run([tool("bench_json")], check=True, stdout=subprocess.PIPE,
                         text=True).stdout
    for what, size, ours, other in re.findall(
            r"(\w+) (\d+) bytes: +(\d+) ns, jansson +(\d+) ns", out):
        add(f"JSON {what}, {size} bytes", f"{ours} ns", f"{other} ns (jansson)",
            int(ours) / int(other))


# --- the vault engine ---

def rg_ms(*words):
    began = time.perf_counter()
    subprocess.run(["rg", "--no-config", "-c", *words], stdout=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - began) * 1000


def asked(name, vault, threads, mode, text, notes=None):
    """The fastest time in µs and the number of notes found, which must be correct."""
    said = [one(tool("bench_vault"), "ask", vault, threads, mode, text)
            for _ in range(1 if QUICK else 3)]
    found = said[0]["found"]
    if found == 0 or notes not in (None, found):
        sys.exit(f"bench: {name}: {mode} {text} found {found} notes, not {notes}")
    return min(s["us"] for s in said), found


def against_rg(name, vault, cores, mode, text, notes, flags):
    """rg is started for each search, on cached files: with its default threads, and with one."""
    progress(f"{name}: {mode} {text}")
    for threads, rg_flags, said in ((cores, [], "rg"), ("1", ["-j1"], "rg -j1, one thread")):
        ours = asked(name, vault, threads, mode, text, notes)[0] / 1000
        rg = min(rg_ms(*rg_flags, *flags, text, vault) for _ in range(3 if QUICK else 9))
        add(f"{name}, {mode} search `{text}`, {notes:,} notes", f"{number(ours)} ms",
            f"{number(rg)} ms ({said})", ours / rg, "≤ 1/20", ours * 20 <= rg)


def search_vault(name, vault, cores, planted):
    """Every result must include what was planted."""
    rare, common, phrase = (planted[key] for key in ("rare", "common", "phrase"))
    for mode, said, text, flags in (("text", rare, rare["word"], ["-i", "-F"]),
                                    ("text", common, common["word"], ["-i", "-F"]),
                                    ("text", phrase, phrase["text"], ["-i", "-F"]),
                                    ("regex", planted["regex"], planted["regex"]["pattern"], [])):
        against_rg(name, vault, cores, mode, text, said["notes"], flags)
    lookups = (("words", rare["word"]), ("words", common["word"]), ("words", phrase["text"]),
               ("backlinks", planted["hub"]["path"]), ("tag", planted["tag"]["name"]),
               ("name", "Central Index"))
    for mode, text in lookups:
        progress(f"{name}: {mode}")
        us, found = asked(name, vault, cores, mode, text)
        add(f"{name}, {mode} `{text}`, {found:,} notes", f"{number(us)} µs", "–", None,
            "≤ 100 µs", us <= 100)


def change_vault(name, vault, state):
    progress(f"{name}: changes")
    said = one(tool("bench_change"), "edit", vault, state)
    add(f"{name}, edit of a small note", f"{number(said['us'])} µs",
        f"{number(said['plain_us'])} µs (write, fsync, rename, fsync)",
        said["us"] / said["plain_us"])
    shutil.rmtree(f"{vault}/Bench")


# --- the tools, end to end ---

def tool_questions(planted):
    """A call for each tool, sized for the vault, and a check of the response.
    Tools that write use dry_run: writing is measured separately."""
    hub, tag, rare = planted["hub"], planted["tag"], planted["rare"]
    files = planted["notes"] + planted["attachments"] + planted["canvases"]
    note, look = {"path": hub["path"]}, {"path": hub["path"], "dry_run": True}
    return (
        ("vault_info", {}, lambda v: v["notes"] == planted["notes"]),
        ("vault_list", {"recursive": True}, lambda v: v["total_files"] == files),
        ("vault_list", {"path": "Maps"}, lambda v: v["total_entries"] > 0),
        ("vault_read", note, lambda v: v["path"] == hub["path"]),
        ("vault_read", {**note, "view": "outline"}, lambda v: "headings" in v),
        ("vault_search", {"query": rare["word"]}, lambda v: v["total_files"] == rare["notes"]),
        ("vault_search", {"query": rare["word"], "mode": "words"},
         lambda v: v["total_files"] == rare["notes"]),
        ("vault_search", {"query": planted["regex"]["pattern"], "mode": "regex"},
         lambda v: v["total_files"] == planted["regex"]["notes"]),
        ("vault_search", {"query": f"tag:#{tag['name']}", "mode": "query"},
         lambda v: v["total_files"] == tag["notes"]),
        ("vault_query", {"where": "stage = zeroed", "limit": 20},
         lambda v: v["total"] == planted["property"]["notes"]),
        ("vault_links", {**note, "direction": "backlinks"}, lambda v: v["total"] >= hub["backlinks"]),
        ("vault_list", {"tag": tag["name"]}, lambda v: v["total_files"] == tag["notes"]),
        ("vault_context", {"path": "Projects"}, lambda v: "rules" in v),
        ("vault_guide", {"topic": "links"}, None),
        ("vault_changes", {}, lambda v: "changes" in v),
        ("vault_write", {**look, "content": "all new\n", "overwrite": True}, lambda v: v["dry_run"]),
        ("vault_insert", {**look, "content": "more"}, lambda v: v["dry_run"]),
        ("vault_frontmatter", {**look, "set": {"rating": 5}}, lambda v: v["dry_run"]),
        ("vault_move", {**look, "to": "Maps/Moved.md"}, lambda v: v["rewritten_notes"] >= hub["backlinks"]),
        ("vault_delete", look, lambda v: v["dry_run"]),
    )


def ask(command, questions):
    """The responses of a server, in order."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": "bench", "version": "1"}}
    sent = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}]
    sent += [{"jsonrpc": "2.0", "id": i + 1, "method": "tools/call",
              "params": {"name": name, "arguments": arguments}}
             for i, (name, arguments, _) in enumerate(questions)]
    lines = "".join(json.dumps(message) + "\n" for message in sent)
    out = subprocess.run(command, check=True, input=lines, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout
    answers = {m["id"]: m for m in map(json.loads, out.splitlines()) if "id" in m}
    return [answers[i + 1]["result"]["content"][0]["text"] for i in range(len(questions))]


def label_of(name, arguments):
    how = [arguments[k] for k in ("mode", "view", "direction") if k in arguments]
    return " ".join([name, *how, *(["dry_run"] if "dry_run" in arguments else [])])


def tools(name, vault, state, planted):
    """Every tool compared with ping on the same server."""
    questions, command = tool_questions(planted), serve(vault, state)
    for (tool_name, arguments, right), text in zip(questions, ask(command, questions)):
        if right and not right(json.loads(text)):
            sys.exit(f"bench: {tool_name} {arguments} answered {text[:500]}")
    turns = ["-w", "3", "-r", "5" if QUICK else "15", "-t", "100"]
    for tool_name, arguments, _ in questions:
        label = label_of(tool_name, arguments)
        progress(f"{name}: {label}")
        servers = [["tool", call(tool_name, **arguments), *command],
                   ["ping", '"method":"ping"', *command]]
        s = run_turns("stdio_load", turns, servers)
        compare(f"{name}, {label}", "µs", s["tool"]["median_us"], s["ping"]["median_us"],
                "ping on the same server")


def make_vault(scratch, notes):
    progress(f"making a vault of {notes:,} notes")
    vault = f"{scratch}/vault{notes}"
    return notes, vault, one(tool("vault_gen"), vault, str(notes))


def engine(scratch, vaults):
    cores = str(len(os.sched_getaffinity(0)))
    for notes, vault, planted in vaults:
        name = f"{notes:,} notes"
        search_vault(name, vault, cores, planted)
        if notes == 10000:
            os.mkdir(f"{scratch}/tools", 0o700)
            tools(name, vault, f"{scratch}/tools", planted)
            change_vault(name, vault, f"{scratch}/changes")


def all_vaults(scratch):
    sizes = (1000, 10000, 100000) if LARGE else (1000, 10000)
    vaults = [make_vault(scratch, notes) for notes in sizes]
    goals.growth(scratch, vaults)
    if not GOALS_ONLY:
        engine(scratch, vaults)
    if HUGE:
        _, vault, planted = make_vault(scratch, 1000000)
        goals.huge(scratch, vault, planted)


def servers(scratch):
    vault, state = f"{scratch}/vault", f"{scratch}/state"
    shutil.copytree(HERE.parent / "examples/vault", vault)
    os.mkdir(state, 0o700)
    stdio()
    http()
    streams()
    start(vault, state)
    read_note(vault, state)
    idle(vault, state)
    signed_in(scratch, vault)
    sync(vault)
    json_text()
    model.measure(scratch)


def signed_in(scratch, vault):
    progress("tokens and sign-ins")
    os.mkdir(f"{scratch}/oauth", 0o700)
    said = subprocess.run([tool("bench_oauth"), f"{scratch}/oauth"], check=True,
                          capture_output=True, text=True).stdout
    for kind, us, floor in re.findall(r"^(\w+) +token seen before ([\d.]+) us \(SHA-256 alone ([\d.]+)\)", said, re.M):
        add(f"token check per request, {kind}", f"{us} µs", f"{floor} µs (SHA-256 alone)",
            float(us) / float(floor), "≤ 5 µs", float(us) <= 5)
    flood = login_flood.measure(VAULTD, vault)
    compare("p99 of vault_read while people sign in", "µs", flood["busy_us"], flood["calm_us"],
            "no sign-ins", at_most=2)


def sync(vault):
    progress("writes with git sync")
    on, off = git_write.measure(VAULTD, vault, 2 if QUICK else git_write.TURNS)
    compare("vault_write while git commits and pushes", "µs", git_write.medians(on),
            git_write.medians(off), "without sync", at_most=1.2)


def main():
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    if limit < 2 * STREAMS:
        sys.exit(f"bench: {STREAMS} streams need ulimit -n {2 * STREAMS}, it is {limit}")
    try:
        with tempfile.TemporaryDirectory(prefix="vaultd-bench-") as scratch:
            if not ENGINE_ONLY:
                servers(scratch)
            all_vaults(scratch)
    finally: # a run that is aborted has measured something, too
        print_table()
        print_growth()


main()
