"""Many vaults on one machine: vaults.py VAULTD [--quick] prints a table. 1,000 hosted vaults of 100 notes each:
how long the start takes, how much memory the server needs, and what it costs to open a vault."""
import http.client
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = sys.argv[1]
VAULTS, NOTES, IN_USE = (100 if "--quick" in sys.argv else 1000), 100, 50
REVISION = "2026-07-28"
META = "io.modelcontextprotocol/"


def make_notes(top):
    for i in range(VAULTS):
        folder = top / f"v{i:04d}"
        folder.mkdir(parents=True)
        for k in range(NOTES):
            line = f"words of a note about gardens and rain [[Note {k * 7 % NOTES}]] #tag{k % 9}\n"
            (folder / f"Note {k}.md").write_text(f"# Note {k}\n\n" + line * 12)


def make_table(env, state):
    """The first row makes the tables; one command for each of the others would take minutes."""
    subprocess.run([PROGRAM, "vault", "add", "v0000"], env=env, check=True, stdout=subprocess.DEVNULL)
    rows = [(f"v{i:04d}", f"v{i:04d}", "", "", 1) for i in range(1, VAULTS)]
    with sqlite3.connect(state / "oauth.db") as db:
        db.executemany("INSERT INTO vaults VALUES(?, ?, ?, ?, ?)", rows)
    db.close()


class Server:
    def __init__(self, env, log):
        began = time.monotonic()
        with open(log, "w") as errors:
            self.process = subprocess.Popen(
                [PROGRAM, "serve", "--port", "0", "--auth", "none", "--rate-calls", "0", "--rate-address", "0"],
                env=env, stderr=errors)
        while "url=http://" not in log.read_text():
            if self.process.poll() is not None:
                sys.exit(log.read_text())
            time.sleep(0.001)
        self.start_ms = (time.monotonic() - began) * 1000
        self.port = int(log.read_text().split("url=http://")[1].split(":")[1].split("/")[0])

    def memory_mb(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

    def search_ms(self, vault):
        client = {META + "protocolVersion": REVISION, META + "clientInfo": {"name": "bench", "version": "1"},
                  META + "clientCapabilities": {}}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "vault_search", "arguments": {"vault": vault, "query": "gardens"}, "_meta": client}}
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream",
                   "mcp-protocol-version": REVISION, "mcp-method": "tools/call", "mcp-name": "vault_search"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        began = time.monotonic()
        connection.request("POST", "/mcp", json.dumps(call), headers)
        answer = connection.getresponse().read().decode()
        took = (time.monotonic() - began) * 1000
        if '"isError":true' in answer or "gardens" not in answer:
            sys.exit(f"wrong answer: {answer[:300]}")
        return took

    def median_ms(self, first, last):
        times = sorted(self.search_ms(f"v{i:04d}") for i in range(first, last))
        return times[len(times) // 2]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def measure(env, log):
    server = Server(env, log)
    time.sleep(1)
    yield "start", f"{server.start_ms:.0f} ms"
    yield "memory, idle", f"{server.memory_mb():.0f} MB"
    yield "first search in a vault", f"{server.median_ms(0, IN_USE):.1f} ms"
    yield f"memory, {IN_USE} in use", f"{server.memory_mb():.0f} MB"
    yield "search in an open vault", f"{server.median_ms(0, IN_USE):.1f} ms"
    server.median_ms(IN_USE, VAULTS)
    yield "memory, after all were used", f"{server.memory_mb():.0f} MB"
    yield "search in a vault that was closed", f"{server.median_ms(0, IN_USE):.1f} ms"
    yield "search in all vaults (32 are searched)", f"{server.search_ms('*'):.0f} ms"
    server.stop()


def main():
    top = Path(tempfile.mkdtemp(prefix="vaultd-bench-"))
    try:
        make_notes(top / "vaults")
        env = dict(os.environ, STATE_DIR=str(top / "state"), VAULTS_DIR=str(top / "vaults"))
        make_table(env, top / "state")
        print(f"| {VAULTS} vaults of {NOTES} notes | |\n|---|---:|")
        for name, figure in measure(env, top / "log"):
            print(f"| {name} | {figure} |", flush=True)
    finally:
        shutil.rmtree(top)


main()
