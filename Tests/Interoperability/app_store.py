"""The stand-in App Store, as a stranger meets it: its process, its root and its answers."""

import contextlib
import json

import pytest
import requests
from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from cryptography.hazmat.primitives import serialization

from offer_signer import BUNDLE_ID, GROUP_ID, ISSUER_ID, KEY_ID, LAB, OFFER_ID, PRODUCT_ID, openssl_p8, running

APP_APPLE_ID = 1234567890
SHARED_SECRET = "0123456789abcdef0123456789abcdef"
STATES = ["active", "activeAutoRenewOff", "gracePeriod", "billingRetry", "lapsed", "refunded", "familyShared", "familyRevoked"]
YEARLY_PRODUCT_ID = "pro.yearly.committed"
RETENTION_OFFER_ID = "keep"
MESSAGE_ID = "00000000-0000-4000-8000-000000000001"


def scenario(key):
    """The file that describes the App Store: a customer in each state, named after it."""
    public_key = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    offers = [{"id": OFFER_ID, "price": "4.99", "periods": 3}]
    product = {
        "id": PRODUCT_ID,
        "introductoryOffer": {"mode": "freeTrial", "period": "P1W"},
        "offers": offers,
        "retentionOffers": [{"id": RETENTION_OFFER_ID, "price": "5.99", "periods": 2}],
    }
    yearly = {"id": YEARLY_PRODUCT_ID, "price": "99.00", "period": "P1Y", "monthlyPrice": "9.00"}
    retention = {
        "messages": [{"id": MESSAGE_ID}],
        "defaults": [{"product": PRODUCT_ID, "locale": "en-US", "message": MESSAGE_ID}],
        # However slow the machine is.
        "performanceTest": {"totalRequests": 10, "totalDuration": 0, "responseTimeThreshold": 30000},
    }
    app = {
        "bundleId": BUNDLE_ID,
        "appAppleId": APP_APPLE_ID,
        "issuerId": ISSUER_ID,
        "sharedSecret": SHARED_SECRET,
        "keys": [{"id": KEY_ID, "publicKey": public_key.decode()}],
        "retention": retention,
        "subscriptionGroups": [{"id": GROUP_ID, "products": [product, yearly]}],
    }
    customers = [{"name": state, "subscriptions": [{"product": PRODUCT_ID, "state": state}]} for state in STATES]
    long = {"product": PRODUCT_ID, "state": "active", "periods": 50, "introductory": True, "redeemed": [OFFER_ID]}
    customers.append({"name": "loyal", "environment": "Sandbox", "subscriptions": [long]})
    customers.append({"name": "newcomer"})
    commitment = {"product": YEARLY_PRODUCT_ID, "billingPlanType": "MONTHLY", "state": "active", "periods": 5}
    win_back = {"product": PRODUCT_ID, "state": "lapsed", "eligibleWinBackOfferIds": ["second", "first"]}
    partly = {"product": PRODUCT_ID, "state": "refunded", "revocationPercentage": 40000}
    customers += [
        {"name": "commitment", "environment": "Sandbox", "subscriptions": [commitment]},
        {"name": "win-back", "subscriptions": [win_back]},
        {"name": "refunded-partly", "subscriptions": [partly]},
        {"name": "member", "subscriptions": [{"product": PRODUCT_ID, "state": "assigned", "seats": 3}]},
        {"name": "removed", "subscriptions": [{"product": PRODUCT_ID, "state": "assignmentRevoked"}]},
        {"name": "buyer", "subscriptions": [{"product": PRODUCT_ID, "state": "active", "seats": 3}]},
    ]
    return {"apps": [app], "customers": customers}


class AppStore:
    """A running `offer-lab app-store`, and the key of the app that it knows."""

    def __init__(self, address, root, key):
        self.address = address
        self.root = root
        self.key = key

    def ask(self, path, body=None):
        """Sends a request, and returns the status and the JSON of the answer."""
        answer = requests.request("GET" if body is None else "POST", self.address + path, json=body, timeout=30)
        return answer.status_code, answer.json()

    def customer(self, name):
        status, customer = self.ask(f"/simulator/customers/{name}")
        assert status == 200, customer
        return customer

    def verifier(self, environment=Environment.PRODUCTION):
        """Apple's verifier, which trusts the stand-in's root alone."""
        return SignedDataVerifier([self.root.read_bytes()], False, environment, BUNDLE_ID, APP_APPLE_ID)

    def client(self, environment=Environment.PRODUCTION, key=None):
        """Apple's API client, pointed at the stand-in."""
        p8 = openssl_p8(key or self.key)
        client = AppStoreServerAPIClient(p8, KEY_ID, ISSUER_ID, BUNDLE_ID, environment)
        client._base_url = self.address + ("" if environment == Environment.PRODUCTION else "/sandbox")
        return client


@contextlib.contextmanager
def running_app_store(folder, key):
    """Simulates the App Store on a free port, until the block ends."""
    # JSON is YAML.
    (folder / "app-store.yaml").write_text(json.dumps(scenario(key), indent=2))
    with running_simulator(folder) as address:
        yield AppStore(address, folder / "root.der", key)


@contextlib.contextmanager
def running_simulator(folder):
    """Simulates the App Store that the folder describes, or a first one, until the block ends; gives its address."""
    arguments = ["app-store", "--port", "0", "--directory", folder]
    with running(arguments, r" at (http://\S+), root (\S+)", folder / "app-store.log", LAB) as found:
        yield found[1]


def subscription(app_store, name):
    """The only subscription of a customer."""
    [found] = app_store.customer(name)["subscriptions"]
    return found


def error(call, *arguments):
    """What a call of Apple's client raises."""
    with pytest.raises(APIException) as caught:
        call(*arguments)
    return caught.value
