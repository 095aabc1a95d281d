"""Build packages for npm: pack.py FOLDER SYSTEM-MACHINE=TREE... writes FOLDER/vaultd-VERSION.tgz, the launcher, and a
package with the program for each machine, and prints their paths. A TREE is what packaging/static/build or
packaging/cross/build made. No package has an install script: npm itself chooses the one for its system and processor. The
build is reproducible."""
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import archive  # noqa: E402
import project  # noqa: E402

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
VERSION, NAME = project.VALUES["VERSION"], project.VALUES["NPM_SCOPE"] + "/vaultd"
CPUS = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}  # npm's names
SYSTEMS = {"linux": "Linux", "darwin": "macOS (built, not yet tried by us)", "win32": "Windows (built, not yet tried by us)"}
PACKAGES = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"]


def describe(name, description, **more):
    about = {
        "name": name, "version": VERSION, "description": description, "license": "MIT",
        "author": project.VALUES["MAINTAINER"], "repository": {"type": "git", "url": project.VALUES["REPOSITORY"]},
    }
    return json.dumps({**about, **more}, indent=2).encode() + b"\n"


def write(path, files):
    """An archive as npm pack makes it, of {name: (bytes, mode)}."""
    archive.write_tar(path, {f"package/{name}": file for name, file in files.items()})
    print(path)


def pack_launcher(folder):
    about = describe(
        NAME, "MCP server for Obsidian vaults", mcpName=project.VALUES["REGISTRY_NAME"], keywords=["mcp", "obsidian", "markdown", "notes"],
        bin={"vaultd": "vaultd.js"}, engines={"node": ">=18"}, publishConfig={"access": "public"},
        optionalDependencies={f"{NAME}-{name}": VERSION for name in PACKAGES})
    write(folder / f"vaultd-{VERSION}.tgz", {
        "package.json": (about, 0o644),
        "README.md": (project.fill((HERE / "README.md").read_text()).encode(), 0o644),
        "LICENSE": ((TOP / "LICENSE").read_bytes(), 0o644),
        "vaultd.js": ((HERE / "vaultd.js").read_bytes(), 0o755),
    })


def pack_program(folder, system, cpu, tree):
    about = describe(f"{NAME}-{system}-{cpu}", f"The program of the package {NAME}, for {SYSTEMS[system]} on {cpu}",
                     os=[system], cpu=[cpu], preferUnplugged=True, publishConfig={"access": "public"})
    files = {"package.json": (about, 0o644), "LICENSE": ((TOP / "LICENSE").read_bytes(), 0o644)}
    for path in sorted((tree / "share/doc/vaultd/licenses").iterdir()):
        files[f"licenses/{path.name}"] = (path.read_bytes(), 0o644)
    program = "bin/vaultd.exe" if system == "win32" else "bin/vaultd"
    files[program] = ((tree / program).read_bytes(), 0o755)
    write(folder / f"vaultd-{system}-{cpu}-{VERSION}.tgz", files)


to = Path(sys.argv[1])
for word in sys.argv[2:]:
    machine, tree = word.split("=", 1)
    system, cpu = machine.split("-", 1)
    pack_program(to, system, CPUS[cpu], Path(tree))
pack_launcher(to)
project.warn()
