#!/usr/bin/env python3
"""Checks the links of every Markdown file: a relative one leads to a file that is there, its #anchor to a heading of it.

External links have to be https and well-formed; the network is not asked. `make lint` runs it by deploy/check.sh, and
installs markdown-it-py. By hand: deploy/check-links.py [FOLDER]
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

import markdown_it

MARKDOWN = markdown_it.MarkdownIt("commonmark").enable("table")


class Tags(html.parser.HTMLParser):
    """The links and anchors of HTML within Markdown."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src", "srcset"):
                self.links.append(value or "")
            elif name == "id" or (tag == "a" and name == "name"):
                self.anchors.append(value or "")


class Page:
    """A Markdown file: its links with their lines, and what a link may name in it after `#`."""

    def __init__(self, path):
        self.links, self.anchors = [], set()
        tokens = MARKDOWN.parse(path.read_text(encoding="utf-8"))
        counts = {}
        line = 1
        for before, token in zip([None, *tokens], tokens):
            line = token.map[0] + 1 if token.map else line
            if token.type == "html_block":
                self.add(Tags(token.content), line)
            if token.type != "inline":
                continue
            for child in token.children:
                if child.type == "link_open":
                    self.links.append((line, child.attrGet("href")))
                elif child.type == "image":
                    self.links.append((line, child.attrGet("src")))
                elif child.type == "html_inline":
                    self.add(Tags(child.content), line)
            if before is not None and before.type == "heading_open":
                name = slug("".join(child.content for child in token.children if child.type in ("text", "code_inline")))
                seen = counts.get(name, 0)
                counts[name] = seen + 1
                self.anchors.add(f"{name}-{seen}" if seen else name)

    def add(self, tags, line):
        self.links += [(line, link) for link in tags.links]
        self.anchors.update(tags.anchors)


def is_built(path):
    """Whether a file is git's own, or was built or installed: in a folder such as .build."""
    return any(part.startswith(".") and part != ".github" for part in path.parts)


def slug(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def fault(link, path, root, pages):
    """What is wrong with a link of a page, or nothing."""
    if any(character.isspace() or ord(character) < 0x20 for character in link):
        return "has blanks"
    try:
        parts = urllib.parse.urlsplit(link)
    except ValueError as error:
        return f"is malformed: {error}"
    if parts.scheme or parts.netloc:
        return external_fault(parts, path)
    target = path
    if parts.path:
        if parts.path.startswith("/"):
            return "is absolute: begin at the page's own folder"
        target = (path.parent / urllib.parse.unquote(parts.path)).resolve()
        if not target.is_relative_to(root):
            return "leaves the repository"
        if not target.exists():
            return "leads to nothing"
    if not parts.fragment:
        return None if parts.path else "is empty"
    if target not in pages:
        return "names an anchor of what is not Markdown"
    if urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
        return f"names an anchor that {target.relative_to(root)} lacks"
    return None


def external_fault(parts, path):
    # DocC resolves its own links when it builds the catalog.
    if parts.scheme == "doc" and any(parent.suffix == ".docc" for parent in path.parents):
        return None
    if parts.scheme != "https":
        return "is not https"
    try:
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        return f"is malformed: {error}"
    labels = host.split(".")
    if len(labels) < 2 or not all(re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", label) for label in labels):
        return "names no host"
    if parts.username is not None or port is not None:
        return "names a user or a port"
    if re.search(r"%(?![0-9A-Fa-f]{2})", parts.path + parts.query + parts.fragment):
        return "has a percent sign that encodes nothing"
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    files = [path for path in sorted(root.rglob("*.md")) if not is_built(path.relative_to(root))]
    pages = {path: Page(path) for path in files}
    faults = 0
    for path, page in pages.items():
        for line, link in page.links:
            if wrong := fault(link, path, root, pages):
                print(f"{path.relative_to(root)}:{line}: the link {link} {wrong}", file=sys.stderr)
                faults += 1
    if faults or not pages:
        sys.exit(f"{faults} links of {len(pages)} Markdown files are wrong.")
    print(f"{sum(len(page.links) for page in pages.values())} links of {len(pages)} Markdown files, nothing found")


main()
