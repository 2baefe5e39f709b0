"""Clients that are generated from the OpenAPI description compile, ask, and take what a newer service answers."""

import contextlib
import copy
import functools
import importlib
import json
import operator
import os
import re
import subprocess
import sys
import urllib.request

import pytest

from generated_clients import CLIENTS, BuiltClient, generate, models
from offer_signer import OFFER_ID, PRODUCT_ID, SEPARATOR, TOKEN, answering, lapsed_receipt_response
from offer_signer import signed_fields, verify

ACCOUNT = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
BY_NAME = operator.attrgetter("generator")


@pytest.fixture(scope="module")
def description(service):
    with urllib.request.urlopen(f"{service.address}/v1/openapi.json", timeout=30) as response:
        return response.read()


@pytest.fixture(scope="module")
def folder(description, tmp_path_factory):
    """Where the generated clients are."""
    folder = tmp_path_factory.mktemp("clients")
    generate(description, folder)
    return folder


def words(schemas):
    """The members of answers that are words of an open list, by schema: (member, whether it is required)."""
    for name, schema in schemas.items():
        for member, value in schema.get("properties", {}).items():
            value = schemas[value["$ref"].rsplit("/", 1)[1]] if "$ref" in value else value
            if "x-known-values" in value:
                yield name, member, member in schema["required"]


@pytest.mark.parametrize("client", CLIENTS, ids=BY_NAME)
def test_each_generator_makes_one_model_of_each_schema_and_no_others(client, folder, description):
    schemas = json.loads(description)["components"]["schemas"]
    expected = {name.lower() for name, schema in schemas.items() if "properties" in schema or "enum" in schema}
    assert set(models(client, folder)) == expected


# How a member is declared: a text that is required, and one that may be left out.
TEXTS = {
    "rust": (r'rename = "{0}".*\)\]\s+pub [\w#]+: String,', r'rename = "{0}".*\)\]\s+pub [\w#]+: Option<String>,'),
    "kotlin": (r'"{0}"\)\s+val \w+: kotlin\.String,?\n', r'"{0}"\)\s+val \w+: kotlin\.String\? = null'),
    "csharp": (r'"{0}"\)\]\s+public string \w+ ', r'"{0}"\)\]\s+public string\? \w+ '),
}

@pytest.mark.parametrize("client", [client for client in CLIENTS if client.generator in TEXTS], ids=BY_NAME)
def test_a_word_of_an_open_list_is_text_in_a_model_that_is_not_compiled_here(client, folder, description):
    made, expected = models(client, folder), list(words(json.loads(description)["components"]["schemas"]))
    assert len(expected) > 15
    for name, member, is_required in expected:
        required, optional = TEXTS[client.generator]
        assert re.search((required if is_required else optional).format(member), made[name.lower()]), (name, member)


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


def newer_decision(description):
    changes = [("environment", "Elsewhere"), ("decisions", 0, "reason", "new"), ("decisions", 0, "begins", "later")]
    changes += [("decisions", 0, "discount", "identifier", "o"), ("account", "appAccountToken", ACCOUNT)]
    return altered(description, "/v1/signatures", "200", *changes)


NEWER_PROBLEM = {"type": "urn:x", "title": "T", "status": 422, "detail": "D.", "code": "new", "ofTheFuture": 1}


@pytest.mark.parametrize("client", [client for client in CLIENTS if client.run], ids=BY_NAME)
def test_a_generated_client_signs_reads_refusals_and_problems_and_takes_what_it_does_not_know(
    client, folder, service, description, tmp_path
):
    lapsed, newcomer = tmp_path / "lapsed.json", tmp_path / "newcomer.json"
    receipt_response = lapsed_receipt_response()
    lapsed.write_text(json.dumps(receipt_response))
    newcomer.write_text(json.dumps(receipt_response | {"latest_receipt_info": [], "pending_renewal_info": []}))
    built = BuiltClient(client, folder)
    with contextlib.ExitStack() as standins:
        newer = newer_decision(description)
        decides = standins.enter_context(answering(lambda _: (200, newer))).rstrip("/")
        refuses = standins.enter_context(answering(lambda _: (422, NEWER_PROBLEM))).rstrip("/")
        signed, refused, problem, unknown, unknown_problem = built.ask(
            ACCOUNT,
            PRODUCT_ID,
            OFFER_ID,
            (service.address, TOKEN, lapsed),
            (service.address, TOKEN, newcomer),
            (service.address, "wrong", lapsed),
            (decides, TOKEN, lapsed),
            (refuses, TOKEN, lapsed),
        )
    assert (signed["verdict"], signed["reason"], signed["environment"]) == ("eligible", "lapsed", "Production")
    verify(service.key, signed, SEPARATOR.join(signed_fields(signed, signed)).encode())
    assert (refused["verdict"], refused["reason"]) == ("ineligible", "never_subscribed")
    assert not refused.get("discount")
    assert (problem["status"], problem["code"]) == (401, "unauthorized")
    known = [unknown[name] for name in ("verdict", "reason", "begins", "environment")]
    assert known == ["eligible", "new", "later", "Elsewhere"]
    assert unknown["discount"]["signature"] == newer["decisions"][0]["discount"]["signature"]
    assert (unknown_problem["status"], unknown_problem["code"]) == (422, "new")


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


def test_a_client_of_openapi_python_client_signs_and_reads_refusals_and_problems(service, generated):
    client_module, made = generated(), generated(".models")
    sign_offers = generated(".api.offers.sign_offers")

    def request(receipt_response):
        return made.SignatureRequest(
            application_username="Reader-4711",
            evidence=made.Evidence(receipt_response=made.VerifyReceiptResponse.from_dict(receipt_response)),
            offers=[made.RequestedOffer(product_id=PRODUCT_ID, offer_id=OFFER_ID)],
        )

    lapsed = lapsed_receipt_response()
    newcomer = copy.deepcopy(lapsed) | {"latest_receipt_info": [], "pending_renewal_info": []}
    with client_module.AuthenticatedClient(service.address, TOKEN) as client:
        answer = sign_offers.sync(client=client, body=request(lapsed))
        assert isinstance(answer, made.SignatureAnswer), answer
        [decision] = answer.decisions
        assert (decision.verdict, decision.reason) == (made.Verdict.ELIGIBLE, "lapsed")
        payload = SEPARATOR.join(signed_fields(answer.to_dict(), decision.to_dict())).encode()
        verify(service.key, decision.to_dict(), payload)

        [decision] = sign_offers.sync(client=client, body=request(newcomer)).decisions
        assert (decision.verdict, decision.reason) == (made.Verdict.INELIGIBLE, "never_subscribed")

    with client_module.AuthenticatedClient(service.address, "wrong") as stranger:
        problem = sign_offers.sync(client=stranger, body=request(lapsed))
        assert isinstance(problem, made.Problem)
        assert problem.code == "unauthorized"


def test_a_client_of_openapi_python_client_takes_the_answers_of_a_newer_service(generated, description):
    """A value that the description does not know is text, as it came; a member that it does not know is kept aside."""
    made = generated(".models")

    def ask(call, request, status, answer):
        with answering(lambda _: (status, answer)) as address:
            with generated().AuthenticatedClient(address.rstrip("/"), "token") as client:
                return generated(f".api.{call}").sync(client=client, body=request)

    offer = made.RequestedOffer(product_id="p", offer_id="o")
    signatures = made.SignatureRequest(application_username="a", offers=[offer])
    answer = ask("offers.sign_offers", signatures, 200, newer_decision(description))
    [decision] = answer.decisions
    assert (decision.verdict, decision.reason, decision.begins) == (made.Verdict.ELIGIBLE, "new", "later")
    assert answer.environment == "Elsewhere"
    assert decision.additional_properties == {"ofTheFuture": {"a": [1]}}
    assert decision.discount.signature

    changes = [("products", 0, "introductoryOffer", "reason", "new")]
    answer = ask(
        "offers.decide_eligibility",
        made.EligibilityRequest(application_username="a"),
        200,
        altered(description, "/v1/eligibility", "200", *changes),
    )
    assert answer.products[0].introductory_offer.reason == "new"

    report = made.SignatureReport(product_id="p", jws="a.b.c")
    diagnosis = altered(description, "/v1/diagnoses", "200", ("causes", 0, "code", "new"))
    assert ask("support.diagnose_signature", report, 200, diagnosis).causes[0].code == "new"

    answer = ask("offers.sign_offers", signatures, 422, NEWER_PROBLEM)
    assert isinstance(answer, made.Problem)
    assert (answer.code, answer.status, answer.detail) == ("new", 422, "D.")
    assert answer.additional_properties == {"ofTheFuture": 1}
