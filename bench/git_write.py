"""git_write.py VAULTD VAULT: how much git sync slows down writes.

Starts two servers, each with its own copy of the vault; one of them syncs with a local bare
repository. A client writes a note every tenth of a second, alternating between the servers in
turns. Before each turn, everything written so far is pushed. Prints one JSON line with the median
and the 95th percentile of a write on both, in microseconds.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TURN_S = 4.0  # longer than the delay before changes are committed
TURNS = 5
PAUSE_S = 0.1  # between two writes: no client is faster
NOTES = 20
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Server:
    """vaultd over stdio, with its own copy of the vault."""

    def __init__(self, vaultd, vault, folder, *options):
        notes, self.number = folder / "vault", 0
        shutil.copytree(vault, notes)
        self.child = subprocess.Popen(
            [vaultd, "serve", "--stdio", "--vault-path", notes, "--state-dir", folder / "state", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.ask("initialize", HELLO)
        self.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def ask(self, method, params):
        self.number += 1
        self.child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}) + "\n")
        self.child.stdin.flush()
        while (said := json.loads(self.child.stdout.readline())).get("id") != self.number:
            pass  # a notification
        return said["result"]

    def call(self, name, **arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        assert not result.get("isError"), result
        return result

    def turn(self):
        times, end = [], time.monotonic() + TURN_S
        while time.monotonic() < end:
            text = f"# Note\n\nwritten as {self.number}\n"
            begin = time.perf_counter_ns()
            self.call("vault_write", path=f"Written/Note {self.number % NOTES}.md", content=text, overwrite=True)
            times.append((time.perf_counter_ns() - begin) / 1000)
            time.sleep(PAUSE_S)
        return times

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def measure(vaultd, vault, turns=TURNS):
    """Lists of write times per turn: with sync, and without."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as top:
        remote = Path(top, "remote.git")
        subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
        synced = Server(vaultd, vault, Path(top, "synced"), "--git-remote", remote)
        alone = Server(vaultd, vault, Path(top, "alone"))
        on, off = [], []
        for i in range(turns + 1):
            for server, times in ((synced, on), (alone, off)):
                synced.call("vault_sync")
                times.append(server.turn())
        synced.call("vault_sync")
        pushed = subprocess.run(["git", "-C", remote, "rev-list", "--count", "--all"], check=True,
                                capture_output=True, text=True).stdout
        print(f"{len(sum(on, []))} writes became {pushed.strip()} commits", file=sys.stderr)
        synced.close()
        alone.close()
        return on[1:], off[1:]


def medians(turns):
    return [statistics.median(t) for t in turns]


if __name__ == "__main__":
    on, off = measure(sys.argv[1], sys.argv[2])
    late = [statistics.quantiles(sum(turns, []), n=20)[18] for turns in (on, off)]
    print(json.dumps({"synced_us": round(statistics.median(medians(on))),
                      "alone_us": round(statistics.median(medians(off))),
                      "ratio": round(statistics.median(a / b for a, b in zip(medians(on), medians(off))), 2),
                      "synced_p95_us": round(late[0]), "alone_p95_us": round(late[1])}))
