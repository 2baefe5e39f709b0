#!/usr/bin/env python3
"""Keeps every build to the same Swift packages: those of deploy/dependencies.txt, each with its version and revision.

usage: deploy/dependencies.py resolve      writes Package.resolved, which SwiftPM reads, from the list
       deploy/dependencies.py check        says what differs: list, Package.swift, Package.resolved, .build/checkouts
       deploy/dependencies.py write        writes the list anew from Package.resolved, after `swift package update`

`make` resolves before it builds, and checks the list with `make lint`. SwiftPM writes Package.resolved anew whenever it
resolves, and a committed one would follow whatever was resolved last; so git ignores it, and the list changes on purpose alone.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "deploy/dependencies.txt"
RESOLVED = ROOT / "Package.resolved"
CHECKOUTS = ROOT / ".build/checkouts"
HEAD = """\
# The Swift packages of every build: version, revision, address. deploy/dependencies.py writes this list and checks it.
# `direct` ones are in Package.swift with the same version; the others are what these need.
"""


def direct():
    """The versions that Package.swift names, by identity."""
    found = re.findall(r'pinned\("([^"]+)", "([^"]+)"', (ROOT / "Package.swift").read_text())
    return {identity(address): version for address, version in found}


def identity(address):
    return pathlib.PurePosixPath(address).name.removesuffix(".git").lower()


def listed():
    """Version, revision and address by identity."""
    lines = [line.split() for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    return {identity(address): (version, revision, address) for _, version, revision, address in lines}


def resolved(path=RESOLVED):
    pins = json.loads(path.read_text())["pins"]
    return {pin["identity"]: (pin["state"].get("version"), pin["state"]["revision"], pin["location"]) for pin in pins}


def text_of_list(packages):
    rows = [
        f"{'direct' if name in direct() else 'needed':7} {version:9} {revision} {address}\n"
        for name, (version, revision, address) in sorted(packages.items())
    ]
    return HEAD + "".join(rows)


def resolve():
    if RESOLVED.exists() and resolved() == listed():
        return
    pins = [
        {"identity": name, "kind": "remoteSourceControl", "location": address, "state": {"revision": revision, "version": version}}
        for name, (version, revision, address) in sorted(listed().items())
    ]
    RESOLVED.write_text(json.dumps({"pins": pins, "version": 2}, indent=2) + "\n")


def faults():
    packages = listed()
    if LIST.read_text() != text_of_list(packages):
        yield f"{LIST.name} is not as `deploy/dependencies.py write` writes it."
    for name, version in direct().items():
        if packages.get(name, ("none",))[0] != version:
            yield f"{name}: Package.swift has {version}, the list has {packages.get(name, ('none',))[0]}."
    text = (ROOT / "Package.swift").read_text()
    # One is in pinned(_:_:traits:) itself, for those who take the client from here.
    if text.count("from:") + text.count("branch:") + text.count("revision:") > 1 or text.count(".package(") != 2:
        yield "Package.swift has a dependency that is not pinned()."
    yield from differences("Package.resolved", resolved() if RESOLVED.exists() else {}, packages)
    yield from differences(".build/checkouts", checked_out(packages), packages)


def checked_out(packages):
    """What a build here has of the packages; nothing before the first build."""
    found = {}
    for name, (version, _, address) in packages.items():
        folder = CHECKOUTS / pathlib.PurePosixPath(address).name.removesuffix(".git")
        if folder.exists():
            command = ("git", "-C", str(folder), "rev-parse", "HEAD")
            revision = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
            found[name] = (version, revision, address)
    return found


def differences(place, found, packages):
    if not found:
        return
    for name in sorted(found.keys() | packages.keys()):
        if found.get(name) != packages.get(name):
            had, wanted = (" ".join(each[name][:2]) if name in each else "nothing" for each in (found, packages))
            yield f"{name}: {place} has {had}, the list has {wanted}."


def main(command):
    if command == "write":
        LIST.write_text(text_of_list(resolved()))
    elif command == "resolve":
        resolve()
    elif command == "check":
        found = list(faults())
        if found:
            sys.exit("\n".join(found))
        print(f"{len(listed())} packages, {len(direct())} of them in Package.swift")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) == 2 else "")
