"""The OpenAPI description is valid, true of every answer, and good for a generated client."""

import functools
import importlib
import json
import operator
import os
import subprocess
import sys
import urllib.error
import urllib.request

import jsonschema
import openapi_spec_validator
import pytest
import yaml

from offer_signer import REPOSITORY, SEPARATOR, answering, new_key, openssl_p8, running_service, signed_fields, verify

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
    for name in ["KnownReason", "KnownIntroductoryReason"]:
        schema = served["components"]["schemas"].pop(name)
        file["components"]["schemas"].pop(name)
        assert "REASONS" not in str(schema) and len(schema["enum"]) >= 7
        assert all(f"\n- `{reason}`: " in schema["description"] for reason in schema["enum"])
    assert served == file
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


@pytest.fixture(scope="module")
def generated(description, tmp_path_factory):
    """A client that openapi-python-client made of the description: a function that imports a module of it."""
    folder = tmp_path_factory.mktemp("generated")
    document = folder / "openapi.json"
    document.write_bytes(description)
    binaries = os.path.dirname(sys.executable)
    subprocess.run(
        [f"{binaries}/openapi-python-client", "generate", "--path", document, "--meta", "none"]
        + ["--output-path", folder / "offer_signer_client", "--fail-on-warning"],
        env=os.environ | {"PATH": f"{binaries}:{os.environ['PATH']}"},
        timeout=120,
        check=True,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield lambda name="": importlib.import_module(f"offer_signer_client{name}")


def test_a_generated_client_asks_for_a_signature(example_service, generated):
    client_module, models = generated(), generated(".models")
    sign_offers = generated(".api.offers.sign_offers")

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
        assert (decision.verdict, decision.reason) == (models.Verdict.ELIGIBLE, models.KnownReason.LAPSED)
        payload = SEPARATOR.join(signed_fields(answer.to_dict(), decision.to_dict())).encode()
        verify(example_service.key, decision.to_dict(), payload)

    with client_module.AuthenticatedClient(example_service.address, "wrong") as stranger:
        problem = sign_offers.sync(client=stranger, body=request)
        assert isinstance(problem, models.Problem)
        assert problem.code is models.KnownProblemCode.UNAUTHORIZED


def altered(description, path, status, *changes):
    """An example of the description as a newer service would give it: (member, ..., value), and an unknown member."""
    responses = json.loads(description)["paths"][path]["post"]["responses"]
    answer = next(iter(responses[status]["content"]["application/json"]["examples"].values()))["value"]
    for *place, member, value in changes:
        inner = functools.reduce(operator.getitem, place, answer)
        assert member in inner
        inner[member] = value
        inner["ofTheFuture"] = {"a": [1]}
    return answer


def test_a_generated_client_takes_the_answers_of_a_newer_service(generated, description):
    """A value that the description does not know is text, as it came; a member that it does not know is kept aside."""
    models = generated(".models")

    def ask(call, request, status, answer):
        with answering(lambda _: (status, answer)) as address:
            with generated().AuthenticatedClient(address.rstrip("/"), "token") as client:
                return generated(f".api.{call}").sync(client=client, body=request)

    offer = models.RequestedOffer(product_id="p", offer_id="o")
    signatures = models.SignatureRequest(application_username="a", offers=[offer])
    changes = [("environment", "Elsewhere"), ("decisions", 0, "reason", "new"), ("decisions", 0, "begins", "later")]
    answer = ask("offers.sign_offers", signatures, 200, altered(description, "/v1/signatures", "200", *changes))
    [decision] = answer.decisions
    assert (decision.verdict, decision.reason, decision.begins) == (models.Verdict.ELIGIBLE, "new", "later")
    assert answer.environment == "Elsewhere"
    assert decision.additional_properties == {"ofTheFuture": {"a": [1]}}
    assert decision.discount.signature

    changes = [("products", 0, "introductoryOffer", "reason", "new")]
    answer = ask(
        "offers.decide_eligibility",
        models.EligibilityRequest(application_username="a"),
        200,
        altered(description, "/v1/eligibility", "200", *changes),
    )
    assert answer.products[0].introductory_offer.reason == "new"

    report = models.SignatureReport("k", "p", "o", "n", 1, "s")
    diagnosis = altered(description, "/v1/diagnoses", "200", ("causes", 0, "code", "new"))
    assert ask("support.diagnose_signature", report, 200, diagnosis).causes[0].code == "new"

    problem = {"type": "urn:x", "title": "T", "status": 422, "detail": "D.", "code": "new", "ofTheFuture": 1}
    answer = ask("offers.sign_offers", signatures, 422, problem)
    assert isinstance(answer, models.Problem)
    assert (answer.code, answer.status, answer.detail) == ("new", 422, "D.")
    assert answer.additional_properties == {"ofTheFuture": 1}
