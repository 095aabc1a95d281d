"""Run test files of node:test, several at a time, and print their TAP output.

run_files.py NODE AT_ONCE TIMES FILE...: each FILE is a process. AT_ONCE is LEAST-MOST: so many run at least, and another
one is started while a processor is idle, since most files wait for timers, git or PostgreSQL. The files that took longest
last time are started first, so that none of them runs alone at the end; TIMES keeps "SECONDS<tab>PROCESSOR<tab>FILE" of the
last run, and a file that it does not name counts as long. The output of a file is printed whole when it has ended. Exits
with 1 if one failed.

CLOCK_LIBRARY and CLOCK_AT in the environment: each file and what it starts begins at that second of the wall clock
(tests/support/shifted_clock.c).
"""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 900  # seconds for one file: what hangs ends, and nothing else does
LOOK = 0.25  # seconds between two looks at what runs
IDLE = 0.3  # of all processors: then there is room for another file


def read_times(path):
    if not path.exists():
        return {}
    lines = (line.split("\t") for line in path.read_text().splitlines())
    return {row[2]: (float(row[0]), float(row[1])) for row in lines if len(row) == 3}


def environment():
    # what one process has compiled of the test clients, the next one need not
    common = {**os.environ, "NODE_COMPILE_CACHE": os.path.join(tempfile.gettempdir(), "node-compile-cache")}
    library, at = os.environ.get("CLOCK_LIBRARY"), os.environ.get("CLOCK_AT")
    if not library:
        return common
    return {**common, "LD_PRELOAD": library, "SHIFT_SECONDS": str(int(at) - int(time.time()))}


class Running:
    """One file that is being run."""

    def __init__(self, node, file):
        self.file = file
        self.out = tempfile.TemporaryFile()
        self.started = time.monotonic()
        # --test-force-exit: a client that keeps a connection open does not keep the file from ending
        command = [node, "--test-reporter=tap", "--test-force-exit", file]
        self.pid = subprocess.Popen(command, stdout=self.out, stderr=subprocess.STDOUT, env=environment()).pid

    def has_ended(self):
        """None, or (code, seconds, seconds of processor with its children)."""
        seconds = time.monotonic() - self.started
        if seconds > LIMIT:
            os.kill(self.pid, 9)
        pid, status, use = os.wait4(self.pid, 0 if seconds > LIMIT else os.WNOHANG)
        if pid == 0:
            return None
        self.show(os.waitstatus_to_exitcode(status), seconds > LIMIT)
        return status, seconds, use.ru_utime + use.ru_stime

    def show(self, code, hung):
        self.out.seek(0)
        text = self.out.read().decode(errors="replace")
        if hung:
            text += f"\nnot ok 1 - {self.file} hangs\n"
        elif code != 0 and "\nnot ok" not in "\n" + text:
            text += f"\nnot ok 1 - {self.file} exited with {code}\n"
        print(f"# {self.file}", text, sep="\n", flush=True)


class Idleness:
    """The idle part of all processors since the last call that was long enough ago."""

    def __init__(self):
        self.before, self.part = self.read(), 0.0

    @staticmethod
    def read():
        ticks = [int(n) for n in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        return sum(ticks), ticks[3] + ticks[4]

    def now(self):
        total, idle = self.read()
        if total - self.before[0] >= 50 * LOOK * (os.cpu_count() or 1):
            self.part = (idle - self.before[1]) / (total - self.before[0])
            self.before = total, idle
        return self.part


def run_all(node, files, least, most):
    """By file: (status, seconds, processor)."""
    waiting, running, ends, idleness = list(files), [], {}, Idleness()
    while waiting or running:
        for one in list(running):
            end = one.has_ended()
            if end:
                running.remove(one)
                ends[one.file] = end
        room = idleness.now() > IDLE
        if waiting and (len(running) < least or (len(running) < most and room)):
            running.append(Running(node, waiting.pop(0)))
            if len(running) < least:
                continue
        time.sleep(LOOK)
    return ends


def main():
    node, at_once, times, *files = sys.argv[1:]
    times = Path(times)
    known = read_times(times)
    least, most = map(int, at_once.split("-"))
    files.sort(key=lambda f: (-known.get(os.path.basename(f), (60, 0))[0], f))
    ends = run_all(node, files, least, most)
    known |= {os.path.basename(f): end[1:] for f, end in ends.items()}
    rows = sorted(known.items(), key=lambda row: -row[1][0])
    times.write_text("".join(f"{seconds:.0f}\t{processor:.0f}\t{name}\n" for name, (seconds, processor) in rows))
    return any(status != 0 for status, _, _ in ends.values())


sys.exit(main())
