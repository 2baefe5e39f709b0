"""The OpenAPI description is valid, true of every answer, and good for a generated client."""

import importlib
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

import jsonschema
import openapi_spec_validator
import pytest
import yaml

from offer_signer import REPOSITORY, SEPARATOR, new_key, openssl_p8, running_service, signed_fields, verify

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


def test_what_is_served_is_the_file_that_people_review(description):
    text = (REPOSITORY / "Sources/OfferAPI/Description/openapi.yaml").read_text()
    served = json.loads(description)
    assert served == yaml.safe_load(text)
    assert list(served["paths"]) == list(yaml.safe_load(text)["paths"]), "in the order of the file"


def drive(service, folder, seconds, *options):
    """schemathesis, with all its checks and those of the hooks: examples, edge cases, and random ones as time allows."""
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", HERE / "schemathesis.toml", "run"]
    command += [f"{service.address}/v1/openapi.json", "--checks", "all", "--seed", SEED]
    command += ["--phases", "examples,coverage,fuzzing", "--max-time", str(seconds), "--continue-on-failure"]
    command += ["--request-timeout", "20", "--no-color", *options]
    result = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(HERE)},
        capture_output=True,
        text=True,
        timeout=seconds + 300,
        check=False,
    )
    print(result.stdout[-20_000:], result.stderr[-5_000:])
    assert result.returncode == 0


def test_every_answer_is_as_described(example_service, tmp_path):
    token = f"Authorization: Bearer {example_service.token}"
    drive(example_service, tmp_path, SECONDS, "--exclude-path", "/v1/notifications", "--header", token)


def test_every_answer_to_notifications_is_as_described(example_service, tmp_path):
    """On their own listener, which knows no client."""
    options = ["--include-path", "/v1/notifications", "--url", example_service.notifications]
    drive(example_service, tmp_path, max(SECONDS // 10, 10), *options)


def test_who_asks_too_much_is_answered_as_described(description, tmp_path):
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


def test_a_generated_client_asks_for_a_signature(example_service, description, tmp_path, monkeypatch):
    document = tmp_path / "openapi.json"
    document.write_bytes(description)
    binaries = os.path.dirname(sys.executable)
    subprocess.run(
        [f"{binaries}/openapi-python-client", "generate", "--path", document, "--meta", "none"]
        + ["--output-path", tmp_path / "offer_signer_client", "--fail-on-warning"],
        env=os.environ | {"PATH": f"{binaries}:{os.environ['PATH']}"},
        timeout=120,
        check=True,
    )
    monkeypatch.syspath_prepend(tmp_path)
    client_module = importlib.import_module("offer_signer_client")
    models = importlib.import_module("offer_signer_client.models")
    sign_offers = importlib.import_module("offer_signer_client.api.offers.sign_offers")

    receipt_response = json.loads((REPOSITORY / "keys.example/receipt-responses/lapsed.json").read_text())
    request = models.SignatureRequest(
        application_username="Reader-4711",
        evidence=models.ReceiptResponseEvidence(models.VerifyReceiptResponse.from_dict(receipt_response)),
        offers=[models.RequestedOffer(product_id="com.example.reader.pro.monthly", offer_id="comeback50")],
    )
    with client_module.AuthenticatedClient(example_service.address, example_service.token) as client:
        answer = sign_offers.sync(client=client, body=request)
        assert isinstance(answer, models.SignatureAnswer), answer
        [decision] = answer.decisions
        assert (decision.verdict, decision.reason) == (models.Verdict.ELIGIBLE, models.Reason.LAPSED)
        payload = SEPARATOR.join(signed_fields(answer.to_dict(), decision.to_dict())).encode()
        verify(example_service.key, decision.to_dict(), payload)

    with client_module.AuthenticatedClient(example_service.address, "wrong") as stranger:
        problem = sign_offers.sync(client=stranger, body=request)
        assert isinstance(problem, models.Problem)
        assert problem.code == models.ProblemCode.UNAUTHORIZED
