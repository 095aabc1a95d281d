"""The icon of vaultd: png() for bundles, and as a program, icon.py FILE, an icon file for Windows, or a header
with a data URL if FILE ends with .h."""
import base64
import struct
import sys
import zlib
from pathlib import Path

SIZES = (16, 32, 48, 128)  # of Windows
OF_SERVER = 48  # for clients, with each of their connections


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


def png(size):
    """An RGBA PNG. Each pixel is the average of four points, so that edges are smooth."""
    def shade(px, py):
        points = [pixel((px + a) / size, (py + b) / size) for a in (0.25, 0.75) for b in (0.25, 0.75)]
        return bytes(sum(p[i] for p in points) // 4 for i in range(4))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"".join(shade(x, y) for x in range(size)) for y in range(size))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def ico(sizes):
    """An icon file: a header, an entry for each size, and the pictures."""
    pictures = [png(size) for size in sizes]
    header, start = struct.pack("<HHH", 0, 1, len(sizes)), 6 + 16 * len(sizes)
    for size, picture in zip(sizes, pictures):
        header += struct.pack("<BBBBHHII", size, size, 0, 0, 1, 32, len(picture), start)
        start += len(picture)
    return header + b"".join(pictures)


if __name__ == "__main__":
    out = Path(sys.argv[1])
    if out.suffix == ".h":
        url = f"data:image/png;base64,{base64.b64encode(png(OF_SERVER)).decode()}"
        out.write_text(f'#pragma once\n\n#define SERVER_ICON "{url}"\n')
    else:
        out.write_bytes(ico(SIZES))
