"""Whether a program is built as SEC-97 wants: hardened.py PROGRAM, by what readelf says. Prints TAP."""
import re
import subprocess
import sys


def readelf(*options):
    return subprocess.run(["readelf", "-W", *options, sys.argv[1]], capture_output=True, text=True, check=True).stdout


dynamic, headers, notes = readelf("-d"), readelf("-l", "-h"), readelf("-n")
symbols = readelf("--dyn-syms" if "NEEDED" in dynamic else "--syms")  # a static program has no dynamic ones
CHECKS = {
    "position-independent": "Type:" in headers and "DYN" in headers,
    "the stack is not executable": re.search(r"GNU_STACK.* RW +0x", headers),
    "addresses are resolved at the start and then read-only": "GNU_RELRO" in headers and "NOW" in dynamic,
    "stack protector": "__stack_chk_fail" in symbols,
    "checked functions of the C library": re.search(r"__(mem|str|sn?printf|v?fprintf|read|vsnprintf)\w*_chk", symbols),
    "marked for IBT and shadow stacks": "X86-64" not in headers or "IBT, SHSTK" in notes,
    "no search path for libraries": not re.search(r"R(UN)?PATH", dynamic),
}
print(f"1..{len(CHECKS)}")
for i, (name, good) in enumerate(CHECKS.items(), 1):
    print(f"{'ok' if good else 'not ok'} {i} - SEC-97 {name}")
sys.exit(not all(CHECKS.values()))
