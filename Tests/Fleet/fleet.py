#!/usr/bin/env python3
"""Shows a fleet that fails over: three replicas of the service behind HAProxy, a PostgreSQL primary and its standby.

    fleet.py EXECUTABLE [--rounds N] [--seconds S] [--rate N]

`offer-lab load` asks and checks each signature; meanwhile one part after the other fails. It ends with exit status 1
unless, in each step,

- every signature that was answered is in the ledger of what is the primary then, no nonce came twice, and each is right,
- each customer has as many signatures on record as were asked for, up to the limit; where an answer was 503, at least as
  many as the others make, and never more than the limit,
- `ledger verify` finds the ledger in order,
- nothing was answered but 200 and 503, the slowest within 3 seconds; what a replica had when it was killed is cut off,
- all replicas are ready within 6 seconds of the database.

Only loopback is used. It needs what `deploy/install-dependencies.sh test fleet` installs.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from configuration import Configuration
from loads import Load, Step, lock_row
from servers import Balancer, Database, Failed, Network, Replica, wait_until

CUSTOMERS = 40
SLOWEST = 3.0
READY = 6.0
# A debug build on a busy machine.
START = 20.0


class Fleet:
    def __init__(self, executable, rate, seconds, rounds):
        self.executable, self.rate, self.seconds = executable, rate, seconds
        self.home = tempfile.mkdtemp(prefix="fleet-", dir="/tmp")
        os.chmod(self.home, 0o755)
        self.databases, self.networks, self.replicas, self.balancer, self.loads = [], [], [], None, []
        self.configuration = Configuration(self.home, keys=rounds + 1)
        self.token = "first-token"
        # Those that were answered and are on record.
        self.nonces = set()
        self.exported = []
        self.started, self.ended = [], []

    def begin(self):
        primary = Database(self.home, "a")
        self.databases = [primary]
        standby = Database(self.home, "b", standby_of=primary)
        self.databases.append(standby)
        self.networks = [Network(self.home, one) for one in self.databases]
        primary.set("synchronous_standby_names", "ANY 1 (a, b)")
        wait_until(primary.has_synchronous_standby, 30, "the standby did not follow")
        self.configuration.write([one.port for one in self.networks], self.token)
        path = self.configuration.path("offer-signer.yaml")
        self.replicas = [Replica(number, self.executable, path, self.home) for number in (1, 2, 3)]
        for replica in self.replicas:
            replica.start()
        self.until_ready(60)
        self.balancer = Balancer(self.home, self.replicas)
        time.sleep(1.5)
        self.start_loads()

    def end(self):
        for load in self.started:
            load.process.kill()
        for replica in self.replicas:
            if replica.process and replica.process.poll() is None:
                replica.process.kill()
        for proxy in [self.balancer, *self.networks]:
            if proxy:
                proxy.stop()
        for database in self.databases:
            database.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def reload(self, replicas=None, kind="completed"):
        for replica in replicas or self.replicas:
            before = replica.readiness()[1]["reloads"][kind]
            replica.signal(signal.SIGHUP)
            wait_until(lambda: replica.readiness()[1]["reloads"][kind] > before, 30, f"the reload was not {kind}")

    # Loads

    def load(self, name, *options):
        load = Load(self, f"{len(self.started)}-{name}", *options)
        self.started.append(load)
        self.loads.append(load)
        load.until_answered()
        return load

    def start_loads(self):
        """Ever new customers: some ask once, others five times in a row for what they may have three times."""
        new = ["--customers", "new", "--connections", "24", "--rate"]
        self.load("once", "--offer-id", "anyone", *new, str(self.rate * 0.6))
        self.load("capped", "--offer-id", "capped", "--repeat", "5", *new, str(self.rate * 0.4))

    def stop_loads(self):
        """What was answered in them is a part of the step."""
        loads, self.loads = self.loads, []
        self.ended += [load.stop() for load in loads]

    # What is looked at

    @property
    def primary(self):
        return self.databases[0]

    @property
    def standby(self):
        return self.databases[1]

    def network(self, database):
        return self.networks["ab".index(database.name)]

    def run(self, *commands):
        """Runs commands on the ledger, all at once; returns what each has printed."""
        end = ["--config", self.configuration.path("offer-signer.yaml")]
        with concurrent.futures.ThreadPoolExecutor() as threads:
            outcomes = [
                (words, threads.submit(
                    subprocess.run, [self.executable, "ledger", *words.split(), *end], capture_output=True, text=True,
                    timeout=120, check=False,
                )) for words in commands
            ]
        for words, outcome in outcomes:
            if outcome.result().returncode != 0:
                raise Failed(f"ledger {words}: {outcome.result().stderr.strip()[-2000:]}")
        return [outcome.result().stdout for _, outcome in outcomes]

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

    def until_standby_follows(self):
        self.primary.set("synchronous_standby_names", "ANY 1 (a, b)")
        wait_until(self.primary.has_synchronous_standby, 30, "the standby did not follow")

    def restart(self, replica):
        """Returns how long it took from the start until all were ready."""
        replica.signal(signal.SIGTERM)
        if replica.wait() != 0:
            raise Failed("a drained replica ended with another status than 0")
        replica.start()
        return self.until_ready(START)

    def promote_standby(self):
        time.sleep(0.5)
        self.standby.set("synchronous_standby_names", "")
        self.standby.promote()
        self.databases.reverse()

    def check(self, name, ready=None, lost=0, is_cut=False):
        """Holds what was answered in a step against the ledger."""
        time.sleep(self.seconds)
        # While nobody asks: what is under way is on record or not.
        self.stop_loads()
        ended, self.ended = self.ended, []
        step = Step([answer for answers, _ in ended for answer in answers], sum(wrong for _, wrong in ended))
        waited = f", ready after {ready:.1f} s" if ready is not None else ""
        print(f"   {name}: {step.figures}{waited}", flush=True)
        exported, _ = self.run("export", "verify")
        self.exported = [json.loads(line) for line in exported.splitlines()]
        faults = step.faults(self.exported, self.configuration.digest_key, self.nonces, lost)
        if step.cut and not is_cut:
            faults.append(f"{step.cut} requests were cut off")
        if step.slowest > SLOWEST:
            faults.append(f"an answer took {step.slowest:.1f} s")
        if faults:
            raise Failed(f"{name}: {'; '.join(faults)}")
        self.nonces = (self.nonces | {nonce for nonce, _ in step.signed}) & {record["nonce"] for record in self.exported}
        return step

    # The steps

    def nothing_fails(self):
        if self.check("nothing fails").refused:
            raise Failed("a request was refused though nothing failed")

    def many_ask_at_once(self):
        self.load(
            "burst", "--offer-id", "capped", "--customers", "new", "--repeat", "24", "--connections", "24"
        ).until_answered(24 * CUSTOMERS)
        self.check(f"24 requests at once for each of {CUSTOMERS} customers and more")

    def replica_is_killed(self):
        self.replicas[0].signal(signal.SIGKILL)
        self.replicas[0].wait()
        time.sleep(1)
        self.replicas[0].start()
        self.check("a replica is killed, and comes back", self.until_ready(START), is_cut=True)

    def replica_is_drained(self):
        ready = self.restart(self.replicas[1])
        if self.check("a replica is drained, and another version starts", ready).refused:
            raise Failed("a request was refused while a replica was drained")

    def key_and_token_change(self):
        new = "second-token" if self.token == "first-token" else "first-token"
        self.configuration.change_key()
        self.configuration.write_clients(self.token, new)
        self.reload()
        before, self.loads = self.loads, []
        old, self.token = self.token, new
        self.start_loads()
        self.ended += [load.stop() for load in before]
        self.configuration.write_clients(new)
        self.reload()
        if any(replica.takes(old) or not replica.takes(new) for replica in self.replicas):
            raise Failed("a replica takes the old token still, or not the new one")
        with self.configuration.broken_catalog():
            self.reload(self.replicas[:1], "refused")
        if self.check("a key and a token change, and a configuration is refused", self.until_ready()).refused:
            raise Failed("a request was refused while configurations changed")
        if not any(record["keyIdentifier"] == self.configuration.keys[0] for record in self.exported):
            raise Failed("the new key has signed nothing")

    def one_customer_is_locked(self):
        account = self.load(
            "locked", "--offer-id", "capped", "--customers", "1", "--connections", "8", "--rate", "4"
        ).answers()[0]["account"]
        row = lock_row(self.configuration.digest_key, account)
        lock = f"SELECT 1 FROM ledger_locks WHERE id = {row} FOR UPDATE"
        holder = threading.Thread(target=self.primary.query, args=[f"BEGIN; {lock}; SELECT pg_sleep(5); ROLLBACK"])
        holder.start()
        while holder.is_alive():
            if not all(replica.is_ready() for replica in self.replicas):
                raise Failed("one locked customer made a replica unready")
            time.sleep(0.1)
        who = {answer["account"] for answer in self.check("a transaction keeps one customer locked for 5 s").refused}
        # Of very many customers two share a row now and then.
        others = {one for one in who if lock_row(self.configuration.digest_key, one) != row}
        if account not in who or others:
            raise Failed(f"the customer who was locked was to be refused, and nobody of another row: {who or 'nobody'}")

    def network_stalls(self):
        self.network(self.primary).stall()
        time.sleep(4)
        self.network(self.primary).flow()
        self.check("the network to the primary stalls for 4 s", self.until_ready())

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

    def primary_is_silent(self):
        """The first host of the URL accepts connections and never answers."""
        self.network(self.primary).stall()
        self.primary.kill()
        wait_until(lambda: not any(one.is_ready() for one in self.replicas), 10, "not all have seen that it is silent")
        time.sleep(1)
        self.promote_standby()
        ready = self.until_ready()
        self.restart(self.replicas[2])
        self.check("the primary is silent, and its standby promoted; a replica starts anew", ready)

    def old_primary_comes_back(self):
        old, new = self.standby, self.primary
        old.start()
        old.set("synchronous_standby_names", "")
        before = old.query("SELECT count(*) FROM ledger_records")
        self.network(old).flow()
        # Started while both take writes; the URL has the old one first.
        ready = self.restart(self.replicas[2])
        self.until_all_say("warnings", "old primary")
        new.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'offer-signer'")
        time.sleep(2)
        if old.query("SELECT count(*) FROM ledger_records") != before:
            raise Failed("something was written by the old primary")
        old.stop()
        self.check("the old primary comes back, and takes writes; a replica starts anew", ready)

    def standby_follows_again(self):
        self.standby.make(self.primary)
        self.standby.start()
        self.until_all_say("warnings", "asynchronously")
        self.until_standby_follows()
        self.check("an asynchronous standby is a warning", self.until_ready())

    def primary_is_killed(self):
        self.primary.kill()
        self.promote_standby()
        ready = self.until_ready()
        # As at the beginning.
        self.standby.make(self.primary)
        self.standby.start()
        self.until_standby_follows()
        self.check("the primary is killed, and its standby promoted", ready)

    def records_are_lost(self):
        self.primary.set("synchronous_standby_names", "")
        self.standby.stop()
        time.sleep(1)
        self.primary.kill()
        self.standby.start()
        self.promote_standby()
        self.until_all_say("faults", "acknowledge")
        # Each tells of its own, when it looks again.
        time.sleep(3)
        announced = json.loads(self.run("verify --json")[0])["losses"]
        lost = sum(loss["last"] - loss["first"] + 1 for loss in announced if not loss["acknowledged"])
        if not lost:
            raise Failed("no record was lost, or nobody has noticed")
        self.run("acknowledge")
        self.check(f"an asynchronous standby is promoted, and {lost} records are lost", self.until_ready(), lost=lost)

    STEPS = [
        many_ask_at_once, replica_is_killed, replica_is_drained, key_and_token_change, one_customer_is_locked,
        network_stalls, standby_is_gone, primary_is_silent, old_primary_comes_back, standby_follows_again,
        primary_is_killed,
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("executable", help="the service's; offer-lab is beside it")
    parser.add_argument("--rounds", type=int, default=1, help="how often all steps are taken (1)")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long each step goes on after it (0.5)")
    parser.add_argument("--rate", type=float, default=60, help="how many requests come a second (60)")
    parser.add_argument("--keep", action="store_true", help="keep the logs where it fails")
    options = parser.parse_args()
    fleet = Fleet(os.path.abspath(options.executable), options.rate, options.seconds, options.rounds)
    # Ended from outside, it ends what it has started all the same.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    steps = [Fleet.nothing_fails, *Fleet.STEPS * options.rounds]
    try:
        fleet.begin()
        for step in steps:
            step(fleet)
            fleet.start_loads()
        # The last, as it leaves a primary without a standby.
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
