#!/usr/bin/env python3
"""The table of src/vault/text/han_variants.h: which characters are simplified to which, by Unihan (Debian's unicode-data).

    scripts/han_variants.py [/usr/share/unicode/Unihan_Variants.txt.bz2] >src/vault/text/han_variants.h
"""
import bz2
import re
import sys

FIRST, LAST = 0x4E00, 0x9FFF
source = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode/Unihan_Variants.txt.bz2"
simple = {}
with bz2.open(source, "rt", encoding="utf-8") as lines:
    for line in lines:
        found = re.match(r"U\+(\w+)\tkSimplifiedVariant\t(.*)", line)
        if not found:
            continue
        char = int(found[1], 16)
        to = [int(v, 16) for v in re.findall(r"U\+(\w+)", found[2])]
        if char not in to and FIRST <= char <= LAST and FIRST <= to[0] <= LAST:
            simple[char] = to[0]


def last(char):
    seen = {char}
    while simple.get(char, char) not in seen:
        char = simple[char]
        seen.add(char)
    return char


print("""/*
 * han_variants - Chinese characters and their simplified forms. Made by scripts/han_variants.py
 * from Unihan, whose licence is that of Unicode's data. Private to variants.c.
 */
#pragma once

/* clang-format off */
#define HAN_VARIANTS(V) \\""")
rows = [f"V(0x{char:04X}, 0x{last(char):04X})" for char in sorted(simple) if last(char) != char]
for i in range(0, len(rows), 5):
    print("    " + " ".join(rows[i:i + 5]) + (" \\" if i + 5 < len(rows) else ""))
print("/* clang-format on */")
