"""The built executable, as a stranger meets it: its configuration, its process and its answers."""

import base64
import contextlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import threading
import time
import urllib.request

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
EXECUTABLE = pathlib.Path(os.environ.get("OFFER_SIGNER") or REPOSITORY / ".build/debug/offer-signer")
LAB = EXECUTABLE.with_name("offer-lab")

BUNDLE_ID = "com.example.interoperability"
KEY_ID = "INTEROP123"
ISSUER_ID = "57246542-96fe-1a63-e053-0824d011072a"
GROUP_ID = "20900099"
PRODUCT_ID = "com.example.interoperability.monthly"
OFFER_ID = "welcome-back"
TOKEN = "token-of-the-interoperability-tests"

SEPARATOR = "\u2063"
# The service's environment: the configuration written here, and no override from outside.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("OFFER_SIGNER")}
START_SECONDS = 60
STOP_SECONDS = 30
DAY = 86_400_000  # milliseconds


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def openssl_p8(key):
    """PKCS#8 as OpenSSL and `cryptography` write it."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def write_configuration(folder, p8, signatures_per_second=None):
    """Writes a complete configuration for one app with one offer, and returns the path of its main file."""
    token_sha256 = hashes.Hash(hashes.SHA256())
    token_sha256.update(TOKEN.encode())

    key_file = folder / f"SubscriptionKey_{KEY_ID}.p8"
    key_file.touch(mode=0o600)
    key_file.write_bytes(p8)
    offers = {"id": PRODUCT_ID, "offers": [{"id": OFFER_ID, "audience": ["lapsed"]}]}
    app = {
        "bundleId": BUNDLE_ID,
        # One lapsed subscription stands for many customers here.
        "maximumAccountsPerTransaction": 1000,
        "keys": [{"id": KEY_ID, "file": key_file.name, "issuerId": ISSUER_ID}],
        "subscriptionGroups": [{"id": GROUP_ID, "products": [offers]}],
    }
    client = {
        "name": "interoperability",
        "tokenSHA256": token_sha256.finalize().hex(),
        "apps": [BUNDLE_ID],
        "evidence": ["receiptResponse", "receipt", "signedTransactions", "transactionId"],
    }
    if signatures_per_second is not None:
        client["signaturesPerSecond"] = signatures_per_second
    files = {
        "offer-signer.yaml": {
            "server": {"host": "127.0.0.1", "port": 0},
            "admin": {"host": "127.0.0.1", "port": 0},
            "catalog": "catalog.yaml",
            "clients": "clients.yaml",
        },
        "catalog.yaml": {"apps": [app]},
        "clients.yaml": {"clients": [client]},
    }
    # JSON is YAML.
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=2))
    return folder / "offer-signer.yaml"


def milliseconds_now():
    return time.time_ns() // 1_000_000


def lapsed_receipt_response():
    """A verifyReceipt answer of this moment, for a customer whose subscription ended ten days ago."""
    now = milliseconds_now()
    original = "410000000000001"
    transaction = {"transaction_id": original, "original_transaction_id": original, "product_id": PRODUCT_ID}
    transaction |= {"purchase_date_ms": str(now - 40 * DAY), "original_purchase_date_ms": str(now - 40 * DAY)}
    transaction |= {"expires_date_ms": str(now - 10 * DAY), "in_app_ownership_type": "PURCHASED", "quantity": "1"}
    transaction |= {"is_trial_period": "false", "is_in_intro_offer_period": "false"}
    transaction |= {"subscription_group_identifier": GROUP_ID}
    renewal = {"product_id": PRODUCT_ID, "auto_renew_product_id": PRODUCT_ID, "original_transaction_id": original}
    renewal |= {"auto_renew_status": "0", "expiration_intent": "1", "is_in_billing_retry_period": "0"}
    return {
        "status": 0,
        "environment": "Production",
        "receipt": {"receipt_type": "Production", "bundle_id": BUNDLE_ID, "request_date_ms": str(now), "in_app": []},
        "latest_receipt_info": [transaction],
        "pending_renewal_info": [renewal],
    }


class Service:
    """A running `offer-signer serve` and the key that it signs with."""

    def __init__(self, configuration, address, admin, key):
        self.configuration = configuration
        self.address = address
        self.admin = admin
        self.key = key

    def sign(self, offers=1, **members):
        """Asks for the one offer of the catalog, as often as said, and returns the answer."""
        return self.ask("/v1/signatures", offers=[{"productId": PRODUCT_ID, "offerId": OFFER_ID}] * offers, **members)

    def ask(self, path, **members):
        """Asks about a lapsed customer, unless other evidence is given, and returns the answer."""
        body = {"bundleId": BUNDLE_ID, "evidence": {"receiptResponse": lapsed_receipt_response()}, **members}
        request = urllib.request.Request(
            self.address + path,
            data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)


@contextlib.contextmanager
def running(arguments, announcement, log, executable=EXECUTABLE):
    """Runs an executable until the block ends, and gives the match of the line that says where it is."""
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [executable, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=ENVIRONMENT,
            text=True,
        )
    # A program that neither says where it is nor ends is ended, which ends the wait for its line.
    watchdog = threading.Timer(START_SECONDS, process.kill)
    watchdog.start()
    try:
        line = process.stdout.readline()
        watchdog.cancel()
        found = re.search(announcement, line)
        assert found, f"the program does not say where it is: {line!r}\n{log.read_text()}"
        yield found
        process.terminate()
        assert process.wait(STOP_SECONDS) == 0, log.read_text()
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
        process.stdout.close()


@contextlib.contextmanager
def answering(answer):
    """An HTTP server until the block ends: `answer` makes the status and the JSON of each body; gives its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            status, json_ = answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = json.dumps(json_).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json" if status < 400 else "application/problem+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        # A client may keep a connection open for longer than the server is needed.
        server.daemon_threads, server.block_on_close = True, False
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


SERVING = r" is serving (http://\S+), admin (http://\S+)"


@contextlib.contextmanager
def running_service(folder, key, p8, signatures_per_second=None):
    """Serves a configuration written into the folder, on a free port, until the block ends."""
    with running_configuration(folder, write_configuration(folder, p8, signatures_per_second), key) as service:
        yield service


@contextlib.contextmanager
def running_configuration(folder, configuration, key):
    with running(["serve", "--config", configuration], SERVING, folder / "service.log") as found:
        yield Service(configuration, found[1], found[2], key)


def signed_fields(answer, decision):
    """The seven fields that Apple says are signed, in Apple's order, as the answer tells them to the client."""
    account = answer.get("account") or {}
    discount = decision["discount"]
    return [
        answer["bundleId"],
        discount["keyIdentifier"],
        decision["productId"],
        discount["identifier"],
        account.get("appAccountToken") or account.get("applicationUsername") or "",
        discount["nonce"],
        str(discount["timestamp"]),
    ]


def verify(key, decision, payload):
    """Raises InvalidSignature unless the decision's signature is the key's, over these bytes."""
    signature = base64.b64decode(decision["discount"]["signature"], validate=True)
    key.public_key().verify(signature, payload, ec.ECDSA(hashes.SHA256()))
