"""login_flood.py VAULTD VAULT: how much sign-ins slow down clients that are already signed in.

Several users sign in (with bcrypt) as fast as they can, while a client with an API key reads a
note over and over. Windows with and without sign-ins alternate. Prints one JSON line with the
99th percentile of a call in both, in microseconds, and the number of sign-ins per second.
"""
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PEOPLE = 8
WINDOW_S = 1.5
ROUNDS = 8
PASSWORD = "open sesame"
META = "io.modelcontextprotocol/"
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
           "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "vault_read"}


def body(note):
    envelope = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {},
                META + "clientInfo": {"name": "bench", "version": "1"}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": "vault_read", "arguments": {"path": note}, "_meta": envelope}})


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def sign_in(port):
    """A new browser: fetch the login page, then submit its form with the correct password."""
    c = http.client.HTTPConnection("127.0.0.1", port)
    c.request("GET", "/account")
    page = c.getresponse()
    text = page.read().decode()
    cookie = page.headers["Set-Cookie"].split(";")[0]
    action = re.search(r'<form[^>]* action="([^"]*)"', text)[1]
    ticket = re.search(r'name="ticket" value="([^"]*)"', text)[1]
    form = f"ticket={ticket}&username=anna&password={PASSWORD.replace(' ', '+')}"
    c.request("POST", action, form, {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie})
    answer = c.getresponse()
    answer.read()
    c.close()
    return answer.status


class Flood:
    """Users in threads of another process, so that they do not slow down the measurement."""

    def __init__(self, port):
        self.child = subprocess.Popen([sys.executable, __file__, "--people", str(port)],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, word):
        self.child.stdin.write(word + "\n")
        self.child.stdin.flush()
        return int(self.child.stdout.readline())


def people(port):
    """Sign in between "go" and "stop"; after each command, print the number of sign-ins so far."""
    busy, done, lock = threading.Event(), [0], threading.Lock()

    def person():
        while True:
            busy.wait()
            if sign_in(port) == 303:
                with lock:
                    done[0] += 1

    for _ in range(PEOPLE):
        threading.Thread(target=person, daemon=True).start()
    for word in sys.stdin:
        (busy.set if word.strip() == "go" else busy.clear)()
        print(done[0], flush=True)
    os._exit(0)


def window(connection, headers, text):
    times, end = [], time.monotonic() + WINDOW_S
    while time.monotonic() < end:
        begin = time.perf_counter_ns()
        connection.request("POST", "/mcp", text, headers)
        answer = connection.getresponse()
        assert answer.read() and answer.status == 200, answer.status
        times.append(time.perf_counter_ns() - begin)
    return statistics.quantiles(times, n=100)[98] / 1000


def measure(vaultd, vault, note="Home.md"):
    port = free_port()
    with tempfile.TemporaryDirectory() as state:
        env = {**os.environ, "STATE_DIR": state}
        hashed = subprocess.run([vaultd, "hash-password"], input=PASSWORD + "\n", env=env, text=True,
                                capture_output=True, check=True).stdout.strip()
        key = subprocess.run([vaultd, "key", "add", "bench"], env=env, text=True, capture_output=True, check=True).stdout.strip()
        server = subprocess.Popen([vaultd, "serve", "--port", str(port), "--rate-calls", "0", "--rate-address", "0", vault],
                                  stderr=subprocess.DEVNULL,
                                  env={**env, "AUTH_USERS": "anna:" + hashed})
        try:
            return compare(port, {**HEADERS, "Authorization": "Bearer " + key}, body(note))
        finally:
            server.terminate()
            server.wait()


def compare(port, headers, text):
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.connect()
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    flood, calm, busy, signed_in = Flood(port), [], [], 0
    window(connection, headers, text)
    for _ in range(ROUNDS):
        calm.append(window(connection, headers, text))
        before = flood.say("go")
        time.sleep(0.2)
        busy.append(window(connection, headers, text))
        signed_in += flood.say("stop") - before
        time.sleep(0.5)  # let the last sign-ins finish
    flood.child.stdin.close()
    flood.child.wait()
    return {"calm_us": calm, "busy_us": busy, "per_s": signed_in / (ROUNDS * WINDOW_S)}


if __name__ == "__main__":
    if sys.argv[1] == "--people":
        people(int(sys.argv[2]))
    said = measure(sys.argv[1], sys.argv[2])
    print(json.dumps({"calm_p99_us": round(min(said["calm_us"])), "busy_p99_us": round(min(said["busy_us"])),
                      "calm_median": round(statistics.median(said["calm_us"])), "busy_median": round(statistics.median(said["busy_us"])),
                      "sign_ins_per_s": round(said["per_s"], 1)}))
