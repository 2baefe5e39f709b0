"""Key files that other tools write hold the key that OpenSSL finds in them."""

import os
import re
import subprocess
from hashlib import sha256

import ecdsa
import pytest
from Crypto.PublicKey import ECC
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

SERVICE = os.environ["OFFER_SIGNER"]


def run(*command: str) -> bytes:
    return subprocess.run(command, check=True, capture_output=True).stdout


def ecdsa_pkcs8(folder) -> bytes:
    return ecdsa.SigningKey.generate(curve=ecdsa.NIST256p).to_pem(format="pkcs8")


def pycryptodome(folder) -> bytes:
    return ECC.generate(curve="P-256").export_key(format="PEM").encode()


def cryptography(folder) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return key.private_bytes(*form)


def certtool(folder) -> bytes:
    run("certtool", "--generate-privkey", "--key-type=ecdsa", "--curve=secp256r1", "--outfile", str(folder / "gnutls"))
    return run("certtool", "--to-p8", "--password=", "--load-privkey", str(folder / "gnutls"))


def ssh_keygen(folder) -> bytes:
    run("ssh-keygen", "-q", "-t", "ecdsa", "-b", "256", "-N", "", "-m", "PKCS8", "-f", str(folder / "ssh"))
    return (folder / "ssh").read_bytes()


@pytest.mark.parametrize("tool", [ecdsa_pkcs8, pycryptodome, cryptography, certtool, ssh_keygen])
def test_a_key_of_another_tool_is_taken(tool, tmp_path):
    # Whether a number begins with zeros or with the highest bit set changes what some tools write.
    for _ in range(8):
        for old in tmp_path.iterdir():
            old.unlink()
        file = tmp_path / "SubscriptionKey_TESTKEY001.p8"
        text = tool(tmp_path)
        file.write_bytes(text[text.index(b"-----BEGIN") :])
        file.chmod(0o600)
        shown = run(SERVICE, "keys", "inspect", str(file)).decode()
        public = run("openssl", "pkey", "-in", str(file), "-pubout", "-outform", "der", "-ec_conv_form", "uncompressed")
        assert re.search(r"SHA-256 ([0-9a-f]{64})", shown)[1] == sha256(public).hexdigest()
