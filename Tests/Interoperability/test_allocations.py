"""A signature takes no more memory allocations than it did: they are a third of its time, and come back unseen.

The debug build has four to five times as many as the release build; the bounds are what was measured, and a third more.
"""

import json
import os
import shutil
import struct
import subprocess

import pytest

import offer_signer

COUNTER = offer_signer.REPOSITORY / "deploy/loadtest/count_allocations.c"


def allocated(folder, wrapper, kind, seconds):
    """The allocations of a service from its start to its end, and the requests that it answered."""
    counts = folder / f"{kind}-{seconds}"
    counts.mkdir()
    command = [
        offer_signer.LAB, "load", "--self", "--service", wrapper, "--config", folder / "example/offer-signer.yaml", "--json",
        "--connections", "8", "--warm-up", "0", "--duration", str(seconds), "--mix", kind, "--customers", "100",
    ]
    environment = {**offer_signer.ENVIRONMENT, "COUNT_ALLOCATIONS": str(counts)}
    report = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return sum(struct.unpack("Q", file.read_bytes())[0] for file in counts.iterdir()), json.loads(report.stdout)["requests"]


@pytest.mark.parametrize("kind, most", [("held", 850), ("receiptResponse", 900)])
def test_a_signature_takes_no_more_allocations_than_it_did(tmp_path, kind, most):
    shutil.copytree(offer_signer.REPOSITORY / "keys.example", tmp_path / "example")
    for key in (tmp_path / "example").glob("*.p8"):
        key.chmod(0o600)
    library = tmp_path / "count_allocations.so"
    # Where Swift's own clang is the only compiler, there is no cc.
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("clang") or "gcc"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, COUNTER], check=True)
    wrapper = tmp_path / "offer-signer"
    wrapper.write_text(f'#!/bin/sh\nLD_PRELOAD={library} exec {offer_signer.EXECUTABLE} "$@"\n')
    wrapper.chmod(0o755)
    (few, fewer), (many, more) = (allocated(tmp_path, wrapper, kind, seconds) for seconds in (1, 4))
    each = (many - few) / (more - fewer)
    print(f"{kind}: {each:.0f} allocations a request")
    assert 0 < each <= most
