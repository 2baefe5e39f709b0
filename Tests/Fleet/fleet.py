#!/usr/bin/env python3
"""Shows a fleet that fails over: three replicas of the service behind HAProxy, a PostgreSQL primary and its standby.

    fleet.py EXECUTABLE [--rounds N] [--seconds S] [--clients N]

Clients ask without a pause and check each signature; meanwhile one part after the other fails. It ends with exit status 1
unless, in each step,

- every signature that was answered is in the ledger of what is the primary then, no nonce came twice, and each verifies,
- no customer has more signatures of an offer than its limit, and each who asked often enough has as many,
- `ledger verify` finds the ledger in order,
- nothing was answered but 200 and 503, the slowest within 3 seconds,
- all replicas are ready within 6 seconds of the database.

Only loopback is used. It needs what `deploy/install-dependencies.sh test fleet` installs, and Python's cryptography.
"""

import argparse
import hashlib
import hmac
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from cryptography.hazmat.primitives.serialization import load_pem_public_key

from clients import Answers, Crowd
from servers import BUNDLE_ID, PRODUCT_ID, Balancer, Database, Failed, Replica, wait_until

LIMIT = 3
CUSTOMERS = 40
SLOWEST = 3.0
READY = 6.0


class Fleet:
    def __init__(self, executable, clients, seconds):
        self.executable, self.seconds = executable, seconds
        self.home = tempfile.mkdtemp(prefix="fleet-", dir="/tmp")
        os.chmod(self.home, 0o755)
        self.databases, self.replicas, self.crowd, self.balancer = [], [], None, None
        self.answers = Answers()
        self.count = clients

    def begin(self):
        self.keys = []
        self.add_key("FIRST00001")
        self.write_clients("first-token")
        primary = Database(self.home, "a")
        self.databases = [primary]
        standby = Database(self.home, "b", standby_of=primary)
        self.databases.append(standby)
        primary.set("synchronous_standby_names", "ANY 1 (a, b)")
        wait_until(primary.has_synchronous_standby, 30, "the standby did not follow")
        with open(self.path("digest.key"), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(os.urandom(32))
        self.make_key("checkpoint.p8")
        hosts = ",".join(one.home for one in self.databases)
        with open(self.path("offer-signer.yaml"), "w", encoding="ascii") as file:
            file.write(
                "server: { host: 127.0.0.1 }\nadmin: { host: 127.0.0.1 }\ncatalog: catalog.yaml\nclients: clients.yaml\n"
                f'ledger: {{ url: "postgres://postgres@/postgres?host={hosts}", digestKeyFile: digest.key, '
                "checkpointKeyFile: checkpoint.p8 }\nlog: { level: error }\n"
            )
        configuration = self.path("offer-signer.yaml")
        self.replicas = [Replica(number, self.executable, configuration, self.home) for number in (1, 2, 3)]
        for replica in self.replicas:
            replica.start()
        self.until_ready(60)
        self.balancer = Balancer(self.home, self.replicas)
        time.sleep(1.5)
        self.answers.begin()
        self.crowd = Crowd(self.count, self.balancer.port, self.answers, CUSTOMERS)

    def end(self):
        if self.crowd:
            for client in self.crowd.clients:
                client.ends = True
        for replica in self.replicas:
            if replica.process and replica.process.poll() is None:
                replica.process.kill()
        if self.balancer:
            self.balancer.stop()
        for database in self.databases:
            database.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    # Configuration

    def path(self, name):
        return os.path.join(self.home, name)

    def make_key(self, name):
        command = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self.path(name)]
        subprocess.run(command, check=True, capture_output=True)
        os.chmod(self.path(name), 0o600)

    def add_key(self, name):
        """A new key that signs from the next reload on; the others are there as before."""
        file = f"SubscriptionKey_{name}.p8"
        self.make_key(file)
        public = subprocess.run(
            ["openssl", "pkey", "-in", self.path(file), "-pubout"], check=True, capture_output=True
        ).stdout
        self.answers.keys[name] = load_pem_public_key(public)
        self.keys.insert(0, f"{{ id: {name}, file: {file} }}")
        with open(self.path("catalog.yaml"), "w", encoding="ascii") as catalog:
            catalog.write(
                f"apps:\n  - bundleId: {BUNDLE_ID}\n    keys: [{', '.join(self.keys)}]\n    subscriptionGroups:\n"
                f'      - id: "20900001"\n        products:\n          - id: {PRODUCT_ID}\n            offers:\n'
                f"              - {{ id: anyone }}\n              - {{ id: capped, maximumSignaturesPerCustomer: {LIMIT} }}\n"
            )

    def write_clients(self, *tokens):
        digests = ", ".join(f'"{hashlib.sha256(token.encode()).hexdigest()}"' for token in tokens)
        with open(self.path("clients.yaml"), "w", encoding="ascii") as file:
            file.write(f"clients: [{{ name: backend, tokenSHA256: [{digests}], apps: [{BUNDLE_ID}], "
                       "evidence: [receiptResponse] }]\n")
        self.answers.token = self.answers.token or tokens[0]

    def reload(self, replicas=None, kind="completed"):
        for replica in replicas or self.replicas:
            before = replica.readiness()[1]["reloads"][kind]
            replica.signal(signal.SIGHUP)
            wait_until(lambda: replica.readiness()[1]["reloads"][kind] > before, 30, f"the reload was not {kind}")

    # What is looked at

    @property
    def primary(self):
        return self.databases[0]

    @property
    def standby(self):
        return self.databases[1]

    def run(self, *words, fails=False):
        command = [self.executable, *words, "--config", self.path("offer-signer.yaml")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if (done.returncode != 0) != fails:
            raise Failed(f"{' '.join(words)}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def until_ready(self, seconds=READY):
        def faults():
            return "; ".join(f"replica {one.number}: {one.readiness()[1]['faults']}" for one in self.replicas)

        all_ready = lambda: all(replica.is_ready() for replica in self.replicas)
        return wait_until(all_ready, seconds, lambda: f"not all were ready ({faults()})")

    def until_all_say(self, kind, words, seconds=30):
        wait_until(
            lambda: all(one.says(kind, words) for one in self.replicas), seconds,
            lambda: f"nobody said '{words}' ({[one.readiness()[1][kind] for one in self.replicas]})",
        )

    def check(self, name, ready=None, lost=0, is_bounded=True):
        """Holds what was answered in a step against the ledger."""
        time.sleep(self.seconds)
        # While nobody asks: what is under way is on record or not.
        self.crowd.stop()
        answers = self.answers
        statuses = {str(status): count for status, count in sorted(answers.statuses.items(), key=str)}
        slowest, gap = answers.slowest, max(answers.gaps, default=0)
        exported = [json.loads(line) for line in self.run("ledger", "export").splitlines()]
        recorded = {record["nonce"] for record in exported}
        missing = set(answers.nonces) - recorded
        figures = f"{statuses}, {answers.signed} signed, slowest {slowest:.1f} s, longest time without a signature {gap:.1f} s"
        if ready is not None:
            figures += f", ready after {ready:.1f} s"
        print(f"   {name}: {figures}", flush=True)
        problems = []
        if len(missing) > lost:
            problems.append(f"{len(missing)} signatures that were answered are not on record, and {lost} are announced")
        if answers.twice or len(recorded) != len(exported):
            problems.append("a nonce came twice")
        if answers.wrong:
            problems.append(f"{len(answers.wrong)} signatures do not verify")
        if set(statuses) - {"200", "503"}:
            problems.append(f"there were other answers than 200 and 503: {statuses}")
        if not answers.signed:
            problems.append("nothing was signed")
        if is_bounded and slowest > SLOWEST:
            problems.append(f"an answer took {slowest:.1f} s")
        problems += self.check_limits(exported, lost)
        self.run("ledger", "verify")
        if problems:
            raise Failed(f"{name}: {'; '.join(problems)}")
        for nonce in missing:
            del answers.nonces[nonce]
        answers.begin()
        self.crowd = Crowd(self.count, self.balancer.port, answers, CUSTOMERS)

    def check_limits(self, exported, lost):
        counts = {}
        for record in exported:
            if record["offerId"] == "capped":
                counts[record["customerDigest"]] = counts.get(record["customerDigest"], 0) + 1
        problems = []
        over = [count for count in counts.values() if count > LIMIT]
        # What was lost is counted by nobody.
        answered = {}
        for account, offer in self.answers.nonces.values():
            if offer == "capped":
                answered[account] = answered.get(account, 0) + 1
        if over or not lost and max(answered.values(), default=0) > LIMIT:
            problems.append(f"a customer has more than {LIMIT} signatures")
        if sorted(counts.values())[CUSTOMERS // 2:] and max(counts.values()) < LIMIT:
            problems.append(f"nobody got all of {LIMIT} signatures")
        return problems

    # The steps

    def replica_is_killed(self):
        self.replicas[0].signal(signal.SIGKILL)
        self.replicas[0].wait()
        time.sleep(1)
        self.replicas[0].start()
        self.check("a replica is killed, and comes back", self.until_ready(30))

    def replica_is_drained(self):
        self.replicas[1].signal(signal.SIGTERM)
        if self.replicas[1].wait() != 0:
            raise Failed("a drained replica ended with another status than 0")
        self.replicas[1].start()
        self.until_ready(30)
        if set(self.answers.statuses) != {200}:
            raise Failed(f"a request was refused while a replica was drained: {self.answers.statuses}")
        self.check("a replica is drained, and another version starts")

    def key_and_token_change(self):
        self.add_key(f"KEY{int(time.time()) % 10**7:07d}")
        self.write_clients("first-token", "second-token")
        self.reload()
        self.answers.token = "second-token"
        time.sleep(0.5)
        self.write_clients("second-token")
        self.reload()
        good = open(self.path("catalog.yaml"), encoding="ascii").read()
        with open(self.path("catalog.yaml"), "w", encoding="ascii") as file:
            file.write("apps: 7\n")
        self.reload(self.replicas[:1], "refused")
        with open(self.path("catalog.yaml"), "w", encoding="ascii") as file:
            file.write(good)
        self.write_clients("first-token", "second-token")
        self.reload()
        self.answers.token = "first-token"
        if set(self.answers.statuses) != {200}:
            raise Failed(f"a request was refused while configurations changed: {self.answers.statuses}")
        self.check("a key and a token change, and a configuration is refused", self.until_ready())

    def one_customer_is_locked(self):
        account = f"locked-{time.time():.0f}"
        sql = f"BEGIN; SELECT pg_advisory_xact_lock({self.lock_key(account)}); SELECT pg_sleep(5); ROLLBACK"
        holder = threading.Thread(target=self.primary.query, args=[sql])
        holder.start()
        kept = "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND query LIKE 'BEGIN; SELECT%'"
        wait_until(lambda: self.primary.query(kept) != "0", 10, "the customer was not locked")
        self.answers.locked = account
        holder.join()
        self.answers.locked = None
        if not all(replica.is_ready() for replica in self.replicas):
            raise Failed("one locked customer made a replica unready")
        if not self.answers.statuses.get(503):
            raise Failed("the customer who was locked did not wait")
        self.check("a transaction keeps one customer locked for 5 s", self.until_ready())

    def lock_key(self, account):
        """The key of a customer's advisory lock: of the digest by which limits are counted."""
        message = b"offer-signer ledger digest 1\n"
        for text in ("account", BUNDLE_ID, account):
            message += len(text).to_bytes(4, "big") + text.encode()
        with open(self.path("digest.key"), "rb") as file:
            digest = hmac.digest(file.read(), message, "sha256")[:16]
        return int.from_bytes(hashlib.sha256(digest).digest()[:8], "big", signed=True)

    def database_stalls(self):
        self.primary.freeze()
        time.sleep(4)
        self.primary.freeze(False)
        self.check("the primary stands still for 4 s", self.until_ready())

    def standby_is_gone(self):
        self.standby.kill()
        self.until_all_say("faults", "synchronous standby")
        cancelled = int(self.primary.query(
            "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        ))
        if not cancelled:
            raise Failed("no commit waited for the standby")
        time.sleep(1)
        self.standby.start()
        wait_until(self.primary.has_synchronous_standby, 30, "the standby did not follow")
        self.check("the standby is gone, and waiting commits are cancelled", self.until_ready())

    def primary_is_killed(self):
        self.primary.kill()
        time.sleep(0.5)
        self.standby.set("synchronous_standby_names", "")
        self.standby.promote()
        self.databases.reverse()
        self.check("the primary is killed, and its standby promoted", self.until_ready())

    def old_primary_comes_back(self):
        old, new = self.standby, self.primary
        old.start()
        before = old.query("SELECT count(*) FROM ledger_records")
        # Started while both take writes; the URL may have the old one first.
        self.replicas[2].signal(signal.SIGTERM)
        self.replicas[2].wait()
        self.replicas[2].start()
        ready = self.until_ready(30)
        self.until_all_say("warnings", "old primary")
        new.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'offer-signer'")
        time.sleep(2)
        if old.query("SELECT count(*) FROM ledger_records") != before:
            raise Failed("something was written by the old primary")
        old.stop()
        self.check("the old primary comes back, and takes writes", ready)

    def standby_follows_again(self):
        old = self.standby
        old.make(self.primary)
        old.start()
        self.until_all_say("warnings", "asynchronously")
        self.primary.set("synchronous_standby_names", "ANY 1 (a, b)")
        wait_until(self.primary.has_synchronous_standby, 30, "the standby did not follow")
        self.check("an asynchronous standby is a warning", self.until_ready())

    def records_are_lost(self):
        self.primary.set("synchronous_standby_names", "")
        self.standby.stop()
        time.sleep(1)
        self.primary.kill()
        self.standby.start()
        self.standby.set("synchronous_standby_names", "")
        self.standby.promote()
        self.databases.reverse()
        self.until_all_say("faults", "acknowledge")
        # Each tells of its own, when it looks again.
        time.sleep(3)
        announced = json.loads(self.run("ledger", "verify", "--json"))["losses"]
        lost = sum(loss["last"] - loss["first"] + 1 for loss in announced if not loss["acknowledged"])
        if not lost:
            raise Failed("no record was lost, or nobody has noticed")
        self.run("ledger", "acknowledge")
        self.check(f"an asynchronous standby is promoted, and {lost} records are lost", self.until_ready(), lost=lost)

    STEPS = [
        replica_is_killed, replica_is_drained, key_and_token_change, one_customer_is_locked, database_stalls,
        standby_is_gone, primary_is_killed, old_primary_comes_back, standby_follows_again,
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("executable")
    parser.add_argument("--rounds", type=int, default=1, help="how often all steps are taken (1)")
    parser.add_argument("--seconds", type=float, default=1, help="how long each step goes on after it (1)")
    parser.add_argument("--clients", type=int, default=6, help="how many clients ask at once (6)")
    parser.add_argument("--keep", action="store_true", help="keep the logs where it fails")
    options = parser.parse_args()
    fleet = Fleet(os.path.abspath(options.executable), options.clients, options.seconds)
    # Ended from outside, it ends what it has started all the same.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        fleet.begin()
        fleet.check("nothing fails")
        for _ in range(options.rounds):
            for step in Fleet.STEPS:
                step(fleet)
        # The last, as limits do not hold for what was lost.
        fleet.records_are_lost()
    except Failed as failure:
        if options.keep:
            shutil.copytree(fleet.home, "/tmp/fleet-kept", dirs_exist_ok=True, ignore=shutil.ignore_patterns(".s.*"))
        sys.exit(f"failed: {failure}")
    finally:
        fleet.end()
    print("   every answered signature is on record, limits are exact, and the ledger verifies")


if __name__ == "__main__":
    main()
