"""The libraries of a release: what the programs contain (libraries.tsv of each tree in .build), and what the Debian packages need."""
import csv
import re
import subprocess
from pathlib import Path
from urllib.parse import quote

TOP = Path(__file__).resolve().parents[1]


def source_url(name, version, origin):
    """A package URL (purl): where the source is from."""
    if origin.startswith("npm:"):
        return f"pkg:npm/{quote(origin.removeprefix('npm:'), safe='/')}@{version}"
    package = origin.partition(":")[2] or name
    return f"pkg:deb/debian/{quote(package, safe='')}@{quote(version, safe='.-~')}?arch=source"


def contained():
    """(library, what contains it) for each program that was built."""
    for path in sorted(TOP.glob(".build/*/tree/share/doc/vaultd/libraries.tsv")):
        for row in csv.reader(path.read_text().splitlines(), delimiter="\t"):
            yield tuple(row), path.relative_to(TOP / ".build").parts[0]


def needed(folder):
    """(library, package) for what each Debian package in a folder depends on, with the versions it was built with."""
    for deb in sorted(folder.glob("vaultd_*.deb")):
        depends = subprocess.run(["dpkg-deb", "-f", deb, "Depends"], check=True, capture_output=True, text=True).stdout
        for name in re.findall(r"(?:^|, )(lib[\w.+-]+)", depends):
            words = ["dpkg-query", "-W", "-f", "${source:Package}\t${source:Version}\n", name]
            found = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()[0]
            yield (*found.split("\t"), "debian"), deb.name


def of_release(folder):
    """{(name, version, origin): [what has it]}, sorted."""
    libraries = {}
    for library, user in [*contained(), *needed(folder)]:
        libraries.setdefault(library, set()).add(user)
    return {library: sorted(libraries[library]) for library in sorted(libraries)}
