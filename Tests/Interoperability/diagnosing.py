"""A service that is asked for diagnoses, and what a backend makes and an app reports: right, to be made wrong."""

import base64
import contextlib
import json
import uuid

import requests
from appstoreserverlibrary import jws_signature_creator
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

import apple_library
from app_store import running_app_store
from offer_signer import BUNDLE_ID, ISSUER_ID, KEY_ID, OFFER_ID, PRODUCT_ID, SEPARATOR, SERVING, TOKEN, Service
from offer_signer import milliseconds_now, new_key, openssl_p8, running, write_configuration

OTHER_KEY_ID = "OTHERKEY12"
OTHER_PRODUCT_ID = "com.example.interoperability.yearly"
OTHER_OFFER_ID = "stay"
OTHER_BUNDLE_ID = "com.example.other"
ACCOUNT = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
TRANSACTION_ID = "410000000000001"


class Diagnosing(Service):
    """A service with two keys, two products, two offers and a second app."""

    def diagnose(self, report):
        status, answer = self.send(report)
        assert status == 200, answer
        return answer

    def send(self, report):
        token = {"Authorization": f"Bearer {TOKEN}"}
        answer = requests.post(self.address + "/v1/diagnoses", json=report, headers=token, timeout=30)
        return answer.status_code, answer.json()


def edit(file, change):
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


@contextlib.contextmanager
def running_diagnosing(folder, simulated):
    key, other_key = new_key(), new_key()
    configuration = write_configuration(folder, openssl_p8(key))
    file = folder / f"SubscriptionKey_{OTHER_KEY_ID}.p8"
    file.touch(mode=0o600)
    file.write_bytes(openssl_p8(other_key))

    def extend(catalog):
        [app] = catalog["apps"]
        app["keys"].append({"id": OTHER_KEY_ID, "file": file.name, "issuerId": ISSUER_ID})
        products = app["subscriptionGroups"][0]["products"]
        products[0]["offers"].append({"id": OTHER_OFFER_ID})
        products.append({"id": OTHER_PRODUCT_ID, "offers": [{"id": OFFER_ID}]})
        group = {"id": "20900100", "products": [{"id": "other.monthly", "offers": [{"id": "here"}]}]}
        catalog["apps"].append({**app, "bundleId": OTHER_BUNDLE_ID, "subscriptionGroups": [group]})

    edit(folder / "catalog.yaml", extend)
    edit(folder / "clients.yaml", lambda clients: clients["clients"][0]["apps"].append(OTHER_BUNDLE_ID))
    roots = {"appStore": {"additionalRoots": [str(simulated / "root.pem")]}}
    edit(configuration, lambda settings: settings.update(roots))
    with running_app_store(simulated, key) as app_store:
        with running(["serve", "--config", configuration], SERVING, folder / "service.log") as found:
            service = Diagnosing(configuration, found[1], found[2], key)
            service.other_key, service.app_store = other_key, app_store
            yield service


def codes(answer):
    return sorted(cause["code"] for cause in answer["causes"])


def check(answer, expected):
    assert codes(answer) == sorted(expected), answer
    assert answer["valid"] is False
    assert all(cause["detail"] and cause["fix"] for cause in answer["causes"])


class Discount:
    """A discount as a backend makes it and an app reports it: right, but for the mistakes that are made of it."""

    def __init__(self, service):
        self.service = service
        self.report = {
            "bundleId": BUNDLE_ID,
            "keyIdentifier": KEY_ID,
            "productId": PRODUCT_ID,
            "offerId": OFFER_ID,
            "appAccountToken": ACCOUNT,
            "nonce": str(uuid.uuid4()),
            "timestamp": milliseconds_now(),
        }
        of_report = {name: self.report[name] for name in ("keyIdentifier", "nonce", "timestamp")}
        decision = {"productId": PRODUCT_ID, "discount": {"identifier": OFFER_ID, **of_report}}
        self.fields = apple_library.payload({"bundleId": BUNDLE_ID}, decision, ACCOUNT).decode().split(SEPARATOR)
        self.key = service.key
        self.hash = lambda payload: (payload, hashes.SHA256())

    def reported(self, with_payload=False):
        signed = SEPARATOR.join(self.fields).encode()
        payload, algorithm = self.hash(signed)
        report = {**self.report, "signature": standard(self.key.sign(payload, ec.ECDSA(algorithm)))}
        return report | {"payload": standard(signed)} if with_payload else report


class JWS:
    """What Apple's library makes, to be signed anew with the mistakes that are made of it."""

    def __init__(self, service, introductory=False):
        self.service = service
        self.introductory = introductory
        arguments = (openssl_p8(service.key), KEY_ID, ISSUER_ID, BUNDLE_ID)
        if introductory:
            creator = jws_signature_creator.IntroductoryOfferEligibilitySignatureCreator(*arguments)
            self.apples = creator.create_signature(PRODUCT_ID, True, TRANSACTION_ID)
        else:
            creator = jws_signature_creator.PromotionalOfferV2SignatureCreator(*arguments)
            self.apples = creator.create_signature(PRODUCT_ID, OFFER_ID, TRANSACTION_ID)
        header, claims, _ = self.apples.split(".")
        self.header, self.claims = read(header), read(claims)
        self.key = service.key
        self.hash = lambda text: (text, hashes.SHA256())
        self.form = raw
        self.encode = base64url
        self.join = ".".join
        self.report = {"bundleId": BUNDLE_ID, "productId": PRODUCT_ID, "transactionId": TRANSACTION_ID}
        self.report.update({"allowIntroductoryOffer": True} if introductory else {"offerId": OFFER_ID})

    def compact(self):
        header, claims = (self.encode(json.dumps(part).encode()) for part in (self.header, self.claims))
        message, algorithm = self.hash(f"{header}.{claims}".encode())
        signature = self.form(self.key.sign(message, ec.ECDSA(algorithm)))
        return self.join([header, claims, self.encode(signature)])

    def reported(self):
        return {**self.report, "jws": self.compact()}


def raw(der):
    return b"".join(number.to_bytes(32, "big") for number in decode_dss_signature(der))


def standard(data):
    return base64.b64encode(data).decode()


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def read(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
