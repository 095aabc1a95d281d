"""Print the individual results in a Meson test log as TAP lines."""
import json
import re
import sys

for line in open(sys.argv[1], encoding="utf-8"):
    test = json.loads(line)
    inner = re.findall(r"^(?:not )?ok \d.*$", test.get("stdout") or "", re.M)
    good = test["result"] in ("OK", "EXPECTEDFAIL")
    for result in inner:
        print(re.sub(r"^((?:not )?ok) ", r"\1 " + test["name"] + " ", result))
    if not inner or (not good and not any(r.startswith("not") for r in inner)):
        print("ok" if good else "not ok", test["name"], test["result"])
