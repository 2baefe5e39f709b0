#!/usr/bin/env python3
"""Writes what is in the executable as a CycloneDX 1.6 bill of materials: the resolved Swift packages, the C sources that
some of them carry, and the system's libraries that it is linked with.

usage: deploy/sbom.py [EXECUTABLE] >offer-signer.cdx.json        default: .build/release/offer-signer

It reads Package.resolved and .build/checkouts of the build, what the executable is linked with (ldd), and whose files
these are (dpkg-query). Two runs on the same build write the same bytes.
"""

import hashlib
import json
import pathlib
import re
import subprocess
import sys
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
LICENSES = (("Apache License", "Apache-2.0"), ("Permission is hereby granted, free of charge", "MIT"))
# C sources of other projects within the packages, and the files that name their versions.
CARRIED = (
    ("swift-nio", "llhttp", "Sources/CNIOLLHTTP/include/c_nio_llhttp.h", r"LLHTTP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)"),
    ("swift-nio-ssl", "boringssl", "Sources/CNIOBoringSSL/hash.txt", r"\b([0-9a-f]{40})\b"),
    ("swift-crypto", "boringssl", "Sources/CCryptoBoringSSL/hash.txt", r"\b([0-9a-f]{40})\b"),
    ("swift-crypto", "xkcp", "Sources/CXKCP/vendored-sources.txt", r"XKCP#\S+ \(\S+-g([0-9a-f]+)\)"),
    # The newest change is the first.
    ("yams", "libyaml", "CHANGELOG.md", r"yaml/libyaml/compare/[0-9a-f]+\.\.\.([0-9a-f]+)"),
)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def license_of(checkout):
    text = "".join(path.read_text(errors="replace") for path in sorted(checkout.glob("LICENSE*")))
    found = [name for words, name in LICENSES if words in text]
    return [{"license": {"id": name}} for name in found]


def checkout_of(pin):
    """Where the build has a package's sources, by the last part of its address."""
    return ROOT / ".build/checkouts" / pathlib.PurePosixPath(pin["location"]).name.removesuffix(".git")


def swift_component(pin):
    address = pin["location"].removesuffix(".git")
    state = pin["state"]
    version = state.get("version") or state["revision"]
    purl = f"pkg:swift/{address.removeprefix('https://').lower()}@{version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": pathlib.PurePosixPath(address).name,
        "version": version,
        "purl": purl,
        "licenses": license_of(checkout_of(pin)),
        "externalReferences": [{"type": "vcs", "url": address}],
        "properties": [{"name": "offer-signer:git-revision", "value": state["revision"]}],
    }


def carried_components(pin):
    for package, name, file, pattern in CARRIED:
        path = checkout_of(pin) / file
        if pin["identity"] != package or not path.exists():
            continue
        version = ".".join(re.findall(pattern, path.read_text())[:3 if name == "llhttp" else 1])
        if not version:
            sys.exit(f"{path} does not say which {name} it has: this script has to follow it.")
        yield {
            "type": "library",
            "bom-ref": f"{package}/{name}",
            "name": name,
            "version": version,
            "description": f"C sources within {package}",
        }


def swift_library():
    """Swift's own library, which is in the executable: of the toolchain that is here."""
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    return {"type": "library", "bom-ref": f"swift@{version}", "name": "swift", "version": version,
            "licenses": [{"license": {"id": "Apache-2.0"}}]}


def system_components(executable):
    """The packages of the libraries that the executable is linked with, and of those that these are linked with."""
    paths = {str(pathlib.Path(path).resolve()) for path in re.findall(r"(?:=> )?(/\S+) \(0x", output("ldd", str(executable)))}
    # dpkg knows files by the paths that they were installed under, in /usr or not; it ends with 1 for the other one.
    both = sorted(paths | {path.removeprefix("/usr") for path in paths})
    found = subprocess.run(["dpkg-query", "--search", *both], capture_output=True, text=True).stdout
    packages = sorted({line.partition(": ")[0] for line in found.splitlines()})
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)', pathlib.Path("/etc/os-release").read_text(), re.MULTILINE))
    distribution = f"{release['ID']}-{release.get('VERSION_ID', 'unknown')}"
    shown = output("dpkg-query", "--show", "--showformat=${Package} ${Version} ${Architecture}\\n", *packages)
    for name, version, architecture in map(str.split, shown.splitlines()):
        quoted = version.replace("+", "%2B").replace(":", "%3A").replace("~", "%7E")
        purl = f"pkg:deb/{release['ID']}/{name}@{quoted}?arch={architecture}&distro={distribution}"
        yield {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def bill(executable):
    pins = sorted(json.loads((ROOT / "Package.resolved").read_text())["pins"], key=lambda pin: pin["identity"])
    version = re.search(r'current = "([^"]+)"', (ROOT / "Sources/offer-signer/Version.swift").read_text())[1]
    swift = {pin["identity"]: swift_component(pin) for pin in pins}
    carried = [(pin["identity"], each) for pin in pins for each in carried_components(pin)]
    system = [swift_library(), *system_components(executable)]
    direct = {
        pathlib.PurePosixPath(address).name.removesuffix(".git").lower()
        for address in re.findall(r'pinned\("([^"]+)"', (ROOT / "Package.swift").read_text())
    }
    root = f"pkg:generic/offer-signer@{version}"
    dependencies = [{"ref": root, "dependsOn": sorted([swift[name]["bom-ref"] for name in direct] + [each["bom-ref"] for each in system])}]
    for identity, component in swift.items():
        within = sorted(each["bom-ref"] for owner, each in carried if owner == identity)
        dependencies.append({"ref": component["bom-ref"], **({"dependsOn": within} if within else {})})
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": "offer-signer",
                "version": version,
                "purl": root,
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(executable.read_bytes()).hexdigest()}],
            }
        },
        "components": [*swift.values(), *(each for _, each in carried), *system],
        "dependencies": dependencies,
    }
    # A number that two runs agree on: of what is in the document.
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}"
    return document


if __name__ == "__main__":
    program = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".build/release/offer-signer"
    if not program.exists() or not (ROOT / "Package.resolved").exists():
        sys.exit(f"{program} and Package.resolved are of a build: make build.")
    json.dump(bill(program), sys.stdout, indent=2, ensure_ascii=False)
    print()
