"""Names and addresses from project.conf, the VERSION and its DATE, also as in e-mail (MAIL_DATE). As a program, project.py FILE... replaces @NAME@ in files,
project.py --value NAME prints one value, and project.py --missing those that are not filled in."""
import re
import sys
from datetime import datetime, timezone
from email.utils import format_datetime
from pathlib import Path

CONF = Path(__file__).resolve().parent / "project.conf"
VALUES = dict(re.findall(r"^([A-Z_]+)=(.*)$", CONF.read_text(), re.M))
BUILD = (CONF.parents[1] / "meson.build").read_text()
VALUES["VERSION"] = re.search(r"^ +version: '(.*)',$", BUILD, re.M)[1]
VALUES["DATE"] = re.search(r"^release_date = '(.*)'", BUILD, re.M)[1]
VALUES["MAIL_DATE"] = format_datetime(datetime.fromisoformat(VALUES["DATE"]).replace(hour=12, tzinfo=timezone.utc))


def fill(text):
    """The text with every @NAME@ replaced; a name that project.conf does not have is an error."""
    return re.sub(r"@([A-Z_]+)@", lambda m: VALUES[m[1]], text)


MISSING = [name for name, value in VALUES.items() if "FILL-IN" in value.upper()]  # a scope of npm is in lower case


def warn():
    if MISSING:
        print(f"packaging/project.conf: fill in before you publish: {', '.join(MISSING)}", file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1] == "--value":
        print(VALUES[sys.argv[2]])
    elif sys.argv[1] == "--missing":
        print(*MISSING, sep="\n", end="\n" if MISSING else "")
    else:
        for path in map(Path, sys.argv[1:]):
            path.write_text(fill(path.read_text()))
        warn()
