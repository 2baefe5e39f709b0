"""The OpenAPI description is valid, and true of every request and answer."""

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request

import jsonschema
import openapi_spec_validator
import pytest
import yaml

from offer_signer import REPOSITORY, new_key, openssl_p8, running_service

HERE = REPOSITORY / "Tests/Interoperability"
SECONDS = int(os.environ.get("OFFER_SIGNER_SCHEMATHESIS_SECONDS") or 150)
SEED = os.environ.get("OFFER_SIGNER_SCHEMATHESIS_SEED") or "20261121"


@pytest.fixture(scope="module")
def description(example_service):
    with urllib.request.urlopen(f"{example_service.address}/v1/openapi.json", timeout=30) as response:
        assert response.headers["Content-Type"] == "application/json"
        return response.read()


def test_the_description_is_valid_openapi_3_1(description):
    document = json.loads(description)
    assert document["openapi"].startswith("3.1.")
    openapi_spec_validator.validate(document)


def test_the_served_description_is_the_file_of_the_repository_with_the_reasons_filled_in(description):
    text = (REPOSITORY / "Sources/OfferAPI/Description/openapi.yaml").read_text()
    served, file = json.loads(description), yaml.safe_load(text)
    for name in ["Reason", "IntroductoryReason"]:
        schema = served["components"]["schemas"].pop(name)
        file["components"]["schemas"].pop(name)
        assert "REASONS" not in str(schema) and len(schema["x-known-values"]) >= 7
        assert all(f"\n- `{reason}`: " in schema["description"] for reason in schema["x-known-values"])
    assert served == file
    assert list(served["paths"]) == list(yaml.safe_load(text)["paths"]), "in the order of the file"


ACCOUNT, NAME = {"appAccountToken": "7e3fb20b-4cdb-47cc-936d-99d65f608138"}, {"applicationUsername": "reader"}
RECEIPT_RESPONSE = json.loads((REPOSITORY / "keys.example/receipt-responses/lapsed.json").read_text())
OF_A_DISCOUNT = {"keyIdentifier": "k", "offerId": "o", "nonce": "n", "timestamp": 1, "signature": "s"}


def signature_request(**members):
    return "/v1/signatures", {"offers": [{"productId": "p", "offerId": "o"}]} | members


def evidence(**members):
    return signature_request(evidence=members)


def report(**members):
    return "/v1/diagnoses", {"productId": "p"} | members


@pytest.mark.parametrize(
    "request_",
    [
        signature_request(),
        signature_request(**ACCOUNT),
        signature_request(**NAME),
        signature_request(**ACCOUNT, **NAME),
        signature_request(**ACCOUNT, formats=[]),
        signature_request(**ACCOUNT, formats=["pkcs7"]),
        evidence(),
        evidence(receiptResponse=RECEIPT_RESPONSE),
        evidence(receiptResponse=RECEIPT_RESPONSE, isNew=True),
        evidence(receiptResponse=RECEIPT_RESPONSE, signedTransactions=[], signedRenewalInfos=[]),
        evidence(receiptResponse=RECEIPT_RESPONSE, receipt="MIIB"),
        evidence(transactionId="1", isNew=True),
        evidence(transactionId="1", receipt="MIIB"),
        evidence(transactionId="1", signedTransactions=[], signedRenewalInfos=[], isNew=True),
        evidence(transactionId="1", signedTransactions=["a.b.c"]),
        evidence(transactionId="1", signedTransactions=[], signedRenewalInfos=["a.b.c"]),
        evidence(receipt="MIIB", isNew=False),
        evidence(receipt="MIIB", signedTransactions=[]),
        evidence(signedTransactions=[]),
        evidence(signedTransactions=["a.b.c"], signedRenewalInfos=[]),
        evidence(signedTransactions=[], isNew=True),
        evidence(signedRenewalInfos=["a.b.c"]),
        report(),
        report(**OF_A_DISCOUNT),
        report(**OF_A_DISCOUNT, **NAME, payload="AAAA", storeKitError="12"),
        report(**OF_A_DISCOUNT, **NAME, **ACCOUNT),
        report(**OF_A_DISCOUNT, transactionId="1"),
        report(**OF_A_DISCOUNT, jws="a.b.c"),
        report(jws="a.b.c"),
        report(jws="a.b.c", offerId="o", transactionId="1", storeKitError="invalidOfferSignature"),
        report(jws="a.b.c", allowIntroductoryOffer=True, resultingTransaction="a.b.c"),
        report(jws="a.b.c", allowIntroductoryOffer=True, offerId="o"),
        report(jws="a.b.c", payload="AAAA"),
        report(keyIdentifier="k", offerId="o", nonce="n", signature="s"),
    ],
)
def test_a_request_is_malformed_where_the_description_says_so(example_service, description, request_):
    path, body = request_
    document = json.loads(description)
    schema = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    described = jsonschema.Draft202012Validator(schema | {"components": document["components"]}).is_valid(body)
    status = ask(example_service, path, body)
    assert described == (status != 400), (body, status)


def ask(service, path, body):
    """The status of the answer to a body."""
    headers = {"Authorization": f"Bearer {service.token}", "Content-Type": "application/json"}
    request = urllib.request.Request(service.address + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status
    except urllib.error.HTTPError as refused:
        return refused.code


def test_what_clients_of_older_versions_send_is_taken(example_service):
    """Forms that the description no longer has, as generators read them badly."""
    of_old = {"product_id": "p", "price": 9.99, "country_code": "DE", "currency_code": "EUR", "promotion": None}
    assert ask(example_service, "/v1/product-reports", of_old) == 202
    assert ask(example_service, "/v1/product-reports", [of_old | {"price": "9.99"}]) == 202
    assert ask(example_service, *report(**OF_A_DISCOUNT, storeKitError=12)) == 200


@pytest.fixture(scope="module")
def taken():
    return yaml.safe_load((HERE / "openapi_taken.yaml").read_text())


def test_each_member_of_apples_answers_that_is_read_is_made_up_for_the_tests(taken):
    transaction = set(taken["AppleTransaction"]["properties"])
    response = taken["VerifyReceiptResponse"]
    assert list(response["patternProperties"]) == ["^is[-_]retryable$"]
    # It replaces `latest_receipt_info` where an iOS 6 style receipt has expired.
    own = {*response["properties"], "is-retryable", "is_retryable", "latest_expired_receipt_info"}
    for file, members, known in [
        ("Receipt", "ReceiptMember", transaction | set(taken["AppleReceipt"]["allOf"][1]["properties"])),
        ("VerifyReceiptResponse", "PendingRenewalMember", set(taken["AppleRenewalInfo"]["properties"])),
        ("VerifyReceiptResponse", "ResponseMember", own),
    ]:
        text = (REPOSITORY / f"Sources/AppStore/VerifyReceipt/{file}.swift").read_text()
        cases = text.split(f"enum {members}: ")[1].split("\n}\n")[0]
        read = set(re.findall(r'case \w+ = "([\w-]+)"', cases))
        assert len(read) > 2 and read <= known


@pytest.mark.parametrize(
    "schema, dates",
    [
        ("AppleDate", ["", "0", "1394619485000", "1768903200000.5"]),
        ("AppleDateText", ["", "1394619485000", "2014-03-12 10:18:05 Etc/GMT", "1999-12-31 23:59:59 Etc/GMT"]),
    ],
)
def test_dates_as_apple_and_xcode_write_them_are_made_up_for_the_tests(taken, schema, dates):
    pattern = re.compile(taken[schema]["pattern"])
    assert all(pattern.search(date) for date in dates)
    assert not pattern.search("soon")


def drive(service, folder, seconds, *options):
    """schemathesis, with all its checks and those of the hooks: examples, edge cases, and random ones as time allows."""
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", HERE / "schemathesis.toml", "run"]
    command += [f"{service.address}/v1/openapi.json", "--checks", "all", "--seed", SEED]
    command += ["--phases", "examples,coverage,fuzzing", "--max-time", str(seconds), "--continue-on-failure"]
    command += ["--request-timeout", "20", "--no-color", *options]
    settings = {"cwd": folder, "env": os.environ | {"PYTHONPATH": str(HERE)}, "timeout": seconds + 300}
    result = subprocess.run(command, capture_output=True, text=True, check=False, **settings)
    print(result.stdout[-20_000:], result.stderr[-5_000:])
    assert result.returncode == 0


OF_APPLES_LISTENER = ("/v1/notifications", "/v1/retention-messages")


def test_every_answer_is_as_described(example_service, tmp_path):
    token = f"Authorization: Bearer {example_service.token}"
    elsewhere = [option for path in OF_APPLES_LISTENER for option in ("--exclude-path", path)]
    drive(example_service, tmp_path, SECONDS, *elsewhere, "--header", token)


def test_every_answer_to_apple_is_as_described(example_service, tmp_path):
    """On a listener of its own, which knows no client."""
    options = [option for path in OF_APPLES_LISTENER for option in ("--include-path", path)]
    options += ["--url", example_service.notifications]
    drive(example_service, tmp_path, max(SECONDS // 10, 10), *options)


def test_a_client_over_its_limit_is_answered_as_described(description, tmp_path):
    """Of status 429, for which schemathesis would have to ask too much."""
    signatures = json.loads(description)["paths"]["/v1/signatures"]["post"]["responses"]
    described = json.loads(description)["components"]["responses"]
    assert signatures["429"] == {"$ref": "#/components/responses/TooManyRequests"}
    key = new_key()
    with running_service(tmp_path, key, openssl_p8(key), signatures_per_second=1) as service:
        service.sign(offers=100)
        with pytest.raises(urllib.error.HTTPError) as refused:
            service.sign(offers=100)
    assert refused.value.code == 429
    assert json.load(refused.value)["code"] == "rate_limited"
    headers = described["TooManyRequests"]["headers"]
    assert set(headers) == {"X-Request-ID", "Retry-After", "RateLimit", "RateLimit-Policy"}
    for name, reference in headers.items():
        schema = json.loads(description)["components"]["headers"][reference["$ref"].rsplit("/", 1)[1]]["schema"]
        value = refused.value.headers[name]
        jsonschema.validate(int(value) if schema["type"] == "integer" else value, schema)
