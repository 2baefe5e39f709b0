"""A signature is one that Apple would accept: its bytes are composed by Apple's library, and checked elsewhere."""

import json
import subprocess
import uuid

import pytest
from cryptography.exceptions import InvalidSignature

import apple_library
import offer_signer
from offer_signer import BUNDLE_ID, KEY_ID, OFFER_ID, PRODUCT_ID, SEPARATOR, signed_fields, verify

TOKEN_IN_UPPER_CASE = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
CLOCK_TOLERANCE = 2_000  # milliseconds


def sign_one(service, **account):
    answer = service.sign(**account)
    [decision] = answer["decisions"]
    assert (decision["verdict"], decision["reason"]) == ("eligible", "lapsed")
    assert (decision["productId"], decision["offerId"]) == (PRODUCT_ID, OFFER_ID)
    assert decision["discount"]["identifier"] == OFFER_ID
    assert decision["discount"]["keyIdentifier"] == KEY_ID
    return answer, decision


def test_an_app_account_token_is_signed_and_returned_in_lower_case(service):
    answer, decision = sign_one(service, appAccountToken=TOKEN_IN_UPPER_CASE)
    assert answer["account"] == {"appAccountToken": TOKEN_IN_UPPER_CASE.lower()}
    verify(service.key, decision, apple_library.payload(answer, decision, TOKEN_IN_UPPER_CASE.lower()))


@pytest.mark.parametrize("name", ["reader-4711", "jürgen@example.com", "読者-٤٧-🎧", "e\u0301-is-not-\u00e9", " a b "])
def test_a_user_name_is_signed_as_apples_library_composes_it(service, name):
    assert name == name.lower(), "Apple's library would change this name"
    answer, decision = sign_one(service, applicationUsername=name)
    assert answer["account"] == {"applicationUsername": name}
    verify(service.key, decision, apple_library.payload(answer, decision, name))


@pytest.mark.parametrize("name", ["Reader-4711", "JÜRGEN", TOKEN_IN_UPPER_CASE])
def test_a_user_name_in_mixed_case_is_signed_as_it_was_sent(service, name):
    answer, decision = sign_one(service, applicationUsername=name)
    assert answer["account"] == {"applicationUsername": name}
    verify(service.key, decision, SEPARATOR.join(signed_fields(answer, decision)).encode())

    # Apple's library signs another name, its lower case, which StoreKit then refuses.
    lowered = apple_library.payload(answer, decision, name)
    assert lowered.decode().split(SEPARATOR)[4] == name.lower()
    with pytest.raises(InvalidSignature):
        verify(service.key, decision, lowered)


def test_without_an_account_the_field_is_empty_and_stays(service):
    answer, decision = sign_one(service)
    assert not answer.get("account")
    payload = apple_library.payload(answer, decision, "")
    assert payload.decode().split(SEPARATOR)[4] == ""
    verify(service.key, decision, payload)


def test_the_sign_command_gives_the_services_answer(service, tmp_path):
    evidence = tmp_path / "receipt-response.json"
    evidence.write_text(json.dumps(offer_signer.lapsed_receipt_response()))
    command = [offer_signer.EXECUTABLE, "sign", "--config", service.configuration, "--bundle-id", BUNDLE_ID]
    command += ["--product-id", PRODUCT_ID, "--offer-id", OFFER_ID]
    command += ["--app-account-token", TOKEN_IN_UPPER_CASE, "--receipt-response", evidence]
    result = subprocess.run(command, capture_output=True, env=offer_signer.ENVIRONMENT, timeout=60, check=True)
    answers = [json.loads(result.stdout), service.sign(appAccountToken=TOKEN_IN_UPPER_CASE)]
    for answer in answers:
        [decision] = answer["decisions"]
        verify(service.key, decision, SEPARATOR.join(signed_fields(answer, decision)).encode())
        # The service was asked with an answer of verifyReceipt that may be a second younger.
        del decision["expiresAt"], decision["asOf"]
        for member in ("nonce", "timestamp", "signature"):
            del decision["discount"][member]
    assert answers[0] == answers[1]


def test_a_thousand_signatures_have_a_thousand_nonces_and_the_time_of_day(service):
    nonces = set()
    for _ in range(10):
        before = offer_signer.milliseconds_now()
        answer = service.sign(offers=100, appAccountToken=TOKEN_IN_UPPER_CASE)
        after = offer_signer.milliseconds_now()
        assert len(answer["decisions"]) == 100
        for decision in answer["decisions"]:
            discount = decision["discount"]
            nonce = uuid.UUID(discount["nonce"])
            assert (discount["nonce"], nonce.version, nonce.variant) == (str(nonce), 4, uuid.RFC_4122)
            assert before - CLOCK_TOLERANCE <= discount["timestamp"] <= after + CLOCK_TOLERANCE
            verify(service.key, decision, SEPARATOR.join(signed_fields(answer, decision)).encode())
            nonces.add(nonce)
    assert len(nonces) == 1000
