"""The libraries of a release: what the programs contain (libraries.tsv of each tree in .build, and in the Debian packages), and what
the Debian packages need."""
import csv
import io
import re
import subprocess
import tarfile
from pathlib import Path
from urllib.parse import quote

TOP = Path(__file__).resolve().parents[1]


def source_url(name, version, origin):
    """A package URL (purl): where the source is from."""
    if origin.startswith("npm:"):
        return f"pkg:npm/{quote(origin.removeprefix('npm:'), safe='/')}@{version}"
    package = origin.partition(":")[2] or name
    return f"pkg:deb/debian/{quote(package, safe='')}@{quote(version, safe='.-~')}?arch=source"


def rows(text):
    """The libraries of a libraries.tsv."""
    return [tuple(row) for row in csv.reader(text.splitlines(), delimiter="\t")]


def contained():
    """(library, what contains it) for each program that was built."""
    for path in sorted(TOP.glob(".build/*/tree/share/doc/vaultd/libraries.tsv")):
        for library in rows(path.read_text()):
            yield library, path.relative_to(TOP / ".build").parts[0]


def contained_in_deb(deb):
    """The libraries that became a part of the program in a Debian package."""
    files = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(files)) as archive:
        return rows(archive.extractfile("./usr/share/doc/vaultd/libraries.tsv").read().decode())


def needed_by_deb(deb):
    """The sources of the libraries that a Debian package depends on, with the versions it was built with."""
    depends = subprocess.run(["dpkg-deb", "-f", deb, "Depends"], check=True, capture_output=True, text=True).stdout
    for name in re.findall(r"(?:^|, )(lib[\w.+-]+)", depends):
        words = ["dpkg-query", "-W", "-f", "${source:Package}\t${source:Version}\n", name]
        found = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()[0]
        yield *found.split("\t"), "debian"


def of_debs(folder):
    """(library, package) for the Debian packages in a folder."""
    for deb in sorted(folder.glob("vaultd_*.deb")):
        for library in [*contained_in_deb(deb), *needed_by_deb(deb)]:
            yield library, deb.name


def of_release(folder):
    """{(name, version, origin): [what has it]}, sorted."""
    libraries = {}
    for library, user in [*contained(), *of_debs(folder)]:
        libraries.setdefault(library, set()).add(user)
    return {library: sorted(libraries[library]) for library in sorted(libraries)}
