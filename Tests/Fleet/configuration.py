"""The configuration that all replicas of a fleet share, and how it changes."""

import contextlib
import hashlib
import os
import subprocess

BUNDLE_ID = "com.example.reader"
PRODUCT_ID = "pro.monthly"
# How many signatures of an offer a customer may have.
LIMITS = {"anyone": None, "capped": 3}


class Configuration:
    """Its keys are made ahead, so that a load knows them all: their public parts are in keys.pem."""

    def __init__(self, home, keys):
        self.home = home
        self.digest_key = os.urandom(32)
        # The first signs, and the last signed before it.
        self.keys = [f"KEY{number:07d}" for number in range(keys)]

    def path(self, name):
        return os.path.join(self.home, name)

    def write(self, ports, token):
        with open(self.path("keys.pem"), "wb") as public:
            for name in self.keys:
                path = self.make_key(f"SubscriptionKey_{name}.p8")
                subprocess.run(["openssl", "pkey", "-in", path, "-pubout"], check=True, stdout=public)
        self.make_key("checkpoint.p8")
        with open(self.path("digest.key"), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(self.digest_key)
        self.write_catalog(self.keys[:1])
        self.write_clients(token)
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        self.write_file(
            "offer-signer.yaml",
            "server: { host: 127.0.0.1 }\nadmin: { host: 127.0.0.1 }\ncatalog: catalog.yaml\nclients: clients.yaml\n"
            f'ledger: {{ url: "postgres://postgres@{hosts}/postgres", digestKeyFile: digest.key, '
            "checkpointKeyFile: checkpoint.p8 }\nlog: { level: error }\n"
        )

    def change_key(self):
        """The next key signs from the next reload on; the one before is there as well."""
        self.keys = self.keys[1:] + self.keys[:1]
        self.write_catalog([self.keys[0], self.keys[-1]])

    def write_clients(self, *tokens):
        digests = ", ".join(f'"{hashlib.sha256(token.encode()).hexdigest()}"' for token in tokens)
        self.write_file(
            "clients.yaml",
            f"clients: [{{ name: backend, tokenSHA256: [{digests}], apps: [{BUNDLE_ID}], evidence: [receiptResponse] }}]\n"
        )

    @contextlib.contextmanager
    def broken_catalog(self):
        """A catalog that is none, for a while."""
        with open(self.path("catalog.yaml"), encoding="ascii") as file:
            good = file.read()
        self.write_file("catalog.yaml", "apps: 7\n")
        yield
        self.write_file("catalog.yaml", good)

    def write_catalog(self, keys):
        names = ", ".join(f"{{ id: {name}, file: SubscriptionKey_{name}.p8 }}" for name in keys)
        self.write_file(
            "catalog.yaml",
            f"apps:\n  - bundleId: {BUNDLE_ID}\n    keys: [{names}]\n    subscriptionGroups:\n"
            f'      - id: "20900001"\n        products:\n          - id: {PRODUCT_ID}\n            offers:\n'
            "              - { id: anyone }\n"
            f"              - {{ id: capped, maximumSignaturesPerCustomer: {LIMITS['capped']} }}\n"
        )

    def write_file(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)

    def make_key(self, name):
        path = self.path(name)
        command = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path]
        subprocess.run(command, check=True, capture_output=True)
        os.chmod(path, 0o600)
        return path
