"""Build a bundle: pack.py FOLDER SYSTEM-MACHINE=TREE... -- OPTION... writes FOLDER/vaultd-VERSION-linux-MACHINE.mcpb
and the server.json that describes it to the MCP registry, and prints the bundle's path. A TREE is what
packaging/static/build or packaging/macos/build made. The build is reproducible: the same program always produces the
same bytes.

A manifest can choose by system, but not by processor. So a bundle for several machines with Linux,
vaultd-VERSION-linux.mcpb, starts a script that does; programs for macOS become one file."""
import hashlib
import json
import struct
import sys
import zipfile
import zlib
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "macos"))
import project  # noqa: E402
import universal  # noqa: E402

SPLIT = sys.argv.index("--")
FOLDER, OPTIONS = Path(sys.argv[1]), sys.argv[SPLIT + 1:]
TREES = {machine: Path(tree) for machine, tree in (word.split("=", 1) for word in sys.argv[2:SPLIT])}
LINUX = {name.removeprefix("linux-"): tree for name, tree in TREES.items() if name.startswith("linux-")}
MACOS = [tree for name, tree in TREES.items() if name.startswith("darwin-")]
SYSTEMS = ["linux"] * bool(LINUX) + ["darwin"] * bool(MACOS)
MACOS_PROGRAM = "server/vaultd-macos"
CHOOSER = b"""#!/bin/sh
# Start the program for this machine.
exec "${0%/*}/vaultd-$(uname -m)" "$@"
"""
HERE = Path(__file__).resolve().parent
LONG_AGO = (1980, 1, 1, 0, 0, 0)
ICON_SIZE = 128


def pixel(x, y):
    """The icon: a page with lines of text and three linked words, on violet."""
    def within(left, top, right, bottom, radius):
        dx = max(left + radius - x, 0, x - right + radius)
        dy = max(top + radius - y, 0, y - bottom + radius)
        return left <= x <= right and top <= y <= bottom and dx * dx + dy * dy <= radius * radius

    def near_line(x1, y1, x2, y2, width):
        length = (x2 - x1) ** 2 + (y2 - y1) ** 2
        t = max(0, min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length))
        return (x - x1 - t * (x2 - x1)) ** 2 + (y - y1 - t * (y2 - y1)) ** 2 <= width * width

    dots = [(0.36, 0.62), (0.62, 0.50), (0.60, 0.74)]
    if any((x - a) ** 2 + (y - b) ** 2 <= 0.045 ** 2 for a, b in dots):
        return (94, 53, 177, 255)
    if any(near_line(*dots[0], *dot, 0.013) for dot in dots[1:]):
        return (149, 117, 205, 255)
    if any(near_line(0.32, 0.30 + 0.07 * i, end, 0.30 + 0.07 * i, 0.014) for i, end in enumerate((0.68, 0.56))):
        return (176, 176, 190, 255)
    if within(0.24, 0.18, 0.76, 0.84, 0.05):
        return (255, 255, 255, 255)
    return (94, 53, 177, 255) if within(0.02, 0.02, 0.98, 0.98, 0.2) else (0, 0, 0, 0)


def icon():
    """An RGBA PNG. Each pixel is the average of four points, so that edges are smooth."""
    def shade(px, py):
        points = [pixel((px + a) / ICON_SIZE, (py + b) / ICON_SIZE) for a in (0.25, 0.75) for b in (0.25, 0.75)]
        return bytes(sum(p[i] for p in points) // 4 for i in range(4))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"".join(shade(x, y) for x in range(ICON_SIZE)) for y in range(ICON_SIZE))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", ICON_SIZE, ICON_SIZE, 8, 6, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def manifest(version):
    text = json.loads(project.fill((HERE / "manifest.json").read_text()))
    text["version"] = version
    start = text["server"]["mcp_config"]
    start["args"] = ["serve", *OPTIONS, *start["args"]]
    text["compatibility"]["platforms"] = SYSTEMS
    if MACOS:
        start["platform_overrides"] = {"darwin": {"command": "${__dirname}/" + MACOS_PROGRAM}}
        text["long_description"] += " For macOS, this bundle was built, but not yet tried by us."
    return json.dumps(text, indent=2).encode() + b"\n"


def announcement(version, path):
    text = json.loads(project.fill((HERE.parent / "server.json").read_text()))
    text["version"] = version
    package = text["packages"][0]
    package["identifier"] += f"v{version}/{path.name}"
    package["fileSha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    return json.dumps(text, indent=2) + "\n"


def add(bundle, name, data, mode):
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    bundle.writestr(entry, data, compresslevel=6)


def add_programs(bundle):
    if MACOS:
        add(bundle, MACOS_PROGRAM, universal.join([(tree / "bin/vaultd").read_bytes() for tree in MACOS]), 0o755)
    if len(LINUX) > 1:
        add(bundle, "server/vaultd", CHOOSER, 0o755)
    for machine, tree in LINUX.items():
        name = f"vaultd-{machine}" if len(LINUX) > 1 else "vaultd"
        add(bundle, f"server/{name}", (tree / "bin/vaultd").read_bytes(), 0o755)


def add_licenses(bundle):
    found = {path.name: path for tree in TREES.values() for path in (tree / "share/doc/vaultd/licenses").iterdir()}
    for name, path in sorted(found.items()):
        add(bundle, f"licenses/{name}", path.read_bytes(), 0o644)


version = project.VALUES["VERSION"]
if not LINUX:
    sys.exit("./package: a bundle has a program for Linux, too: add --arch amd64 or --arch arm64")
only = [] if len(LINUX) > 1 else list(LINUX)
path = FOLDER / ("-".join(["vaultd", version, "linux", *only, *(["macos"] if MACOS else [])]) + ".mcpb")
with zipfile.ZipFile(path, "w") as bundle:
    add(bundle, "manifest.json", manifest(version), 0o644)
    add(bundle, "icon.png", icon(), 0o644)
    add(bundle, "LICENSE", (HERE.parents[1] / "LICENSE").read_bytes(), 0o644)
    add_licenses(bundle)
    add_programs(bundle)
(FOLDER / "server.json").write_text(announcement(version, path))
project.warn()
print(path)
