"""Build a bundle: pack.py FOLDER SYSTEM-MACHINE=TREE... -- OPTION... writes FOLDER/vaultd-VERSION-linux-MACHINE.mcpb
and the server.json that describes it to the MCP registry, and prints the bundle's path. A TREE is what
packaging/static/build or packaging/cross/build made. The build is reproducible: the same program always produces the
same bytes.

A manifest can choose by system, but not by processor. So a bundle for several machines with Linux,
vaultd-VERSION-linux.mcpb, starts a script that does; programs for macOS become one file; that for Windows runs on x86-64 and,
emulated, on arm64. A bundle for all of these is vaultd-VERSION.mcpb."""
import hashlib
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "macos"))
import archive  # noqa: E402
import icon  # noqa: E402
import project  # noqa: E402
import universal  # noqa: E402

SPLIT = sys.argv.index("--")
FOLDER, OPTIONS = Path(sys.argv[1]), sys.argv[SPLIT + 1:]
TREES = {machine: Path(tree) for machine, tree in (word.split("=", 1) for word in sys.argv[2:SPLIT])}
LINUX = {name.removeprefix("linux-"): tree for name, tree in TREES.items() if name.startswith("linux-")}
MACOS = [tree for name, tree in TREES.items() if name.startswith("darwin-")]
WINDOWS = [tree for name, tree in TREES.items() if name.startswith("win32-")]
SYSTEMS = ["linux"] * bool(LINUX) + ["darwin"] * bool(MACOS) + ["win32"] * bool(WINDOWS)
UNTRIED = ["macOS"] * bool(MACOS) + ["Windows"] * bool(WINDOWS)
MACOS_PROGRAM = "server/vaultd-macos"
WINDOWS_PROGRAM = "server/vaultd.exe"
CHOOSER = b"""#!/bin/sh
# Start the program for this machine.
exec "${0%/*}/vaultd-$(uname -m)" "$@"
"""
HERE = Path(__file__).resolve().parent
ICON_SIZE = 128


def manifest(version):
    text = json.loads(project.fill((HERE / "manifest.json").read_text()))
    text["version"] = version
    start = text["server"]["mcp_config"]
    start["args"] = ["serve", *OPTIONS, *start["args"]]
    text["compatibility"]["platforms"] = SYSTEMS
    programs = {"darwin": MACOS_PROGRAM, "win32": WINDOWS_PROGRAM}
    overrides = {system: {"command": "${__dirname}/" + programs[system]} for system in SYSTEMS if system in programs}
    if overrides:
        start["platform_overrides"] = overrides
        text["long_description"] += f" For {' and '.join(UNTRIED)}, this bundle was built, but not yet tried by us on a real machine."
    return json.dumps(text, indent=2).encode() + b"\n"


def announcement(version, path):
    text = json.loads(project.fill((HERE.parent / "server.json").read_text()))
    package = text["packages"][0]
    package["identifier"] += f"v{version}/{path.name}"
    package["fileSha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    return json.dumps(text, indent=2) + "\n"


def programs():
    files = {}
    if MACOS:
        files[MACOS_PROGRAM] = universal.join([(tree / "bin/vaultd").read_bytes() for tree in MACOS])
    for tree in WINDOWS:
        files[WINDOWS_PROGRAM] = (tree / "bin/vaultd.exe").read_bytes()
    if len(LINUX) > 1:
        files["server/vaultd"] = CHOOSER
    for machine, tree in LINUX.items():
        name = f"vaultd-{machine}" if len(LINUX) > 1 else "vaultd"
        files[f"server/{name}"] = (tree / "bin/vaultd").read_bytes()
    return files


def licenses():
    found = {path.name: path for tree in TREES.values() for path in (tree / "share/doc/vaultd/licenses").iterdir()}
    return {f"licenses/{name}": path.read_bytes() for name, path in sorted(found.items())}


def name_of(version):
    parts = ["linux", *([] if len(LINUX) > 1 else LINUX), *(["macos"] if MACOS else []), *(["windows"] if WINDOWS else [])]
    is_for_all = len(LINUX) > 1 and len(MACOS) > 1 and WINDOWS
    return "-".join(["vaultd", version, *([] if is_for_all else parts)]) + ".mcpb"


version = project.VALUES["VERSION"]
if not LINUX:
    sys.exit("./package: a bundle has a program for Linux, too: add --arch amd64 or --arch arm64")
path = FOLDER / name_of(version)
texts = {
    "manifest.json": manifest(version),
    "icon.png": icon.png(ICON_SIZE),
    "LICENSE": (HERE.parents[1] / "LICENSE").read_bytes(),
    **licenses(),
}
archive.write_zip(path, {**{name: (data, 0o644) for name, data in texts.items()},
                         **{name: (data, 0o755) for name, data in programs().items()}})
(FOLDER / "server.json").write_text(announcement(version, path))
project.warn()
print(path)
