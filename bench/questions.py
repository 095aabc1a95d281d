"""What questions cost, each with its goal. Called by goals.py.

A question is asked again and again over stdio, one at a time. Its time is the least of several
turns: the median round trip, or the CPU time of the server a call if that is less. Other programs
on the machine make the first longer, threads that share the work the second. All answers are
checked once before.
"""
import sys

from rows import QUICK, add, call, number, one, progress, run_turns, serve, tool
from server import Server

# A base with one filter, two formulas and a sort, and the query that is most like it.
BASE = """filters: stage == "zeroed"
formulas:
  age: (now() - file.mtime).days.round()
  label: file.name + " (" + stage + ")"
views:
  - order: [formula.label, formula.age, stage]
    sort: [{property: file.mtime, direction: DESC}]
"""
QUERY = {"where": "stage = zeroed", "select": ["file.name", "stage"], "sort": ["-file.modified"], "limit": 20}


def search_questions(planted):
    """Label, tool, arguments, goals in ms with 10,000 and 100,000 notes, what the answer must say."""
    def text(word, notes, *goals):
        return "vault_search", {"query": word, "mode": "text"}, *goals, {"total_files": notes}
    rare, common, cyrillic, regex = (planted[key] for key in ("rare", "common", "cyrillic", "regex"))
    return (
        ("literal in few notes", *text(rare["word"], rare["notes"], 0.2, 0.5)),
        ("literal in no note", *text("xqzzvwkabsent", 0, 0.2, 0.5)),
        ("literal beyond ASCII, case folded", *text(cyrillic["word"].upper(), cyrillic["notes"], 0.2, 0.5)),
        ("regex with a literal part", "vault_search", {"query": regex["pattern"], "mode": "regex"}, 0.5, 2,
         {"total_files": regex["notes"]}),
        ("literal in half of the notes, total exact", *text(common["word"], common["notes"], 2, 15)),
    )


def graph_questions(planted):
    hub = planted["hub"]
    return (
        ("backlinks with lines, 500 / 1,000 of 5,000", "vault_links",
         {"path": hub["path"], "direction": "backlinks", "limit": 1000}, 1, 2, {}),
        ("unlinked mentions", "vault_links", {"path": hub["path"], "direction": "mentions"}, 10, 50, {}),
        ("unresolved links", "vault_links", {"direction": "unresolved"}, 0.5, 1, {}),
        ("vault_query by one property", "vault_query", {"where": "stage = zeroed", "limit": 20}, 0.5, 1,
         {"total": planted["property"]["notes"]}),
        ("vault_query, newest 20", "vault_query", {"sort": ["-file.modified"], "limit": 20}, 0.5, 1, {}),
        ("vault_info", "vault_info", {}, 0.1, 0.1, {"notes": planted["notes"]}),
    )


def form_questions(planted):
    """Of Bases and tasks; they have goals for 10,000 notes only."""
    def tasks(where):
        return {"from": "tasks", "where": where, "sort": ["task.due"], "limit": 20}
    return (
        ("a base: filter, two formulas, sort", "vault_query", {"base": BASE, "limit": 20}, 5, None, {}),
        ("the same vault_query", "vault_query", QUERY, None, None, {"total": planted["property"]["notes"]}),
        ("tasks by due date", "vault_query", tasks("task.due exists"), 2, None, {}),
        ("open tasks by due date", "vault_query", tasks("task.due exists and not task.done"), 2, None, {}),
    )


def check(vault, state, questions):
    """The first server also makes and stores the index."""
    server = Server(vault, state)
    for label, name, arguments, *_, want in questions:
        answer = server.call(name, **arguments)
        for key, value in want.items():
            if answer.get(key) != value:
                sys.exit(f"bench: {label}: {key} is {answer.get(key)}, not {value}")
    server.settled_mb(state)
    server.stop()


def turns(vault, state, request, depth=1):
    options = ["-d", str(depth), "-w", "3", "-r", "5" if QUICK else "15", "-t", "150"]
    return run_turns("stdio_load", options, [["x", request, *serve(vault, state)]])["x"]


def least_ms(vault, state, name, arguments):
    s = turns(vault, state, call(name, **arguments))
    return min(s["median_us"]) / 1000, min(s["cpu_us"]) / 1000


def question(title, vault, state, name, arguments, goal):
    progress(title)
    trip, cpu = least_ms(vault, state, name, arguments)
    ms = min(trip, cpu)
    add(title, f"{number(ms)} ms", f"{number(trip)} ms round trip, {number(cpu)} ms CPU time",
        goal and ms / goal, goal and f"≤ {goal} ms", goal and ms <= goal)
    return ms


def throughput(title, vault, state, planted, goal):
    progress(title)
    search = call("vault_search", query=planted["rare"]["word"], mode="text")
    rate = 1e6 / min(turns(vault, state, search, depth=32)["us"])
    add(title, f"{number(rate)} /s", "–", rate / goal, f"≥ {goal:,} /s", rate >= goal)


def forms(name, vault, scan_ms):
    """In process: a task, and what inline fields and their tasks add to a first scan."""
    progress(f"{name}: tasks and inline fields")
    said = one(tool("bench_forms"), vault)
    us, share = said["task_us"], said["inline_ms"] / (scan_ms - said["inline_ms"])
    add(f"{name}, parse and toggle of a task", f"{number(us)} µs", "–", us / 20, "≤ 20 µs", us <= 20)
    add(f"{name}, first scan with inline fields and tasks, CPU time", f"{number(scan_ms)} ms",
        f"{number(scan_ms - said['inline_ms'])} ms (without)", 1 + share, "≤ 1.05×", share <= 0.05)


def measure(name, vault, state, planted, large):
    small = () if large else form_questions(planted)
    asked = (*search_questions(planted), *graph_questions(planted), *small)
    progress(f"{name}: an index")
    check(vault, state, asked)
    ms = {label: question(f"{name}, {label}", vault, state, tool_name, arguments, goals[large])
          for label, tool_name, arguments, *goals, _ in asked}
    if small:
        base, query = (ms[label] for label, *_ in small[:2])
        add(f"{name}, a base", f"{number(base)} ms", f"{number(query)} ms (the same vault_query)",
            base / query, "≤ 2×", base <= 2 * query)
    throughput(f"{name}, searches a second over stdio, 32 in flight", vault, state, planted,
               4000 if large else 8000)
