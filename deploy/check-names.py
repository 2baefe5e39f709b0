#!/usr/bin/env python3
"""Checks that what the Markdown files name of the source is there: each test, and each file of docs/architecture.md.

A test is named as `Target/Folder/SomeTests`, `SomeTests.function` or, after such a name in the same line, `.function`.
`make lint` runs it by deploy/check.sh. By hand: deploy/check-names.py [FOLDER]
"""

import pathlib
import re
import sys

TEST = re.compile(r"(?P<folder>(?:[\w-]+/)*)(?P<type>\w+Tests)(?:\.(?P<function>\w+))?")
# Of the architecture: a path, or a file that extends a type, without its suffix.
SOURCE = re.compile(r"(?:[A-Za-z-]+/)+[A-Za-z+-]+|[A-Z]\w+\+\w+")


def suites(root):
    """The types of the tests, with their functions."""
    found = {}
    for path in root.glob("Tests/**/*.swift"):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"(?:struct|class|enum|extension|actor) (\w+Tests)\b", text):
            found.setdefault(name, set()).update(re.findall(r"func `?(\w+)", text))
    return found


def places(root):
    """Every file without its suffix, and every folder, of the source and the tests."""
    return {
        place
        for tree in ("Sources", "Tests")
        for path in (root / tree).rglob("*")
        for place in (path.relative_to(root).as_posix(), path.relative_to(root).with_suffix("").as_posix())
    }


def is_there(name, known):
    return any(f"/{place}".endswith(f"/{name}") for place in known)


def faults_of(line, found, known, names_source):
    """What a line names and is not there."""
    suite = None
    for span in re.findall(r"`([^`]+)`", line):
        if named := TEST.fullmatch(span):
            suite, function = named["type"], named["function"]
            path = f"{named['folder']}{suite}"
            # Of a type in a file of another name, the name alone.
            is_known = is_there(path, known) or (suite in found and not named["folder"])
            if not is_known or (function and function not in found.get(suite, ())):
                yield span
        elif suite in found and re.fullmatch(r"\.\w+", span) and span[1:] not in found[suite]:
            yield suite + span
        elif names_source and SOURCE.fullmatch(span) and not is_there(span, known):
            yield span


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    found, known = suites(root), places(root)
    pages = [*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("deploy/*.md")]
    faults = 0
    for page in sorted(pages):
        if page.name == "CHANGELOG.md":
            continue
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            wrong = list(faults_of(line, found, known, page.name == "architecture.md"))
            for name in wrong:
                print(f"{page.relative_to(root)}:{number}: {name} is not there", file=sys.stderr)
            faults += len(wrong)
    if faults or not found:
        sys.exit(f"{faults} names of tests and files are wrong.")
    print(f"{len(pages)} Markdown files name tests and files that are there")


main()
