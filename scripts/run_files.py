"""Run test files of node:test, several at a time, and print their TAP output.

run_files.py NODE AT_ONCE TIMES FILE...: each FILE is a process. The files that took longest last time are started
first, so that none of them runs alone at the end; TIMES keeps "SECONDS<tab>FILE" of the last run, and a file that it
does not name counts as long. The output of a file is printed whole when it has ended. Exits with 1 if one failed.
"""
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

LIMIT = 900  # seconds for one file: what hangs ends, and nothing else does
PRINTING = Lock()


def read_times(path):
    if not path.exists():
        return {}
    lines = (line.split("\t") for line in path.read_text().splitlines() if not line.startswith("#"))
    return {name: float(seconds) for seconds, name in lines}


def run(node, file):
    started = time.monotonic()
    # --test-force-exit: a client that keeps a connection open does not keep the file from ending
    command = [node, "--test-reporter=tap", "--test-force-exit", file]
    try:
        end = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
        code, out = end.returncode, end.stdout
    except subprocess.TimeoutExpired as late:
        code, out = 1, (late.stdout or b"") + b"\nnot ok 1 - it hangs\n"
    text = out.decode(errors="replace")
    if code != 0 and "\nnot ok" not in "\n" + text:
        text += f"\nnot ok 1 - {file} exited with {code}\n"
    with PRINTING:
        print(f"# {file}", text, sep="\n", flush=True)
    return code, time.monotonic() - started


def main():
    node, at_once, times, *files = sys.argv[1:]
    times = Path(times)
    known = read_times(times)
    files.sort(key=lambda f: (-known.get(os.path.basename(f), 60), f))
    with ThreadPoolExecutor(int(at_once)) as pool:
        ends = list(pool.map(lambda f: run(node, f), files))
    known |= {os.path.basename(f): seconds for f, (_, seconds) in zip(files, ends)}
    rows = sorted(known.items(), key=lambda row: -row[1])
    times.write_text("".join(f"{seconds:.0f}\t{name}\n" for name, seconds in rows))
    return max(code != 0 for code, _ in ends)


sys.exit(main())
