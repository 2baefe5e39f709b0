#!/usr/bin/env python3
"""Shows what the service does with a burst, and at ten times the load that it can take.

    deploy/loadtest/overload.py [PATH OF THE EXECUTABLE]      default: .build/release/offer-signer

It serves keys.example on free ports, finds out how many requests a second the service can take, and then sends ten
times as many with `offer-lab load`. It fails (exit 1) unless

- a burst of 64 connections with twenty offers each is served whole,
- at ten times the load, accepted requests are answered within half a second (p99),
- meanwhile Apple's calls for retention messages are answered within 300 ms (p99), each of them and each notification,
  and so are /livez and /readyz,
- the most memory that it ever had is bounded, and descriptors are given back,
- within a second afterwards it is ready, as fast as before, and refuses nothing.

It also says whether the aims are met: 250 ms, four fifths of the capacity answered, a refusal within 5 ms (median).

Each request asks for twenty offers. That is much work for the service and little for the generator, which shares the
processors of this machine with it and could not send ten times as much otherwise. A client that waits sends nothing. So
there are twice as many connections as requests get through in a tenth of a second: with fewer, a fast machine would not
be overloaded. The result also says how much was sent, as a multiple of the capacity, and how much of the processors the
host of a virtual machine gave to others meanwhile, which makes all waits longer.

LOAD_SECONDS sets the length of each step (10).
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from measuring import Failed, Host
from service import TOKEN, Installation, Service, lab, megabytes, signer

PROMISED_MILLISECONDS = 500
AIMED_MILLISECONDS = 250
BESIDE_MILLISECONDS = 300
APP_APPLE_ID = "1234567890"
ROOT = Path(__file__).resolve().parents[2]
SECONDS = os.environ.get("LOAD_SECONDS", "10")
CONNECTIONS = 256
BURST_SECONDS = 0.1
OFFERS = "20"


def load(service, *options):
    """Runs the load generator as a backend; its report."""
    return report(service, "--url", service.url, "--token", TOKEN, "--offers", OFFERS, *options)


def report(service, *options):
    command = [lab(service.installation.executable), "load", "--json", "--duration", SECONDS, *options]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if not run.stdout:
        sys.exit(f"the load generator failed: {run.stderr}")
    found = json.loads(run.stdout)
    if "measured" not in found:
        sys.exit(f"nothing was signed: {found['errors']}")
    return found


def open_files(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


class Probe(threading.Thread):
    """Asks now and then while others ask all the time, and notes how long a refusal takes."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.milliseconds, self.without_retry, self.is_over = port, [], 0, False

    def run(self):
        body = json.dumps({"applicationUsername": "a", "offers": [{"productId": "p", "offerId": "o"}]})
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        while not self.is_over:
            start = time.monotonic()
            try:
                connection.request("POST", "/v1/signatures", body, headers)
                response = connection.getresponse()
                response.read()
            except (OSError, http.client.HTTPException):
                connection.close()
                continue
            if response.status == 503:
                self.milliseconds.append((time.monotonic() - start) * 1000)
                self.without_retry += response.getheader("Retry-After") is None
            time.sleep(0.005)


class Beside(threading.Thread):
    """Asks the other listeners meanwhile: Apple's, which gets notifications and then calls, and the operators'."""

    def __init__(self, service, directory):
        super().__init__(daemon=True)
        self.service, self.directory, self.calls, self.health = service, directory, {}, []

    def run(self):
        health = threading.Thread(target=self.ask, daemon=True)
        health.start()
        # A notification that is refused ends it.
        self.calls = report(
            self.service, "--retention", "--url", f"http://127.0.0.1:{self.service.apple}", "--simulator-directory",
            self.directory, "--bundle-id", "com.example.reader", "--app-apple-id", APP_APPLE_ID, "--product-id",
            "com.example.reader.pro.monthly", "--customers", "100", "--rate", "50", "--connections", "8", "--warm-up", "0",
        )
        health.join()

    def ask(self):
        end = time.monotonic() + float(SECONDS)
        while time.monotonic() < end:
            for path in ("/livez", "/readyz"):
                try:
                    self.health.append(self.service.ask(path) * 1000)
                except (Failed, OSError, http.client.HTTPException):
                    self.health.append(float("inf"))
            time.sleep(0.02)


def ninety_ninth(milliseconds):
    return sorted(milliseconds)[int(len(milliseconds) * 0.99)] if milliseconds else 0.0


def main():
    executable = str(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/release/offer-signer").resolve())
    with tempfile.TemporaryDirectory() as directory:
        apple = signer(executable, f"{directory}/app-store")
        installation = Installation(executable, ROOT / "keys.example", f"{directory}/example", f"{apple}/root.pem")
        installation.propose("stay30", APP_APPLE_ID)
        with Service(installation) as service:
            sys.exit(measure(service, apple))


def is_ready(service):
    try:
        return service.ask("/readyz") is not None
    except Failed:
        return False


def measure(service, apple):
    capacity = load(service, "--connections", "16")["requestsPerSecond"]
    burst = load(service, "--connections", "64")["errors"]
    gentle = ["--rate", f"{capacity / 10:.1f}", "--connections", "16"]
    host = Host()
    before = load(service, *gentle)
    taken_before = host.taken_away()
    memory_before, files_before = megabytes(service.process.pid, "VmHWM"), open_files(service.process)
    probe = Probe(service.port)
    beside = Beside(service, apple)
    probe.start()
    connections = max(CONNECTIONS, round(2 * BURST_SECONDS * capacity))
    flood = ["--rate", f"{capacity * 10:.1f}", "--connections", f"{connections}", "--event-loops", "1", "--warm-up", "2"]
    host = Host()
    threading.Timer(1, beside.start).start()
    during = load(service, *flood)
    taken_during = host.taken_away()
    probe.is_over = True
    probe.join()
    beside.join()
    memory_during = megabytes(service.process.pid, "VmHWM")
    after = load(service, *gentle)
    files_after = open_files(service.process)

    unloaded, loaded, later = (report["measured"]["p99"] for report in (before, during, after))
    refused = sum(count for kind, count in during["errors"].items() if kind.startswith("503"))
    other = {kind: count for kind, count in during["errors"].items() if not kind.startswith(("503", "not sent"))}
    unsent = sum(count for kind, count in during["errors"].items() if kind.startswith("not sent"))
    refusal = statistics.median(probe.milliseconds) if probe.milliseconds else 0.0
    answered = during["requests"] + refused + sum(other.values())
    sent = answered / during["seconds"] / capacity
    slow, health = ninety_ninth(probe.milliseconds), ninety_ninth(beside.health)
    calls = beside.calls["measured"]["p99"]
    print(f"capacity           {capacity:10.0f} requests/s; ten times are sent over {connections} connections")
    print(f"p99 unloaded       {unloaded:10.2f} ms")
    print(f"p99 at ten times   {loaded:10.2f} ms, {loaded / unloaded:.1f} times")
    print(f"accepted           {during['requestsPerSecond']:10.0f} requests/s, {during['requestsPerSecond'] / capacity:.2f} of capacity")
    print(f"refused            {refused:10d} requests; a refusal takes {refusal:.2f} ms (median), {slow:.2f} ms (p99)")
    print(f"retention calls    {calls:10.2f} ms (p99 of {beside.calls['requests']}); /livez and /readyz {health:.2f} ms")
    print(f"sent               {sent:10.1f} times the capacity; {unsent} more were due, and no connection was free")
    print(f"memory             {memory_before:10.0f} MB at the most before, {memory_during:.0f} MB under load")
    print(f"p99 afterwards     {later:10.2f} ms, {later / unloaded:.1f} times")
    print(f"taken away         {taken_before:10.0f} % of the processors by others on this host, {taken_during:.0f} % under load")
    promises = {
        "a burst of 64 connections with twenty offers each is served whole": not burst,
        f"accepted requests are answered within {PROMISED_MILLISECONDS} ms (p99)": 0 < loaded <= PROMISED_MILLISECONDS,
        f"each retention call is answered, within {BESIDE_MILLISECONDS} ms (p99)":
            not beside.calls["errors"] and calls <= BESIDE_MILLISECONDS,
        f"/livez and /readyz are answered within {BESIDE_MILLISECONDS} ms (p99)": 0 < health <= BESIDE_MILLISECONDS,
        "afterwards it is as fast as before": later <= max(2 * unloaded, 20),
        "some requests are accepted": during["requests"] > 0,
        "most of what is too much is refused": refused > 0,
        "refusals say when to come again": probe.without_retry == 0,
        "nothing fails in another way": not other,
        "memory is bounded": memory_during < memory_before + 256,
        "descriptors are given back": files_after < files_before + 64,
        "afterwards it is ready, and nothing is refused": not after["errors"] and is_ready(service),
    }
    aims = {
        f"accepted requests are answered within {AIMED_MILLISECONDS} ms (p99)": loaded <= AIMED_MILLISECONDS,
        "four fifths of the capacity are answered": during["requestsPerSecond"] >= 0.8 * capacity,
        "a refusal takes 5 ms at most (median)": refusal <= 5,
    }
    for name, holds in promises.items():
        print(f"{'ok     ' if holds else 'FAILED '} {name}" + (f": {other}" if "another" in name and other else ""))
    for name, holds in aims.items():
        print(f"{'met    ' if holds else 'not met'} {name}")
    return 0 if all(promises.values()) else 1


if __name__ == "__main__":
    main()
