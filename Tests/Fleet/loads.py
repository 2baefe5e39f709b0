"""Loads on a fleet: `offer-lab load` asks and checks each signature; its answers are held against the ledger."""

import hashlib
import hmac
import json
import os
import signal
import subprocess

from configuration import BUNDLE_ID, LIMITS
from servers import Failed, wait_until


class Load:
    """`offer-lab load` until it is stopped; each answer is in a file at once."""

    def __init__(self, fleet, name, *options):
        self.path = fleet.configuration.path(f"answers-{name}.jsonl")
        lab = os.path.join(os.path.dirname(fleet.executable), "offer-lab")
        self.process = subprocess.Popen(
            [
                lab, "load", "--url", f"http://127.0.0.1:{fleet.balancer.port}", "--token", fleet.token,
                "--verify-key", fleet.configuration.path("keys.pem"), "--verify-all", "--answers", self.path, "--json",
                "--warm-up", "0", "--duration", "3600", *options,
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def until_answered(self, count=1, seconds=30):
        def is_answered():
            if self.process.poll() is not None:
                raise Failed(f"offer-lab load ended: {self.process.stderr.read().decode().strip()}")
            return len(self.answers()) >= count

        wait_until(is_answered, seconds, lambda: f"there were {len(self.answers())} answers, not {count},")

    def answers(self):
        if not os.path.exists(self.path):
            return []
        with open(self.path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def stop(self):
        """Ends it once all is answered. Returns the answers, and how many signatures were wrong."""
        self.process.send_signal(signal.SIGINT)
        output, errors = self.process.communicate(timeout=60)
        report = json.loads(output or "{}")
        if self.process.returncode != 0 and not report.get("verification", {}).get("wrong"):
            raise Failed(f"offer-lab load: {errors.decode().strip()}")
        answers = self.answers()
        os.remove(self.path)
        signed = sum(bool(offer.get("nonce")) for answer in answers for offer in answer.get("offers", []))
        # What was sent in the moment of the signal is not measured, and not checked.
        if not signed - 24 <= report["verification"]["checked"] <= signed:
            raise Failed(f"{signed} signatures came, and {report['verification']['checked']} were checked")
        return answers, report["verification"]["wrong"]


class Step:
    """What came of a step, to be held against the ledger."""

    def __init__(self, answers, wrong):
        self.answers, self.wrong = answers, wrong
        # What a replica had not answered that was killed: HAProxy closes the connection, or says 502.
        self.cut = sum(answer.get("error") in ("closed", "502") for answer in answers)
        self.signed = []
        for answer in answers:
            for offer in answer.get("offers", []):
                if "nonce" in offer:
                    self.signed.append((offer["nonce"], answer["time"]))

    @property
    def slowest(self):
        return max((answer["milliseconds"] for answer in self.answers), default=0) / 1000

    @property
    def refused(self):
        return [answer for answer in self.answers if answer.get("status") == 503]

    @property
    def figures(self):
        times = sorted([min(answer["time"] for answer in self.answers)] + [time for _, time in self.signed])
        gap = max((after - before for before, after in zip(times, times[1:])), default=0) / 1000
        refused = [answer["time"] for answer in self.refused]
        waited = f" in {(max(refused) - min(refused)) / 1000:.1f} s" if refused else ""
        cut = f", {self.cut} cut off" if self.cut else ""
        return (f"{len(self.signed)} signed, {len(refused)} answers 503{waited}{cut}, slowest answer {self.slowest:.1f} s, "
                f"longest time without a signature {gap:.1f} s")

    def faults(self, exported, digest_key, before, lost):
        """Why the answers and the ledger do not agree.

        `before`: the nonces that earlier steps were answered; `lost`: how many records are announced as lost.
        """
        faults = []
        recorded = {record["nonce"] for record in exported}
        nonces = [nonce for nonce, _ in self.signed]
        missing = (set(nonces) | before) - recorded
        if len(missing) > lost:
            faults.append(f"{len(missing)} signatures that were answered are not on record, and {lost} are announced")
        if len(set(nonces)) != len(nonces) or before & set(nonces) or len(recorded) != len(exported):
            faults.append("a nonce came twice")
        if self.wrong:
            faults.append(f"{self.wrong} signatures are wrong")
        others = {answer.get("status", answer.get("error")) for answer in self.answers} - {200, 503, 502, "closed"}
        if others:
            faults.append(f"there were other answers than 200 and 503: {others}")
        if not nonces:
            faults.append("nothing was signed")
        return faults + self.faults_of_limits(exported, digest_key, missing)

    def faults_of_limits(self, exported, digest_key, missing):
        """Each customer has as many signatures on record as were asked for, up to the limit; a 503 leaves that open."""
        customers, gone = {}, {}
        for answer in self.answers:
            # Each request is for one offer, and each load for one.
            counts = customers.setdefault(answer["account"], {"answered": 0, "open": 0})
            if answer.get("status") != 200:
                counts["open"] += 1
                continue
            counts["answered"] += 1
            offer = answer["offers"][0]
            counts["offer"] = offer["offerId"]
            if "nonce" not in offer and offer["reason"] != "signature_limit":
                return [f"a signature was refused: {offer['reason']}"]
            if offer.get("nonce") in missing:
                gone[answer["account"]] = gone.get(answer["account"], 0) + 1
        recorded = {}
        for record in exported:
            recorded[record["customerDigest"]] = recorded.get(record["customerDigest"], 0) + 1
        faults, exact, at_limit = [], 0, 0
        for account, counts in customers.items():
            if "offer" not in counts:
                continue
            limit = LIMITS[counts["offer"]]
            most = counts["answered"] + counts["open"]
            least = counts["answered"]
            if limit is not None:
                most, least = min(most, limit), min(least, limit)
                at_limit += counts["answered"] > limit
            exact += most == least
            found = recorded.get(digest(digest_key, account).hex(), 0)
            if not least - gone.get(account, 0) <= found <= most:
                faults.append(f"{account} has {found} signatures of {counts['offer']} on record, not {least} to {most}")
        if not exact or not at_limit:
            faults.append("no customer reached a limit")
        return faults[:3]


def digest(key, account):
    """A customer as limits and the ledger know it."""
    message = b"offer-signer ledger digest 1\n"
    for text in ("account", BUNDLE_ID, account):
        message += len(text).to_bytes(4, "big") + text.encode()
    return hmac.digest(key, message, "sha256")[:16]


def lock_row(key, account):
    """The row of ledger_locks that a customer's signatures are counted under."""
    return int.from_bytes(hashlib.sha256(digest(key, account)).digest()[:8], "big") % 65536
