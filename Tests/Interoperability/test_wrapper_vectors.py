"""The test vectors of docs/wrappers.md: an app's team relies on them without this service."""

import base64
import json
import shutil
import subprocess

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import apple_library
import offer_signer
import wrapper_vectors
from offer_signer import ENVIRONMENT, EXECUTABLE, SEPARATOR
from wrapper_vectors import FILE, P8

DOCUMENT = json.loads(FILE.read_text(encoding="utf-8"))
VECTORS = DOCUMENT["vectors"]
PUBLIC_KEY = serialization.load_pem_public_key(DOCUMENT["publicKey"].encode())
every_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])


def verifies(signature, payload):
    try:
        PUBLIC_KEY.verify(signature, payload, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True


def due(vector):
    """What StoreKit composes of the values that it is given: UUIDs in lower case, a name as it is."""
    account = vector["account"]
    name = account.get("appAccountToken", "").lower() or account.get("applicationUsername", "")
    discount = vector["discount"]
    fields = [
        vector["bundleId"], discount["keyIdentifier"], vector["productId"], discount["identifier"], name,
        discount["nonce"].lower(), str(discount["timestamp"]),
    ]
    return SEPARATOR.join(fields).encode()


def test_there_are_ten_by_the_demo_key():
    assert len(VECTORS) == 10 and len({vector["discount"]["nonce"] for vector in VECTORS}) == 10
    key = serialization.load_pem_private_key(P8.read_bytes(), None)
    assert key.public_key().public_numbers() == PUBLIC_KEY.public_numbers()


@every_vector
def test_a_signature_is_by_the_key_over_its_payload(vector):
    signature = base64.b64decode(vector["discount"]["signature"], validate=True)
    assert signature.hex() == vector["signatureHex"] and signature[0] == 0x30
    assert bytes.fromhex(vector["payloadHex"]) == vector["payload"].encode()
    assert verifies(signature, vector["payload"].encode())


@every_vector
def test_it_is_accepted_where_storekit_composes_the_same_payload(vector):
    signature = base64.b64decode(vector["discount"]["signature"])
    assert verifies(signature, due(vector)) == vector["accepted"] == (vector["diagnosis"] is None)
    # The fault of wrappers: the text's bytes in place of the bytes that it encodes.
    assert not verifies(vector["discount"]["signature"].encode(), due(vector))


@every_vector
def test_apples_library_composes_the_same_payload(vector):
    [name] = vector["account"].values() or [""]
    # It lowercases names, which StoreKit does not.
    if vector["accepted"] and (name == name.lower() or "appAccountToken" in vector["account"]):
        assert apple_library.payload(vector, vector, name) == vector["payload"].encode()


def diagnosis(vector, folder, **members):
    discount = dict(vector["discount"])
    report = {
        "bundleId": vector["bundleId"],
        "productId": vector["productId"],
        "offerId": discount.pop("identifier"),
        **discount,
        **vector["account"],
        **members,
    }
    file = folder / "report.json"
    file.write_text(json.dumps(report), encoding="utf-8")
    example = shutil.copytree(P8.parent, folder / "keys.example")
    (example / P8.name).chmod(0o600)
    command = [EXECUTABLE, "diagnose", "--config", example / "offer-signer.yaml", "--json", file]
    return json.loads(subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False).stdout)


@every_vector
def test_a_diagnosis_says_what_the_vector_says(vector, tmp_path):
    codes = [cause["code"] for cause in diagnosis(vector, tmp_path)["causes"]]
    # The vectors are of one moment, and StoreKit takes a signature for a day.
    codes = [code for code in codes if not code.startswith("timestamp_")]
    assert codes == ([] if vector["accepted"] else [vector["diagnosis"]])


def test_where_the_signature_is_right_the_fault_of_wrappers_is_among_what_is_left(tmp_path):
    key = serialization.load_pem_private_key(P8.read_bytes(), None)
    fresh = wrapper_vectors.vector(key, 0, wrapper_vectors.ROWS[0], offer_signer.milliseconds_now())
    answer = diagnosis(fresh, tmp_path, storeKitError="invalidOfferSignature")
    assert answer["valid"] and [cause["code"] for cause in answer["causes"]] == ["unexplained"]
    assert "the wrapper passed the text's bytes in place of the decoded signature" in answer["causes"][0]["fix"]
