"""fairness.py VAULTD: how long a reader waits beside 16 hostile callers, and what they cost in memory.

Each hostile caller has a key of its own and does one of three things as fast as it is let: searches with a
regular expression that run into their deadline, messages of 3.4 MB, or reading vaults that are not indexed yet.
The reader reads one note over and over, alone and beside them, in turns. Prints one JSON line: p99 of a read
in both (the median over the windows), the ratio, and the most memory that the server had.
"""
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from login_flood import HEADERS, META, free_port

HOSTILE = 16
WINDOW_S = 2
ROUNDS = 3
LARGE = 4_000_000  # bytes, below the limit of a body
NOTES = 3000       # of each vault that is read for the first time

ENVELOPE = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {},
            META + "clientInfo": {"name": "bench", "version": "1"}}


def message(tool, arguments, **more):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": tool, "arguments": arguments, "_meta": ENVELOPE, **more}})


def headers(tool, key):
    return {**HEADERS, "Mcp-Name": tool, "Authorization": "Bearer " + key}


def attack(port, key, i):
    """Runs until the process ends: one kind of call, again and again, however it is answered."""
    slow = message("vault_search", {"vault": "shared", "mode": "regex", "query": "(a|ab|b| )*[c-y]"})
    large = message("vault_search", {"vault": "shared", "query": "x"}, padding=list(range(LARGE // 9)))
    first = message("vault_search", {"vault": f"own{i}", "query": "word"})
    text = (slow, large, first)[i % 3]
    while True:
        try:
            c = http.client.HTTPConnection("127.0.0.1", port)
            while True:
                c.request("POST", "/mcp", text, headers("vault_search", key))
                c.getresponse().read()
        except OSError:
            time.sleep(0.01)
        except http.client.HTTPException:
            pass


def hostile(port, keys):
    for i, key in enumerate(keys):
        threading.Thread(target=attack, args=(port, key, i), daemon=True).start()
    sys.stdin.read()
    os._exit(0)


def window(connection, key):
    times, end = [], time.monotonic() + WINDOW_S
    while time.monotonic() < end or len(times) < 20:
        begin = time.perf_counter_ns()
        connection.request("POST", "/mcp", message("vault_read", {"vault": "shared", "path": "Note 1.md"}), headers("vault_read", key))
        answer = connection.getresponse()
        assert b"Note 1" in answer.read() and answer.status == 200, answer.status
        times.append(time.perf_counter_ns() - begin)
        time.sleep(0.002)
    return statistics.quantiles(times, n=100)[98] / 1000


def make_vaults(top):
    os.makedirs(f"{top}/shared")
    with open(f"{top}/shared/Large.md", "w", encoding="utf-8") as f:
        f.write("# Large\n\n" + "ab " * (2 << 20))
    with open(f"{top}/shared/Note 1.md", "w", encoding="utf-8") as f:
        f.write("# Note 1\n")
    for i in range(2, HOSTILE, 3):
        os.makedirs(f"{top}/own{i}")
        for n in range(NOTES):
            with open(f"{top}/own{i}/{n}.md", "w", encoding="utf-8") as f:
                f.write(f"# {n}\n\nword [[{n + 1}]] " + "some text " * 50)


def peak_mib(pid):
    with open(f"/proc/{pid}/status", encoding="latin1") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024


def measure(vaultd):
    port = free_port()
    with tempfile.TemporaryDirectory() as top:
        vaults = f"{top}/vaults"
        env = {**os.environ, "STATE_DIR": f"{top}/state", "VAULTS_DIR": vaults}
        make_vaults(vaults)

        def run(*args):
            return subprocess.run([vaultd, *args], env=env, text=True, capture_output=True, check=True).stdout.strip()

        keys = [run("key", "add", f"hostile{i}") for i in range(HOSTILE)]
        reader = run("key", "add", "reader")
        for name in sorted(os.listdir(vaults), reverse=True):
            run("vault", "add", name, "--adopt")
            run("vault", "allow", name, "reader", *(f"hostile{i}" for i in range(HOSTILE)))
        server = subprocess.Popen([vaultd, "serve", "--port", str(port), "--rate-calls", "0", "--rate-address", "0", "--vaults-idle", "1"],
                                  stderr=subprocess.DEVNULL, env=env)
        try:
            return compare(port, server.pid, reader, keys)
        finally:
            server.terminate()
            server.wait()


def connect(port):
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.connect()
            return connection
        except ConnectionRefusedError:
            time.sleep(0.05)


def compare(port, pid, reader, keys):
    alone, beside = [], []
    connection = connect(port)
    window(connection, reader)
    for _ in range(ROUNDS):
        alone.append(window(connection, reader))
        others = subprocess.Popen([sys.executable, __file__, "--hostile", str(port), *keys], stdin=subprocess.PIPE)
        time.sleep(0.5)
        beside.append(window(connection, reader))
        others.kill()
        others.wait()
        time.sleep(6)  # until the last searches have reached their deadline
    p99 = statistics.median(alone), statistics.median(beside)
    return {"alone_p99_us": round(p99[0]), "beside_p99_us": round(p99[1]), "ratio": round(p99[1] / p99[0], 1),
            "peak_mib": round(peak_mib(pid))}


if __name__ == "__main__":
    if sys.argv[1] == "--hostile":
        hostile(int(sys.argv[2]), sys.argv[3:])
    print(json.dumps(measure(sys.argv[1])))
