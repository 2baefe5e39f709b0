"""The stand-in App Store, as a stranger meets it: its process, its root and its answers."""

import contextlib
import json
import re
import subprocess
import threading
import urllib.error
import urllib.request

from appstoreserverlibrary.api_client import AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from cryptography.hazmat.primitives import serialization

from offer_signer import BUNDLE_ID, ENVIRONMENT, EXECUTABLE, GROUP_ID, ISSUER_ID, KEY_ID, OFFER_ID, PRODUCT_ID
from offer_signer import START_SECONDS, STOP_SECONDS, openssl_p8

APP_APPLE_ID = 1234567890
SHARED_SECRET = "0123456789abcdef0123456789abcdef"
STATES = ["active", "activeAutoRenewOff", "gracePeriod", "billingRetry", "lapsed", "refunded", "familyShared"]


def scenario(key):
    """The file that describes the App Store: a customer in each state, named after it."""
    public_key = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    offers = [{"id": OFFER_ID, "price": "4.99", "periods": 3}]
    product = {"id": PRODUCT_ID, "introductoryOffer": {"mode": "freeTrial", "period": "P1W"}, "offers": offers}
    app = {
        "bundleId": BUNDLE_ID,
        "appAppleId": APP_APPLE_ID,
        "issuerId": ISSUER_ID,
        "sharedSecret": SHARED_SECRET,
        "keys": [{"id": KEY_ID, "publicKey": public_key.decode()}],
        "subscriptionGroups": [{"id": GROUP_ID, "products": [product]}],
    }
    customers = [{"name": state, "subscriptions": [{"product": PRODUCT_ID, "state": state}]} for state in STATES]
    long = {"product": PRODUCT_ID, "state": "active", "periods": 50, "introductory": True, "redeemed": [OFFER_ID]}
    customers.append({"name": "loyal", "environment": "Sandbox", "subscriptions": [long]})
    customers.append({"name": "newcomer"})
    return {"apps": [app], "customers": customers}


class AppStore:
    """A running `offer-signer simulate-app-store`, and the key of the app that it knows."""

    def __init__(self, address, root, key):
        self.address = address
        self.root = root
        self.key = key

    def ask(self, path, body=None):
        """Sends a request, and returns the status and the JSON of the answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

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
    log = folder / "app-store.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [EXECUTABLE, "simulate-app-store", "--port", "0", "--directory", folder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=ENVIRONMENT,
            text=True,
        )
    watchdog = threading.Timer(START_SECONDS, process.kill)
    watchdog.start()
    try:
        line = process.stdout.readline()
        watchdog.cancel()
        found = re.search(r" at (http://\S+), root (\S+)", line)
        assert found, f"the stand-in does not say where it is: {line!r}\n{log.read_text()}"
        yield AppStore(found[1], folder / "root.der", key)
        process.terminate()
        assert process.wait(STOP_SECONDS) == 0, log.read_text()
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
        process.stdout.close()
