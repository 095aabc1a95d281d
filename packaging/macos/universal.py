"""Programs for macOS on several processors, as one file: a header that names the parts, and the parts. As a program,
universal.py FILE PROGRAM... makes one."""
import struct
import sys
from pathlib import Path

MAGIC_64 = 0xFEEDFACF   # begins a program for one processor
MAGIC_FAT = 0xCAFEBABE  # begins the header, which is big-endian
ALIGN = 14              # parts begin at multiples of 16 KiB, the pages of arm64


def join(programs):
    """The bytes of one file for a list of programs, as bytes."""
    header, body = struct.pack(">II", MAGIC_FAT, len(programs)), b""
    start = 1 << ALIGN
    for program in programs:
        magic, cpu, kind = struct.unpack_from("<III", program)
        if magic != MAGIC_64:
            raise ValueError("not a 64-bit program for macOS")
        body += b"\0" * (-len(body) % (1 << ALIGN))
        header += struct.pack(">IIIII", cpu, kind, start + len(body), len(program), ALIGN)
        body += program
    return header.ljust(start, b"\0") + body


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(join([Path(name).read_bytes() for name in sys.argv[2:]]))
