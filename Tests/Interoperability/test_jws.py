"""A JWS is the one that Apple's own server library would make of the same inputs, and its signature is the key's."""

import base64
import datetime
import json
import types
import uuid

import pytest
from appstoreserverlibrary import jws_signature_creator
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from offer_signer import BUNDLE_ID, ISSUER_ID, KEY_ID, OFFER_ID, PRODUCT_ID
from offer_signer import lapsed_receipt_response, milliseconds_now, new_key, openssl_p8

TRANSACTION_ID = "410000000000001"  # of the lapsed customer


def decode(part):
    assert "=" not in part
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def read(compact):
    """Header and claims of a compact JWS."""
    header, claims, _ = compact.split(".")
    return json.loads(decode(header)), json.loads(decode(claims))


def verify(key, compact):
    """Fails unless the signature, r and s side by side, is the key's."""
    signed, _, text = compact.rpartition(".")
    signature = decode(text)
    assert len(signature) == 64
    der = encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    key.public_key().verify(der, signed.encode(), ec.ECDSA(hashes.SHA256()))


def apples(monkeypatch, creator, claims, *inputs):
    """The header and claims that Apple's library makes of the inputs, at the time and with the nonce of the claims."""
    moment = datetime.datetime.fromtimestamp(claims["iat"], datetime.timezone.utc)
    clock = types.SimpleNamespace(now=lambda zone: moment)
    with monkeypatch.context() as patch:
        patch.setattr(
            jws_signature_creator, "datetime", types.SimpleNamespace(datetime=clock, timezone=datetime.timezone)
        )
        patch.setattr(jws_signature_creator, "uuid", types.SimpleNamespace(uuid4=lambda: uuid.UUID(claims["nonce"])))
        any_key = openssl_p8(new_key())
        return read(creator(any_key, KEY_ID, ISSUER_ID, BUNDLE_ID).create_signature(*inputs))


def check_nonce_and_time(claims, before):
    nonce = uuid.UUID(claims["nonce"])
    assert (claims["nonce"], nonce.version, nonce.variant) == (str(nonce), 4, uuid.RFC_4122)
    assert before // 1000 <= claims["iat"] <= milliseconds_now() // 1000


def test_a_promotional_offer_is_signed_as_apples_library_signs_it(service, monkeypatch):
    before = milliseconds_now()
    [decision] = service.sign(formats=["jws"])["decisions"]
    assert "discount" not in decision
    verify(service.key, decision["jws"])
    header, claims = read(decision["jws"])
    creator = jws_signature_creator.PromotionalOfferV2SignatureCreator
    assert (header, claims) == apples(monkeypatch, creator, claims, PRODUCT_ID, OFFER_ID, TRANSACTION_ID)
    check_nonce_and_time(claims, before)


def test_without_a_transaction_the_claim_is_left_out_as_apples_library_does(service, monkeypatch):
    receipt = lapsed_receipt_response()
    del receipt["latest_receipt_info"]
    [decision] = service.sign(formats=["jws"], evidence={"receiptResponse": receipt})["decisions"]
    verify(service.key, decision["jws"])
    header, claims = read(decision["jws"])
    creator = jws_signature_creator.PromotionalOfferV2SignatureCreator
    assert (header, claims) == apples(monkeypatch, creator, claims, PRODUCT_ID, OFFER_ID, None)


def test_both_formats_come_in_one_answer(service):
    token = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
    for decision in service.sign(offers=100, formats=["discount", "jws"], appAccountToken=token)["decisions"]:
        verify(service.key, decision["jws"])
        header, claims = read(decision["jws"])
        assert header["kid"] == decision["discount"]["keyIdentifier"]
        assert claims["nonce"] != decision["discount"]["nonce"]
        assert claims["iat"] == decision["discount"]["timestamp"] // 1000


def introductory(service, **members):
    [product] = service.ask("/v1/introductory-eligibility-signatures", products=[PRODUCT_ID], **members)["products"]
    return product


@pytest.mark.parametrize("trial", [True, False])
@pytest.mark.parametrize("allows", [True, False])
@pytest.mark.parametrize("transaction_id", [TRANSACTION_ID, "704289572311513293"])
def test_an_introductory_offer_is_signed_as_apples_library_signs_it(
    service, monkeypatch, trial, allows, transaction_id
):
    receipt = lapsed_receipt_response()
    receipt["latest_receipt_info"][0]["is_trial_period"] = str(trial).lower()
    named = {}
    if transaction_id != TRANSACTION_ID:
        # Something else that the customer bought.
        bought = {"product_id": "coins", "transaction_id": transaction_id, "original_transaction_id": transaction_id}
        receipt["receipt"]["in_app"] = [*receipt["receipt"].get("in_app", []), bought]
        named = {"transactionId": transaction_id}
    before = milliseconds_now()
    product = introductory(service, evidence={"receiptResponse": receipt}, allowIntroductoryOffer=allows, **named)
    assert product["introductoryOffer"]["reason"] == ("already_used" if trial else "never_used")
    allowed = allows and not trial
    assert product["allowIntroductoryOffer"] is allowed
    verify(service.key, product["jws"])
    header, claims = read(product["jws"])
    creator = jws_signature_creator.IntroductoryOfferEligibilitySignatureCreator
    assert (header, claims) == apples(monkeypatch, creator, claims, PRODUCT_ID, allowed, transaction_id)
    check_nonce_and_time(claims, before)
