"""How schemathesis drives the service: what it may not know from the document, and what it checks beyond its own."""

import datetime
import pathlib
import random

import schemathesis
import yaml
from schemathesis.core.failures import Failure

# What keys.example has: with identifiers of its own, schemathesis would seldom get past "not in the catalog".
OFFERS = [
    {"productId": "com.example.reader.pro.monthly", "offerId": "comeback50"},
    {"productId": "com.example.reader.pro.monthly", "offerId": "stay30"},
    {"productId": "com.example.reader.pro.yearly", "offerId": "loyal20"},
    {"productId": "com.example.reader.audio.monthly", "offerId": "audio-comeback"},
]
# JSON Schema counts characters, and the service bytes of UTF-8.
BYTES = {"applicationUsername": 512, "symbol": 32}

# Faults of requests that the schemas cannot express, by what tells them.
INEXPRESSIBLE = {
    ("/v1/introductory-eligibility-signatures", "missing_member"): "the evidence has no transaction to name",
    ("/v1/products", "invalid_parameter"): "not every pair of letters is a country",
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Describes requests as exactly as they are taken, and closes answers: a member or a value that the document does
    not know is a fault of it."""
    schemas = raw_schema["components"]["schemas"]
    merge(schemas, yaml.safe_load(pathlib.Path(__file__).with_name("openapi_taken.yaml").read_text()))
    paths = raw_schema["paths"].values()
    answers = [call["responses"] for calls in paths for call in calls.values()]
    for name in reached(answers, raw_schema):
        close(schemas[name], name)


def merge(target, patch):
    """A JSON merge patch (RFC 7396)."""
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        elif isinstance(value, dict) and isinstance(target.get(name), dict):
            merge(target[name], value)
        else:
            target[name] = value


def reached(value, document, found=None):
    """The names of the schemas that a part of a document refers to, at once or by others."""
    found = set() if found is None else found
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for name, inner in members:
        if name != "$ref":
            reached(inner, document, found)
            continue
        _, _, kind, target = inner.split("/")
        if target not in found:
            if kind == "schemas":
                found.add(target)
            reached(document["components"][kind][target], document, found)
    return found


def close(schema, name):
    if schema["type"] == "object":
        assert schema["additionalProperties"] is True, f"{name} is not open"
        schema["additionalProperties"] = False
    close_words(schema)


def close_words(schema):
    if "x-known-values" in schema:
        schema["enum"] = schema["x-known-values"]
    for inner in schema.values():
        if isinstance(inner, dict):
            close_words(inner)


def oversized(value, name=None):
    """Whether a string has more bytes than are taken, though not more characters."""
    if isinstance(value, dict):
        return any(oversized(inner, key) for key, inner in value.items())
    if isinstance(value, list):
        return any(oversized(inner) for inner in value)
    return isinstance(value, str) and len(value.encode()) > BYTES.get(name, 255) >= len(value)


def impossible(value):
    """Whether a date in words is none, such as the 30th of February."""
    if isinstance(value, dict):
        return any(impossible(inner) for inner in value.values())
    if isinstance(value, list):
        return any(impossible(inner) for inner in value)
    if not isinstance(value, str) or not value.endswith(" Etc/GMT"):
        return False
    try:
        datetime.datetime.strptime(value, "%Y-%m-%d %H:%M:%S Etc/GMT")
    except ValueError:
        return True
    return False


@schemathesis.hook
def filter_body(context, body):
    return not oversized(body) and not impossible(body)


def whole(value):
    """Whole numbers without a fraction: 1.0 is an integer in JSON Schema, and refused by the service."""
    if isinstance(value, dict):
        return {name: whole(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [whole(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@schemathesis.hook
def map_body(context, body):
    """Asks for the app and the offers of the catalog, as often as not."""
    body = whole(body)
    if isinstance(body, dict):
        chance = random.Random(repr(body))
        # One that is too long is what a test is about.
        if isinstance(body.get("bundleId"), str) and len(body["bundleId"]) < 256 and chance.random() < 0.8:
            body["bundleId"] = "com.example.reader"
        offers = body.get("offers")
        if isinstance(offers, list) and offers and all(isinstance(offer, dict) for offer in offers):
            if chance.random() < 0.5 and all(offer.keys() == {"productId", "offerId"} for offer in offers):
                body["offers"] = [dict(chance.choice(OFFERS)) for _ in offers]
    return body


@schemathesis.hook
def before_call(context, case, kwargs):
    """An answer with explanations is not kept: no schema can say that a header and a member exclude each other."""
    is_positive = case.meta is None or case.meta.generation.mode.is_positive
    if is_positive and isinstance(case.body, dict) and case.body.get("explain") is True and case.headers:
        case.headers.pop("Idempotency-Key", None)


@schemathesis.check
def what_fits_the_schemas_is_understood(ctx, response, case):
    """A request that fits is refused as malformed only where the schemas cannot say why."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 400:
        return
    problem = response.json()
    if (case.operation.path, problem["code"]) not in INEXPRESSIBLE:
        raise Failure(operation=case.operation.label, title="Refused, though it fits", message=str(problem))


@schemathesis.check
def nothing_fails_but_the_app_store(ctx, response, case):
    """The only 503 is that of a purchase which Apple does not know yet, or of a receipt that Apple cannot read now."""
    if response.status_code == 503 and response.json()["code"] != "app_store_unavailable":
        raise Failure(operation=case.operation.label, title="A failure of the service", message=response.text)


@schemathesis.check
def codes_belong_to_their_status(ctx, response, case):
    """A problem's members agree with each other and with the response."""
    if response.status_code < 400:
        return
    problem = response.json()
    if problem["status"] != response.status_code or problem["type"] != f"urn:offer-signer:problem:{problem['code']}":
        raise Failure(operation=case.operation.label, title="A problem contradicts itself", message=str(problem))


@schemathesis.check
def what_is_not_taken_is_told(ctx, response, case):
    """Reports that do not fit the schema are rejected one by one, in an answer with status 202."""
    if response.status_code != 202 or case.meta is None or not case.meta.generation.mode.is_negative:
        return
    if not response.json()["rejected"]:
        raise Failure(operation=case.operation.label, title="Taken, though it does not fit", message=response.text)


# What belongs to the message rather than to the call (RFC 9110 and 9112), and `Allow` of 405, which no operation has.
OF_THE_MESSAGE = {"allow", "connection", "content-length", "content-type", "date", "transfer-encoding"}
RATE_LIMIT = {"ratelimit", "ratelimit-policy"}
WITHOUT_A_CLIENT = {"/v1/notifications", "/v1/retention-messages", "/v1/openapi.json"}


@schemathesis.check
def every_header_is_described(ctx, response, case):
    """schemathesis looks whether headers that are described are right; this, whether those that come are described."""
    known = case.operation.responses.find_by_status_code(response.status_code)
    described = {name.lower() for name, _ in known.headers.items()} if known else {"x-request-id"}
    if unknown := set(response.headers) - described - OF_THE_MESSAGE:
        raise Failure(operation=case.operation.label, title="Headers without a description", message=str(unknown))


@schemathesis.check
def what_is_left_is_told(ctx, response, case):
    """A client with a limit hears how it stands with every answer that was worked on."""
    if response.status_code not in (200, 202, 422) or case.operation.path in WITHOUT_A_CLIENT:
        return
    if missing := RATE_LIMIT - set(response.headers):
        raise Failure(operation=case.operation.label, title="Nothing said of the limit", message=str(missing))
