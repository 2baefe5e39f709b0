#!/usr/bin/env python3
"""Shows how the service scales: with processors, with requests, and with the catalog. `make bench-scale`.

  scale.py --executable PATH [--seconds S] [--rounds N] [--requests N]

- CPU time of a signature on one processor and on all of them, in turns: where it is the same, throughput grows with the
  processors. The generator shares them, so that throughput itself would tell of the generator.
- Memory after a tenth of a million requests and after all of them (--requests).
- From the start to the first answer to /readyz, and CPU time of a signature, with a hundred apps and ten thousand offers
  beside the example, in turns.

Prints a Markdown table.
"""

import argparse
import http.client
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time

from measuring import Failed, heading, load, machine, number, table, wait_until

TOKEN = "demo-token-for-loopback-only"
APPS, PRODUCTS, OFFERS = 100, 10, 10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executable", default=".build/release/offer-signer")
    parser.add_argument("--config", default="keys.example", help="the directory of the configuration")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=1_000_000)
    return parser.parse_args()


def example(source, home):
    """A copy of the example, whose key nobody else can read."""
    shutil.copytree(source, home)
    for file in os.listdir(home):
        if file.endswith(".p8"):
            os.chmod(os.path.join(home, file), 0o600)
    return os.path.join(home, "offer-signer.yaml")


def large(source, home):
    """The example with a catalog of a hundred apps with a hundred offers each."""
    config = example(source, home)
    catalog, clients = ["apps:"], ["clients:", "  - name: reader-backend"]
    with open(os.path.join(home, "clients.yaml"), encoding="utf-8") as file:
        clients.append("    tokenSHA256: " + re.search(r"tokenSHA256: (\S+)", file.read()).group(1))
    bundles = [f"com.example.app{number_:03}" for number_ in range(APPS)]
    clients.append(f"    apps: [{', '.join(bundles)}]")
    clients.append("    evidence: [receiptResponse]")
    for bundle in bundles:
        catalog += [
            f"  - bundleId: {bundle}",
            "    environments: [Production, Sandbox]",
            "    keys: [{ id: EXAMPLE123, file: SubscriptionKey_EXAMPLE123.p8 }]",
            "    subscriptionGroups:",
            f"      - id: \"{bundle}\"",
            "        products:",
        ]
        for product in range(PRODUCTS):
            catalog += [f"          - id: {bundle}.product{product}", "            offers:"]
            catalog += [
                f"              - {{ id: offer{product}x{offer}, audience: [lapsed], maxRedemptions: 1 }}"
                for offer in range(OFFERS)
            ]
    for name, lines in (("catalog.yaml", catalog), ("clients.yaml", clients)):
        with open(os.path.join(home, name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return config


class Service:
    """A service on free ports, on some of the processors."""

    def __init__(self, executable, config, workspace, processors=None):
        name = os.path.join(workspace, f"{time.monotonic_ns()}")
        pin = ["taskset", "--cpu-list", processors] if processors else []
        ports = ["--server-port", "0", "--admin-port", "0", "--ledger-url", f"sqlite:{name}.sqlite"]
        started = time.monotonic()
        with open(name, "wb") as output, open(name + ".err", "wb") as errors:
            self.process = subprocess.Popen(
                [*pin, executable, "serve", "--config", config, *ports], stdout=output, stderr=errors
            )
        wait_until(lambda: os.path.getsize(name) or self.process.poll() is not None, 30, "the service was not ready")
        if self.process.poll() is not None:
            with open(name + ".err", encoding="utf-8") as errors:
                raise Failed(f"the service did not start: {errors.read()}")
        with open(name, encoding="utf-8") as output:
            self.port, admin = (int(found) for found in re.findall(r"127\.0\.0\.1:(\d+)", output.read())[:2])
        connection = http.client.HTTPConnection("127.0.0.1", admin, timeout=20)
        connection.request("GET", "/readyz")
        if connection.getresponse().status != 200:
            raise Failed("the service is not ready")
        self.seconds_to_ready = time.monotonic() - started

    def load(self, options, seconds, key, *flags):
        flags = ["--url", f"http://127.0.0.1:{self.port}", "--token", TOKEN, "--pid", str(self.process.pid), *flags]
        return load(options.executable, [*flags, "--verify-key", key, "--connections", "64"], seconds)

    def megabytes(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) / 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def main():
    options = arguments()
    options.executable = os.path.abspath(options.executable)
    with tempfile.TemporaryDirectory(prefix="offer-signer-scale-") as workspace:
        small = example(options.config, os.path.join(workspace, "small"))
        many = large(options.config, os.path.join(workspace, "large"))
        key = os.path.join(workspace, "public.pem")
        private = os.path.join(workspace, "small", "SubscriptionKey_EXAMPLE123.p8")
        subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", key], check=True)
        cases = {
            "one processor": (small, "0", ["--mix", "held"]),
            "all processors": (small, None, ["--mix", "held"]),
            f"{APPS} apps, {APPS * PRODUCTS * OFFERS:,} offers": (
                many, None, ["--mix", "held", "--bundle-id", f"com.example.app{APPS // 2:03}"],
            ),
        }
        results = {name: [] for name in cases}
        for round_ in range(options.rounds):
            heading(f"Round {round_ + 1} of {options.rounds}")
            for name, (config, processors, flags) in cases.items():
                with Service(options.executable, config, workspace, processors) as service:
                    result = service.load(options, options.seconds, key, *flags)
                    results[name].append((result["cpu"], service.seconds_to_ready * 1000, service.megabytes()))
                    ready = results[name][-1][1]
                    print(f"   {name}: {result['cpu']:.1f} µs a signature, ready after {ready:.0f} ms", flush=True)
        heading(f"Memory over {options.requests:,} requests")
        with Service(options.executable, small, workspace) as service:
            # The same customers all the time, after a run that made them known.
            rate = service.load(options, 5, key, "--mix", "held")["requestsPerSecond"]
            seconds, samples = options.requests / rate, []
            timer = threading.Timer(seconds / 10, lambda: samples.append(service.megabytes()))
            timer.start()
            seen = service.load(options, seconds, key, "--mix", "held")["requestsPerSecond"] * seconds
            samples.append(service.megabytes())
        medians = {name: [statistics.median(values) for values in zip(*rounds)] for name, rounds in results.items()}
    heading("Result")
    print(f"{machine()}; medians of {options.rounds} rounds, state held, 64 connections\n")
    base = medians["all processors"][0]
    columns = ["", "CPU of a signature ÷ example on all processors", "start to ready, ms", "MB"]
    rows = [
        [name, number(cpu / base, 2), number(ready, 0), number(megabytes, 0)]
        for name, (cpu, ready, megabytes) in medians.items()
    ]
    print(table(columns, rows))
    print(f"\nMemory: {samples[0]:.1f} MB after a tenth of {seen:,.0f} requests, {samples[-1]:.1f} MB after all of them.")


if __name__ == "__main__":
    main()
