"""Archives that depend on nothing but their contents: the same files always give the same bytes. As a program,
archive.py zip|tar FILE FOLDER NAME packs a folder under another name."""
import gzip
import io
import sys
import tarfile
import zipfile
from pathlib import Path

LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the oldest date of a zip file


def write_zip(path, files):
    """files is {name: (bytes, mode)}."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.create_system = 3  # Unix, so that modes count
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=6)


def write_tar(path, files):
    """The same, compressed with gzip."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, (data, mode) in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), mode
            archive.addfile(entry, io.BytesIO(data))
    path.write_bytes(gzip.compress(raw.getvalue(), 9, mtime=0))


def read_folder(folder, name):
    """The files below a folder, sorted, for the functions above."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {f"{name}/{path.relative_to(folder).as_posix()}": (path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644)
            for path in paths}


if __name__ == "__main__":
    kind, path, folder, name = sys.argv[1:]
    {"zip": write_zip, "tar": write_tar}[kind](Path(path), read_folder(Path(folder), name))
    print(path)
