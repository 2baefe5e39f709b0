"""The bill of materials names each package that the build resolved, and holds together as a document."""

import json
import subprocess
import sys

import pytest

import offer_signer

SCRIPT = offer_signer.REPOSITORY / "deploy/sbom.py"
DEPENDENCIES = offer_signer.REPOSITORY / "deploy/dependencies.txt"


@pytest.fixture(scope="module")
def bill():
    command = [sys.executable, "-B", SCRIPT, offer_signer.EXECUTABLE]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_every_resolved_package_is_in_it_with_version_and_revision(bill):
    pins = json.loads((offer_signer.REPOSITORY / "Package.resolved").read_text())["pins"]
    expected = {(pin["state"].get("version"), pin["state"]["revision"]) for pin in pins}
    found = {(each["version"], each["properties"][0]["value"]) for each in bill["components"] if "properties" in each}
    assert found == expected
    for each in bill["components"]:
        assert each.get("licenses") or "properties" not in each, f"{each['name']} has no licence that is known"


def test_every_component_has_a_version(bill):
    assert [each["name"] for each in bill["components"] if not each.get("version")] == []


def test_the_packages_are_those_that_every_build_has(bill):
    rows = [line.split() for line in DEPENDENCIES.read_text().splitlines() if not line.startswith("#")]
    found = {(each["version"], each["properties"][0]["value"]) for each in bill["components"] if "properties" in each}
    assert found == {(version, revision) for _, version, revision, _ in rows}


def test_the_libraries_of_the_executable_are_in_it(bill):
    names = {each["name"] for each in bill["components"]}
    # Where times have 64 bits on every processor, Debian and Ubuntu say so in the name.
    names = {name.removesuffix("t64") for name in names}
    assert {"libc6", "libpq5", "libssl3", "libsqlite3-0"} <= names
    assert {"boringssl", "llhttp", "libyaml", "swift", "xkcp"} <= names


def test_every_reference_leads_to_a_component_and_none_is_there_twice(bill):
    references = [each["bom-ref"] for each in [bill["metadata"]["component"], *bill["components"]]]
    assert len(set(references)) == len(references)
    for dependency in bill["dependencies"]:
        assert {dependency["ref"], *dependency.get("dependsOn", [])} <= set(references)
