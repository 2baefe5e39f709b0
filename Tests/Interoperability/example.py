"""keys.example, served as the documents have it: but on free ports, and asking a stand-in App Store."""

import contextlib
import dataclasses
import pathlib
import shutil

from cryptography.hazmat.primitives import serialization

from app_store import running_simulator
from offer_signer import REPOSITORY, SERVING, running

APP_STORE = """
appStore:
  verifyReceiptURL: {0}/verifyReceipt
  sandboxVerifyReceiptURL: {0}/sandbox/verifyReceipt
  serverAPIURL: {0}
  sandboxServerAPIURL: {0}/sandbox
  additionalRoots: ["{1}"]
"""

NOTIFICATIONS = "notifications: { host: 127.0.0.1, port: 0 }\n"
# More than a test asks for, so that every answer says what is left of it.
SIGNATURES_PER_SECOND = "    signaturesPerSecond: 1000000\n"


@dataclasses.dataclass
class Example:
    """The running example."""

    folder: pathlib.Path
    address: str
    admin: str
    notifications: str
    app_store: str
    key: object
    token: str = "demo-token-for-loopback-only"
    bundle_id: str = "com.example.reader"


@contextlib.contextmanager
def running_example(folder, client="", settings=(), app_store_url=None):
    """Serves a copy of keys.example from the folder, until the block ends.

    `client` is more of the client in YAML, `settings` are more flags, and `app_store_url` is asked in place of the
    stand-in App Store.
    """
    copy = folder / "keys.example"
    shutil.copytree(REPOSITORY / "keys.example", copy)
    p8 = copy / "SubscriptionKey_EXAMPLE123.p8"
    p8.chmod(0o600)
    key = serialization.load_pem_private_key(p8.read_bytes(), None)
    simulated = folder / "app-store"
    simulated.mkdir()
    with running_simulator(simulated) as app_store:
        configuration = copy / "offer-signer.yaml"
        with configuration.open("a") as file:
            file.write(APP_STORE.format(app_store_url or app_store, simulated / "root.pem") + NOTIFICATIONS)
        with (copy / "clients.yaml").open("a") as file:
            file.write(SIGNATURES_PER_SECOND + client)
        arguments = ["serve", "--config", configuration, "--server-port", "0", "--admin-port", "0", *settings]
        announcement = SERVING + r", notifications (http://\S+)"
        with running(arguments, announcement, folder / "service.log") as found:
            yield Example(folder, found[1], found[2], found[3], app_store, key)
