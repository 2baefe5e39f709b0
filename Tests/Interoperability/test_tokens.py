"""docs/tokens.md holds: each command that it gives is run, and what the tokens sign is verified by others."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess

import pytest

import apple_library
import offer_signer
import test_jws
from offer_signer import KEY_ID, verify

GUIDE = (offer_signer.REPOSITORY / "docs/tokens.md").read_text(encoding="utf-8")
SOFTHSM = "/usr/lib/softhsm/libsofthsm2.so"
PIN = "471147114711"


def commands(beginning):
    """The block of commands of the guide that begins so, with the names of this test, and with the PIN that people type."""
    [block] = [block for block in re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL) if block.startswith(beginning)]
    block = block.replace("EXAMPLE123", KEY_ID).replace("--login", f"--login --pin {PIN}")
    return re.sub(r"^(softhsm2-util --(?:init-token|import).*)$", rf"\1 --pin {PIN}", block, flags=re.MULTILINE).replace(
        "--init-token", "--init-token --so-pin 00000000"
    )


def unit(name):
    """The lines of a systemd unit of the guide."""
    [text] = re.findall(rf"```ini\n# {re.escape(name)}\n(.*?)```", GUIDE, re.DOTALL)
    return text


def run(script, folder):
    done = subprocess.run(["sh", "-eu", "-c", script], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The directory of a configuration, whose P8 can be imported into an empty token store."""
    (tmp_path / "tokens").mkdir()
    (tmp_path / "softhsm2.conf").write_text(f"directories.tokendir = {tmp_path}/tokens\nlog.level = ERROR\n")
    for variables in (os.environ, offer_signer.ENVIRONMENT):
        monkeypatch.setitem(variables, "SOFTHSM2_CONF", str(tmp_path / "softhsm2.conf"))
    pin = tmp_path / "offers.pin"
    pin.touch(mode=0o600)
    pin.write_text(PIN + "\n")
    return tmp_path


@contextlib.contextmanager
def signing(folder, key, module, more=""):
    """A service that signs by the token, and has no file of the key any more."""
    configuration = offer_signer.write_configuration(folder, offer_signer.openssl_p8(key))
    (folder / f"SubscriptionKey_{KEY_ID}.p8").unlink()
    main = configuration.read_text().rstrip().rstrip("}")
    configuration.write_text(f'{main}, "pkcs11": {{"modules": ["{module}"]}}}}')
    catalog = folder / "catalog.yaml"
    uri = f"pkcs11:token=offers;object={KEY_ID}?pin-source=file:offers.pin"
    file = f'"file": "SubscriptionKey_{KEY_ID}.p8"'
    text = catalog.read_text()
    assert file in text
    catalog.write_text(text.replace(file, f'"pkcs11": "{uri}"{more}'))
    with offer_signer.running_configuration(folder, configuration, key) as service:
        yield service


def expect_signatures(service):
    """A discount and a JWS are the key's, over the bytes that Apple's library composes."""
    for _ in range(20):
        answer = service.sign(applicationUsername="reader-4711", formats=["discount", "jws"])
        [decision] = answer["decisions"]
        verify(service.key, decision, apple_library.payload(answer, decision, "reader-4711"))
        test_jws.verify(service.key, decision["jws"])


def write_p8(folder, key):
    file = folder / f"SubscriptionKey_{KEY_ID}.p8"
    file.touch(mode=0o600)
    file.write_bytes(offer_signer.openssl_p8(key))


def test_a_key_that_softhsm_imported_signs(folder):
    key = offer_signer.new_key()
    write_p8(folder, key)
    run(commands("softhsm2-util"), folder)
    with signing(folder, key, SOFTHSM) as service:
        expect_signatures(service)


def test_a_key_that_opensc_imported_signs_with_the_file_of_its_public_half(folder):
    key = offer_signer.new_key()
    write_p8(folder, key)
    run(f"softhsm2-util --init-token --free --label offers --pin {PIN} --so-pin 00000000", folder)
    run(commands("openssl pkcs8"), folder)
    with signing(folder, key, SOFTHSM, f', "publicKeyFile": "{KEY_ID}.pem"') as service:
        expect_signatures(service)


def test_the_token_in_another_process_signs_behind_the_guides_unit(folder, monkeypatch):
    key = offer_signer.new_key()
    write_p8(folder, key)
    run(commands("softhsm2-util"), folder)
    token = unit("/etc/systemd/system/offer-token.service").replace("/run/offer-token", str(folder))
    start, after = (re.search(rf"^{name}=(.*)$", token, re.MULTILINE)[1] for name in ("ExecStart", "ExecStartPost"))
    with subprocess.Popen(["sh", "-c", f"exec {start}"], start_new_session=True) as server:
        try:
            run(after.removeprefix("/bin/sh -c ").strip("'"), folder)
            assert (folder / "socket").stat().st_mode & 0o777 == 0o770
            [address] = re.findall(r"^Environment=(P11_KIT_SERVER_ADDRESS=.*)$", GUIDE, re.MULTILINE)
            name, value = address.replace("/run/offer-token", str(folder)).split("=", 1)
            monkeypatch.setitem(offer_signer.ENVIRONMENT, name, value)
            # The service does not need the token's store.
            monkeypatch.delitem(offer_signer.ENVIRONMENT, "SOFTHSM2_CONF")
            [module] = pathlib.Path("/usr/lib").glob("*/pkcs11/p11-kit-client.so")
            with signing(folder, key, module) as service:
                expect_signatures(service)
        finally:
            os.killpg(server.pid, signal.SIGKILL)


def test_systemd_takes_the_guides_units(tmp_path):
    file = tmp_path / "offer-token.service"
    file.write_text(unit("/etc/systemd/system/offer-token.service"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", file], capture_output=True, text=True, timeout=60)
    faults = [line for line in done.stderr.splitlines() if "offer-token" in line and "not executable" not in line]
    assert not faults, faults
