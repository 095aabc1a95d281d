#!/usr/bin/env python3
"""How long the calls of a profile take (S2-29 to S2-31): profiles.py VAULTD VAULT [TURNS]

Runs the profile obsidian-bundle over stdio on a copy of the vault and measures the time from process
start to the response to initialize, tools/list, and calls of the file tools. For search, it uses
vault_search of obsidian-vault-mcp. Prints the median and the worst time next to the contract's limit.
"""
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


class Server:
    def __init__(self, vaultd, profile, vault, state):
        self.started = time.perf_counter()
        self.child = subprocess.Popen(
            [vaultd, "--stdio", "--profile", profile, "--vault-path", vault, "--state-dir", state],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ids = 0

    def ask(self, method, params):
        """Milliseconds until the response, which must be a result."""
        begin = time.perf_counter()
        self.ids += 1
        message = {"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params}
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()
        while True:
            answer = json.loads(self.child.stdout.readline())
            if answer.get("id") == self.ids:
                break
        if "error" in answer or answer["result"].get("isError"):
            sys.exit(f"{method} {params}: {answer}")
        return (time.perf_counter() - begin) * 1000

    def call(self, name, arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def handshake(self):
        """Milliseconds from the start of the process."""
        self.ask("initialize", {"protocolVersion": "2024-11-05", "capabilities": {},
                                "clientInfo": {"name": "bench", "version": "1"}})
        return (time.perf_counter() - self.started) * 1000

    def end(self):
        self.child.stdin.close()
        self.child.wait()


def file_calls(server, turn):
    name = f"Bench {turn}"
    return [server.call("obsidian_create_note", {"name": name, "content": "# Title\n"}),
            server.call("obsidian_append_note", {"name": name, "content": "more"}),
            server.call("obsidian_read_note", {"name": name}),
            server.call("obsidian_move_note", {"name": name, "to": "Moved"}),
            server.call("obsidian_delete_note", {"name": name})]


def main():
    vaultd, source = sys.argv[1:3]
    turns = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    rows = {"initialize, from the start": [], "tools/list": [], "file tools": [], "search": []}
    with tempfile.TemporaryDirectory() as folder:
        vault, state = f"{folder}/vault", f"{folder}/state"
        shutil.copytree(source, vault)
        notes = sum(1 for _ in pathlib.Path(vault).rglob("*.md"))
        for turn in range(turns):
            server = Server(vaultd, "obsidian-bundle", vault, state)
            rows["initialize, from the start"].append(server.handshake())
            rows["tools/list"].append(server.ask("tools/list", {}))
            rows["file tools"] += file_calls(server, turn)
            server.end()
            server = Server(vaultd, "obsidian-vault-mcp", vault, state)
            server.handshake()
            for query in ("[a-z]+ing note", "zzzz", "(?i)the"):
                rows["search"].append(server.call("vault_search", {"query": query, "path_filter": "*.md"}))
            server.end()
    allowed = dict(zip(rows, (100, 200, 3000, 5000)))
    print(f"{notes} notes, {turns} turns\n\n| | median ms | worst ms | allowed ms |\n|---|---:|---:|---:|")
    for name, times in rows.items():
        print(f"| {name} | {statistics.median(times):.1f} | {max(times):.1f} | {allowed[name]} |")


main()
