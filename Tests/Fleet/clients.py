"""Clients of a fleet: they ask without a pause, check each signature, and keep what they were answered."""

import base64
import http.client
import json
import threading
import time
import zlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from servers import BUNDLE_ID, PRODUCT_ID


DAY = 86_400_000


def evidence(account):
    """A verifyReceipt answer of an active subscription of the customer's own."""
    now = int(time.time() * 1000)
    number = str(zlib.crc32(account.encode()))
    return {"receiptResponse": {
        "status": 0, "environment": "Production",
        "receipt": {
            "receipt_type": "Production", "bundle_id": BUNDLE_ID, "request_date_ms": str(now), "in_app": [],
        },
        "latest_receipt_info": [{
            "original_transaction_id": number, "transaction_id": number, "product_id": PRODUCT_ID,
            "purchase_date_ms": str(now - 40 * DAY), "expires_date_ms": str(now + 20 * DAY),
        }],
        "pending_renewal_info": [
            {"original_transaction_id": number, "product_id": PRODUCT_ID, "auto_renew_status": "1"}
        ],
    }}


class Answers:
    """What all clients were answered."""

    def __init__(self):
        self.lock = threading.Lock()
        self.keys = {}
        self.token = ""
        # A customer whom one client asks for, now and then.
        self.locked = None
        self.nonces = {}
        self.twice = []
        self.wrong = []
        self.begin()

    def begin(self):
        """A step begins: the nonces of those before it are kept, and nothing else."""
        with self.lock:
            self.statuses = {}
            self.slowest = 0.0
            self.signed = 0
            self.gaps = []
            self.last_success = time.monotonic()

    def note(self, status, seconds, account, offer, decision):
        with self.lock:
            self.statuses[status] = self.statuses.get(status, 0) + 1
            self.slowest = max(self.slowest, seconds)
            discount = (decision or {}).get("discount")
            if not discount:
                return
            now = time.monotonic()
            self.gaps.append(now - self.last_success)
            self.last_success = now
            self.signed += 1
            nonce = discount["nonce"].lower()
            if nonce in self.nonces:
                self.twice.append(nonce)
            self.nonces[nonce] = (account, offer)
        if not self.is_signed(discount, account):
            self.wrong.append(nonce)

    def is_signed(self, discount, account):
        fields = [
            BUNDLE_ID, discount["keyIdentifier"], PRODUCT_ID, discount["identifier"], account, discount["nonce"],
            discount["timestamp"],
        ]
        message = "\u2063".join(map(str, fields)).encode()
        try:
            key = self.keys[discount["keyIdentifier"]]
            key.verify(base64.b64decode(discount["signature"]), message, ec.ECDSA(hashes.SHA256()))
            return True
        except (InvalidSignature, KeyError):
            return False


class Client(threading.Thread):
    """One connection after the other, one request at a time; every fourth is for an offer with a limit."""

    def __init__(self, number, port, answers, customers):
        super().__init__(daemon=True)
        self.number, self.port, self.answers, self.customers = number, port, answers, customers
        self.ends = False
        self.count = 0

    def run(self):
        connection = None
        while not self.ends:
            self.count += 1
            is_capped = self.count % 4 == 0
            offer = "capped" if is_capped else "anyone"
            # The same customers by all clients for the one, and ever new ones for the other.
            account = f"capped-{self.count // 4 % self.customers}" if is_capped else f"a-{self.number}-{self.count}"
            if self.number == 0 and self.answers.locked:
                account, offer = self.answers.locked, "capped"
            body = json.dumps({
                "applicationUsername": account, "evidence": evidence(account),
                "offers": [{"productId": PRODUCT_ID, "offerId": offer}],
            })
            start = time.monotonic()
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                connection.request(
                    "POST", "/v1/signatures", body,
                    {"Authorization": f"Bearer {self.answers.token}", "Content-Type": "application/json"},
                )
                answer = connection.getresponse()
                text = answer.read()
                status = answer.status
                if answer.getheader("connection") == "close":
                    connection = None
            except (OSError, http.client.HTTPException) as error:
                status, text, connection = type(error).__name__, b"", None
            seconds = time.monotonic() - start
            found = json.loads(text) if status == 200 else {}
            decisions = found.get("decisions") or [None]
            self.answers.note(status, seconds, account, offer, decisions[0])
            if status != 200:
                time.sleep(0.05)


class Crowd:
    """Some clients at once."""

    def __init__(self, count, port, answers, customers):
        self.clients = [Client(number, port, answers, customers) for number in range(count)]
        for client in self.clients:
            client.start()

    def stop(self):
        for client in self.clients:
            client.ends = True
        for client in self.clients:
            client.join()
