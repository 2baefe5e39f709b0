"""What `deploy/kubernetes` sets is what the service takes: each overlay's configuration, mounts and environment."""

import os
import subprocess
import sys

import pytest

import offer_signer

sys.path.insert(0, str(offer_signer.REPOSITORY / "deploy/kubernetes"))
from overlays import OVERLAYS, pod, resolve, FOLDER  # noqa: E402

SECRETS = "/var/run/offer-signer"


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


@pytest.fixture
def mounts(tmp_path):
    """The secrets as README.md makes them, with the mode of their mounts."""
    for name in ("keys/SubscriptionKey_ABCDE12345.p8", "ledger/checkpoint-key.p8"):
        path = tmp_path / name
        path.parent.mkdir()
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path)
    openssl("rand", "-out", tmp_path / "ledger/digest-key", "32")
    openssl("req", "-x509", "-key", tmp_path / "ledger/checkpoint-key.p8", "-subj", "/CN=ca", "-out", tmp_path / "ledger/database-ca.pem")
    for path in tmp_path.glob("*/*"):
        path.chmod(0o440)
    return tmp_path


def environment(overlay, mounts):
    container = pod(resolve(FOLDER / overlay))["containers"][0]
    own = {each["name"]: each["value"].replace(SECRETS, str(mounts)) for each in container["env"]}
    return {"PATH": os.environ["PATH"], "STATE_DIRECTORY": str(mounts), **own}


def check(overlay, mounts, change=("", ""), extra=()):
    data = resolve(FOLDER / overlay)["ConfigMap", "offer-signer"]["data"]
    for name, text in data.items():
        (mounts / name).write_text(text.replace(SECRETS, str(mounts)).replace(*change))
    command = [offer_signer.EXECUTABLE, "check", "--config", mounts / "offer-signer.yaml"]
    return subprocess.run(command, env={**environment(overlay, mounts), **dict(extra)}, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_setting_of_an_overlay_is_one_that_the_service_has(overlay, mounts):
    outcome = check(overlay, mounts)
    # The example's database is nowhere: that is a fault, and the only one.
    faults = [line for line in outcome.stderr.splitlines() if line.startswith("error: ")]
    assert all("database.example.internal" in fault for fault in faults), outcome.stderr
    assert (outcome.returncode, len(faults)) == ((78, 1) if overlay == "postgresql" else (0, 0)), outcome.stderr
    assert ("key ABCDE12345" in outcome.stdout) == (not faults), outcome.stdout
    assert "is not a variable of offer-signer" not in outcome.stderr, outcome.stderr


def test_a_setting_that_the_service_does_not_have_would_be_found(mounts):
    assert check("sqlite", mounts, ("drainDelaySeconds", "drainDelay")).returncode == 78
    outcome = check("sqlite", mounts, extra=[("OFFER_SIGNER_SERVER_HOSTT", "0.0.0.0")])
    assert "is not a variable of offer-signer" in outcome.stderr, outcome.stderr
