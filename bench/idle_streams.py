"""How much memory an idle event stream costs a server.

Opens streams to a server, each on its own connection, and compares the server's resident
memory before and after. Then asks the server, if it can, to notify all streams that its
tools changed: a stream counts only if the notification arrives.
"""
import json
import re
import socket
import subprocess
import time

WARM = 50  # streams opened before the first measurement, to exclude one-time costs
SETTLE_S = 1.0
DEADLINE_S = 10.0
CHANGE_TOOL = "test_trigger_tool_change"
CHANGED = b"notifications/tools/list_changed"
META = "io.modelcontextprotocol/"


def resident_kb(pid):
    """Exact if the process allows it, otherwise the kernel's estimate."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as f:
            return int(re.search(r"^Rss:\s+(\d+)", f.read(), re.M)[1])
    except PermissionError:
        with open(f"/proc/{pid}/status") as f:
            return int(re.search(r"^VmRSS:\s+(\d+)", f.read(), re.M)[1])


class Client:
    """One keep-alive connection."""

    def __init__(self, port):
        self.host = f"127.0.0.1:{port}"
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S)
        self.rest = b""  # read, but not used yet

    def until(self, end):
        while end not in self.rest:
            piece = self.socket.recv(65536)
            if not piece:
                raise RuntimeError(f"the server hung up after {self.rest}")
            self.rest += piece
        found, self.rest = self.rest.split(end, 1)
        return found

    def ask(self, method, headers, message=None):
        """Send a request and read the head of the response: its status and headers."""
        body = json.dumps(message) if message else ""
        lines = [f"{method} /mcp HTTP/1.1", f"Host: {self.host}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if message:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        self.socket.sendall("\r\n".join([*lines, "", body]).encode())
        status, *fields = self.until(b"\r\n\r\n").decode().split("\r\n")
        pairs = (field.split(": ", 1) for field in fields)
        return int(status.split()[1]), {name.lower(): value for name, value in pairs}

    def ask_whole(self, method, headers, message=None):
        """The same, but read and discard the body as well."""
        status, fields = self.ask(method, headers, message)
        if fields.get("transfer-encoding") == "chunked":
            self.rest = b"\r\n" + self.rest
            self.until(b"\r\n0\r\n\r\n")
        size = int(fields.get("content-length", 0))
        while len(self.rest) < size:
            self.rest += self.socket.recv(65536)
        self.rest = self.rest[size:]
        return status, fields


def need(ok, answer):
    if not ok:
        raise RuntimeError(f"unexpected answer: {answer}")


BOTH = {"Accept": "application/json, text/event-stream"}


def request(method, params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


class Legacy:
    """One session per stream; the stream is a GET on the connection that sent initialize."""

    @staticmethod
    def session(client):
        hello = request("initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}})
        status, fields = client.ask_whole("POST", BOTH, hello)
        need(status == 200 and "mcp-session-id" in fields, fields)
        headers = {"Mcp-Session-Id": fields["mcp-session-id"]}
        done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        need(client.ask_whole("POST", BOTH | headers, done)[0] == 202, "initialized")
        return headers

    @classmethod
    def open(cls, client):
        headers = cls.session(client) | {"Accept": "text/event-stream"}
        return client.ask("GET", headers)

    @classmethod
    def call(cls, client, tool):
        message = request("tools/call", {"name": tool, "arguments": {}})
        return client.ask_whole("POST", BOTH | cls.session(client), message)


class Modern:
    """subscriptions/listen: one POST per stream."""

    @staticmethod
    def message(method, params, name=None):
        meta = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}
        headers = BOTH | {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        headers |= {"Mcp-Name": name} if name else {}
        return "POST", headers, request(method, params | {"_meta": meta})

    @classmethod
    def open(cls, client):
        wanted = {"notifications": {"toolsListChanged": True}}
        return client.ask(*cls.message("subscriptions/listen", wanted))

    @classmethod
    def call(cls, client, tool):
        params = {"name": tool, "arguments": {}}
        return client.ask_whole(*cls.message("tools/call", params, tool))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            return Client(port)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def open_streams(kind, port, n):
    streams = []
    for _ in range(n):
        client = Client(port)
        answer = kind.open(client)
        need(answer[0] == 200 and "event-stream" in answer[1]["content-type"], answer)
        streams.append(client)
    return streams


def bytes_per_stream(command, kind, n, can_change):
    """Start command, with PORT replaced, and return the bytes of memory per stream for n streams."""
    port = free_port()
    words = [word.replace("PORT", str(port)) for word in command]
    server = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        control = wait_for(port)
        streams = open_streams(kind, port, WARM)
        time.sleep(SETTLE_S)
        before = resident_kb(server.pid)
        streams += open_streams(kind, port, n)
        time.sleep(SETTLE_S)
        after = resident_kb(server.pid)
        if can_change:
            need(kind.call(control, CHANGE_TOOL)[0] == 200, CHANGE_TOOL)
            for client in streams:
                client.until(CHANGED)
        return (after - before) * 1024 / n
    finally:
        server.kill()
        server.wait()
