"""Each mistake is made on top of what Apple's library signs: it is named, and no other.

Of a JWS, any two are named. What a backend may sign in place of a discount's payload, and what is known beside a
signature, is in OffersTests/Diagnosis; here is what real signatures, a ledger and the App Store add.
"""

import hashlib
import itertools
import json
import subprocess
import time
import uuid

import jwt
import pytest
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from cryptography.hazmat.primitives import hashes

from diagnosing import ACCOUNT, JWS, OTHER_BUNDLE_ID, OTHER_OFFER_ID, OTHER_PRODUCT_ID, Discount
from diagnosing import base64url, check, codes, read, running_diagnosing, standard
from offer_signer import BUNDLE_ID, ENVIRONMENT, EXECUTABLE, ISSUER_ID, KEY_ID, OFFER_ID, PRODUCT_ID
from offer_signer import new_key, openssl_p8


@pytest.fixture(name="diagnosing", scope="module")
def fixture_diagnosing(tmp_path_factory):
    with running_diagnosing(tmp_path_factory.mktemp("diagnosing"), tmp_path_factory.mktemp("app-store")) as service:
        yield service


# --- the discount ---


def attribute(name, value):
    return lambda mistaken: setattr(mistaken, name, value)


def uppercase_nonce(discount):
    discount.fields[5] = discount.fields[5].upper()


# Code, and what is done: of the hashes each one that real backends use.
DISCOUNT = [
    ("nonce_uppercase", uppercase_nonce),
    ("wrong_key", lambda discount: setattr(discount, "key", discount.service.other_key)),
    ("wrong_hash", attribute("hash", lambda payload: (payload, hashes.SHA1()))),
    ("wrong_hash", attribute("hash", lambda payload: (payload, hashes.SHA512()))),
    ("wrong_hash", attribute("hash", lambda payload: (payload, hashes.SHA384()))),
    ("wrong_hash", attribute("hash", lambda payload: (hashlib.sha256(payload).digest(), hashes.SHA256()))),
    ("wrong_hash", attribute("hash", lambda payload: (hashlib.sha256(payload).hexdigest().encode(), hashes.SHA256()))),
]


def test_a_discount_by_apples_library_is_right(diagnosing):
    key = openssl_p8(diagnosing.key)
    creator = PromotionalOfferSignatureCreator(key, KEY_ID, BUNDLE_ID)
    for account in [{"appAccountToken": ACCOUNT}, {"applicationUsername": "reader-4711"}, {}] * 7:
        report = {**Discount(diagnosing).report, **account}
        if "appAccountToken" not in account:
            del report["appAccountToken"]
        [signed] = account.values() or [""]
        nonce = uuid.UUID(report["nonce"])
        report["signature"] = creator.create_signature(PRODUCT_ID, OFFER_ID, signed, nonce, report["timestamp"])
        assert diagnosing.diagnose(report) == {"valid": True, "causes": []}, report


@pytest.mark.parametrize("with_payload", [False, True])
def test_every_mistake_of_a_discount_is_named_alone(diagnosing, with_payload):
    for code, make in DISCOUNT:
        discount = Discount(diagnosing)
        make(discount)
        check(diagnosing.diagnose(discount.reported(with_payload)), [code])


# --- the JWS ---


def claim(name, value):
    def make(jws):
        jws.claims[name] = value(jws.claims[name]) if callable(value) else value

    return make


def without(name):
    return lambda jws: jws.claims.pop(name)


def header(name, value):
    def make(jws):
        if value is None:
            del jws.header[name]
        else:
            jws.header[name] = value

    return make


def padded(data):
    """Standard Base64, with its padding; what needs none has a blank at its end."""
    return standard(data if len(data) % 3 else data + b" " if data[:1] == b"{" else data)


OF_BOTH = [
    ("jws_malformed", "parts", attribute("join", lambda parts: ".".join(parts[:2]))),
    ("jws_malformed", "parts", attribute("join", lambda parts: standard(".".join(parts).encode()))),
    ("jws_not_base64url", "encoding", attribute("encode", padded)),
    ("jws_not_base64url", "around", attribute("join", lambda parts: ".".join(parts) + "\n")),
    ("jws_header", "header", header("typ", None)),
    ("jws_header", "kid", header("kid", None)),
    ("jws_header", "header", header("alg", "HS256")),
    ("jws_signature_der", "form", attribute("form", lambda der: der)),
    ("jws_expires", "exp", claim("exp", 4_000_000_000)),
    ("timestamp_in_milliseconds", "iat", claim("iat", lambda seconds: seconds * 1000)),
    ("timestamp_expired", "iat", claim("iat", lambda seconds: seconds - 90_000)),
    ("timestamp_in_future", "iat", claim("iat", lambda seconds: seconds + 3_600)),
    ("field_undefined", "iat", without("iat")),
    ("issuer_mismatch", "iss", claim("iss", str(uuid.uuid4()))),
    ("issuer_mismatch", "iss", without("iss")),
    ("bundle_mismatch", "bid", claim("bid", str.upper)),
    ("bundle_mismatch", "bid", claim("bid", OTHER_BUNDLE_ID)),
    ("field_undefined", "bid", claim("bid", "undefined")),
    ("nonce_uppercase", "nonce", claim("nonce", str.upper)),
    ("jws_malformed", "iat", claim("iat", str)),
    ("jws_malformed", "transactionId", claim("transactionId", int)),
    ("field_undefined", "nonce", claim("nonce", None)),
    ("unexplained", "nonce", claim("nonce", "abc")),
    ("product_mismatch", "productId", claim("productId", OTHER_PRODUCT_ID)),
    ("field_undefined", "productId", without("productId")),
    ("transaction_mismatch", "transactionId", claim("transactionId", "999")),
    ("wrong_key", "key", lambda jws: setattr(jws, "key", jws.service.other_key)),
    ("wrong_hash", "hash", attribute("hash", lambda text: (hashlib.sha256(text).digest(), hashes.SHA256()))),
    ("wrong_hash", "hash", attribute("hash", lambda text: (text, hashes.SHA512()))),
]

PROMOTIONAL = OF_BOTH + [
    ("wrong_audience", "aud", claim("aud", "introductory-offer-eligibility")),
    ("wrong_audience", "aud", claim("aud", "appstoreconnect-v1")),
    ("offer_mismatch", "offer", claim("offerIdentifier", OTHER_OFFER_ID)),
    ("field_undefined", "offer", claim("offerIdentifier", "")),
]

INTRODUCTORY = OF_BOTH + [
    ("wrong_audience", "aud", claim("aud", "promotional-offer")),
    ("offer_mismatch", "offer", claim("allowIntroductoryOffer", False)),
    ("field_undefined", "offer", without("allowIntroductoryOffer")),
    ("jws_malformed", "offer", claim("allowIntroductoryOffer", "true")),
    ("field_undefined", "transactionId", without("transactionId")),
]

# What hides another: without a third part nobody tells who signed, and how; without a kid, whose key it should be.
HIDDEN = [
    ({"parts"}, {"form", "hash", "key", "around", "encoding"}),
    ({"kid"}, {"key"}),
    ({"header"}, {"hash"}),
    ({"around"}, {"encoding"}),
]


def hides(first, second):
    if first[1] == second[1]:
        return True
    # Padding and blanks, members of the header, and what is malformed have one cause together.
    if first[0] == second[0] and first[0] in ("jws_not_base64url", "jws_header", "jws_malformed"):
        return True
    for some, others in HIDDEN:
        if (first[1] in some and second[1] in others) or (second[1] in some and first[1] in others):
            return True
    return False


@pytest.mark.parametrize("introductory", [False, True])
def test_a_jws_by_apples_library_is_right(diagnosing, introductory):
    jws = JWS(diagnosing, introductory)
    right = {"valid": True, "causes": []}
    assert diagnosing.diagnose({**jws.report, "jws": jws.apples}) == right
    assert diagnosing.diagnose(jws.reported()) == right
    del jws.report["transactionId"]
    assert diagnosing.diagnose({**jws.report, "jws": jws.apples}) == right


@pytest.mark.parametrize("introductory", [False, True])
def test_every_mistake_of_a_jws_is_named_alone_and_beside_every_other(diagnosing, introductory):
    rows = INTRODUCTORY if introductory else PROMOTIONAL
    pairs = [pair for pair in itertools.combinations(rows, 2) if not hides(*pair)]
    wrong = []
    for mistakes in [(row,) for row in rows] + pairs:
        jws = JWS(diagnosing, introductory)
        for _, _, make in mistakes:
            make(jws)
        answer = diagnosing.diagnose(jws.reported())
        if codes(answer) != sorted(code for code, _, _ in mistakes) or answer["valid"]:
            wrong.append(([row[:2] for row in mistakes], codes(answer)))
    assert not wrong


def test_a_token_for_the_server_api_is_no_offer(diagnosing):
    now = int(time.time())
    claims = {"iss": ISSUER_ID, "iat": now, "exp": now + 300, "aud": "appstoreconnect-v1", "bid": BUNDLE_ID}
    token = jwt.encode(claims, openssl_p8(diagnosing.key), algorithm="ES256", headers={"kid": KEY_ID})
    # Neither product nor offer nor nonce.
    expected = ["jws_expires", "wrong_audience"] + ["field_undefined"] * 3
    check(diagnosing.diagnose({**JWS(diagnosing).report, "jws": token}), expected)


def test_a_jws_by_an_unknown_key_is_unexplained_and_its_visible_mistakes_are_named(diagnosing):
    jws = JWS(diagnosing)
    jws.key = new_key()
    check(diagnosing.diagnose(jws.reported()), ["unexplained"])
    jws.claims["exp"] = 1
    check(diagnosing.diagnose(jws.reported()), ["jws_expires", "unexplained"])


def test_by_the_ledger_a_jws_of_the_service(diagnosing):
    [decision] = diagnosing.sign(formats=["jws"])["decisions"]
    report = {"bundleId": BUNDLE_ID, "productId": PRODUCT_ID, "offerId": OFFER_ID, "jws": decision["jws"]}
    assert diagnosing.diagnose(report) == {"valid": True, "causes": []}

    # Changed after it was signed, and signed anew with the nonce.
    header_part, claims_part, signature = decision["jws"].split(".")
    claims = read(claims_part) | {"offerIdentifier": OTHER_OFFER_ID}
    changed = f"{header_part}.{base64url(json.dumps(claims).encode())}.{signature}"
    answer = diagnosing.diagnose({**report, "offerId": OTHER_OFFER_ID, "jws": changed})
    check(answer, ["offer_mismatch"])
    assert f"signed the offerIdentifier {OFFER_ID} " in answer["causes"][0]["detail"]
    jws = JWS(diagnosing)
    jws.claims["nonce"] = claims["nonce"]
    jws.claims["iat"] += 1
    check(diagnosing.diagnose(jws.reported()), ["nonce_reused"])


# --- the purchase that it came to ---


def bought(service, name, **offer):
    status, answer = service.app_store.ask("/simulator/purchases", {"customer": name, "productId": PRODUCT_ID, **offer})
    assert status == 200, answer
    return answer["signedTransaction"]


def customers_transaction(service, name):
    [subscription] = service.app_store.customer(name)["subscriptions"]
    return subscription["originalTransactionId"]


def test_all_is_right_and_the_purchase_has_no_offer(diagnosing):
    jws = JWS(diagnosing)
    jws.claims["transactionId"] = customers_transaction(diagnosing, "lapsed")
    del jws.report["transactionId"]
    report = jws.reported()
    with_offer = bought(diagnosing, "lapsed", offerId=OFFER_ID, jws=report["jws"])
    assert diagnosing.diagnose({**report, "resultingTransaction": with_offer}) == {"valid": True, "causes": []}

    jws.claims["transactionId"] = customers_transaction(diagnosing, "activeAutoRenewOff")
    without_offer = bought(diagnosing, "activeAutoRenewOff")
    report = {**jws.reported(), "resultingTransaction": without_offer}
    answer = diagnosing.diagnose(report)
    assert (answer["valid"], codes(answer)) == (True, ["offer_not_applied"])
    assert "App Store Connect" in answer["causes"][0]["fix"]

    # The purchase shows that it is another customer's.
    other = {**report, "resultingTransaction": with_offer}
    check(diagnosing.diagnose(other), ["transaction_mismatch"])
    jws.claims["exp"] = 4_000_000_000
    check(diagnosing.diagnose({**report, "jws": jws.compact()}), ["jws_expires"])

    status, problem = diagnosing.send({**report, "resultingTransaction": without_offer[:-4] + "AAAA"})
    assert (status, problem["pointer"]) == (422, "/resultingTransaction")
    status, problem = diagnosing.send({**report, "bundleId": OTHER_BUNDLE_ID})
    assert (status, problem["pointer"]) == (422, "/resultingTransaction")
    status, problem = diagnosing.send({**report, "bundleId": "com.example.nobodys"})
    assert (status, problem["pointer"]) == (403, "/bundleId")


def test_the_command_says_the_same_as_the_service(diagnosing, tmp_path):
    signed = diagnosing.sign()["decisions"][0]["discount"]
    recorded = {"bundleId": BUNDLE_ID, "productId": PRODUCT_ID, "offerId": OTHER_OFFER_ID, **signed}
    del recorded["identifier"]
    answer = diagnosing.diagnose(recorded)
    assert "signed the offer" in answer["causes"][0]["detail"]
    report = tmp_path / "report.json"
    report.write_text(json.dumps(recorded))
    command = [EXECUTABLE, "diagnose", "--config", diagnosing.configuration, "--json", report]
    result = subprocess.run(command, capture_output=True, env=ENVIRONMENT, timeout=60, check=False)
    assert (result.returncode, json.loads(result.stdout)) == (1, answer), result.stderr


def test_nothing_of_a_payload_goes_into_the_log(diagnosing):
    discount = Discount(diagnosing)
    discount.fields[4] = "an-account-of-nobody"
    report = discount.reported(with_payload=True)
    check(diagnosing.diagnose(report), ["account_unexpected"])
    assert diagnosing.send({**report, "payload": report["payload"] + "?"})[0] == 400
    log = (diagnosing.configuration.parent / "service.log").read_text()
    assert log
    assert discount.fields[4] not in log and report["payload"] not in log
