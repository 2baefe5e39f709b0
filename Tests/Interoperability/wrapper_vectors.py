#!/usr/bin/env python3
"""Writes docs/wrappers/vectors.json: signatures by the demo key, which apps test their side with.

Run it after a change of the rows: every signature is made anew. test_wrapper_vectors.py checks the file.
"""

import base64
import json
import pathlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FILE = REPOSITORY / "docs/wrappers/vectors.json"
P8 = REPOSITORY / "keys.example/SubscriptionKey_EXAMPLE123.p8"

BUNDLE_ID = "com.example.reader"
KEY_ID = "EXAMPLE123"
PRODUCT_ID = "com.example.reader.pro.monthly"
OFFER_ID = "comeback50"
TOKEN = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
TIMESTAMP = 1795612966344

# Name, the account that the payment carries, the account and the nonce as they were signed ("lower" or "upper"), and what
# a diagnosis says of it; None where StoreKit composes the same payload.
ROWS = [
    ("a token", {"appAccountToken": TOKEN}, TOKEN, "lower", None),
    ("a token that the app has in upper case", {"appAccountToken": TOKEN.upper()}, TOKEN, "lower", None),
    ("no account: the field is empty, and its separators stay", {}, "", "lower", None),
    ("a name", {"applicationUsername": "reader-4711"}, "reader-4711", "lower", None),
    ("a name with capitals, which stay", {"applicationUsername": "Reader-4711"}, "Reader-4711", "lower", None),
    ("a name that is a UUID, for StoreKit 1", {"applicationUsername": TOKEN}, TOKEN, "lower", None),
    ("a name beyond ASCII, in UTF-8", {"applicationUsername": "jürgen@例.com"}, "jürgen@例.com", "lower", None),
    ("the nonce was signed in upper case", {"appAccountToken": TOKEN}, TOKEN, "upper", "nonce_uppercase"),
    ("the token was signed in upper case", {"appAccountToken": TOKEN}, TOKEN.upper(), "lower", "account_case"),
    ("the payment has an account, and none was signed", {"appAccountToken": TOKEN}, "", "lower", "account_missing"),
]


def vector(key, number, row, timestamp=TIMESTAMP):
    name, account, signed_account, letters, diagnosis = row
    nonce = f"4be7a828-5b84-4600-8105-50574180715{number}"
    signed_nonce = nonce.upper() if letters == "upper" else nonce
    fields = [BUNDLE_ID, KEY_ID, PRODUCT_ID, OFFER_ID, signed_account, signed_nonce, str(timestamp)]
    payload = "\u2063".join(fields)
    signature = key.sign(payload.encode(), ec.ECDSA(hashes.SHA256()))
    return {
        "name": name,
        "accepted": diagnosis is None,
        "diagnosis": diagnosis,
        "bundleId": BUNDLE_ID,
        "productId": PRODUCT_ID,
        "account": account,
        "discount": {"identifier": OFFER_ID, "keyIdentifier": KEY_ID, "nonce": nonce, "timestamp": timestamp}
        | {"signature": base64.b64encode(signature).decode()},
        "payload": payload,
        "payloadHex": payload.encode().hex(),
        "signatureHex": signature.hex(),
    }


def main():
    key = serialization.load_pem_private_key(P8.read_bytes(), None)
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    document = {
        "about": "Signatures by the demo key of keys.example, which Apple does not know. docs/wrappers.md says how to use them.",
        "publicKey": public.decode(),
        "vectors": [vector(key, number, row) for number, row in enumerate(ROWS)],
    }
    FILE.write_text(json.dumps(document, indent=2, ensure_ascii=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
