"""A server over stdio whose answers are read. Used by goals.py and questions.py."""
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from rows import serve

SETTLED_S = 5  # memory that does not change for so long will not
INDEXED_S = 1800  # a million notes on a busy machine


class Server:
    """From the moment it is started."""

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
        end = time.monotonic() + INDEXED_S
        while not list(Path(state).glob("*.snapshot")):
            if time.monotonic() > end:
                sys.exit(f"bench: no index was stored within {INDEXED_S} s")
            time.sleep(0.1)
        last, since = 0, time.monotonic()
        while time.monotonic() - since < SETTLED_S and time.monotonic() < end:
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
