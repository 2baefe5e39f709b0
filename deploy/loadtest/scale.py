#!/usr/bin/env python3
"""Shows how the service scales: with processors, requests, the catalog and what it holds. `make bench-scale`.

  scale.py --executable PATH [--seconds S] [--rounds N] [--requests N] [--customers LIST] [--held N] [--only-held]

- CPU time of a signature on one processor and on all of them, in turns, by signed transactions of each number of
  customers in the list: where it is the same, throughput grows with the processors. The generator shares them, so that
  throughput itself would tell of the generator.
- Memory after a tenth of a million requests (--requests), each by signed transactions of a customer who has not asked
  before, and after all of them.
- From the start to the first answer to /readyz, and CPU time of a signature, with a hundred apps and ten thousand offers
  beside the example, in turns.
- The same with so many subscriptions held (--held) and on an empty ledger, in turns, with the p99, the memory after the
  start and the most so far, and the first look at /metrics. What the service has learnt is multiplied in its SQLite file
  by plain SQL: subscriptions and accounts of their own. By --only-held this is measured alone.

Prints a Markdown table.
"""

import argparse
import http.client
import os
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time

from measuring import Failed, customers, heading, load, machine, number, signer, table, wait_until, who

TOKEN = "demo-token-for-loopback-only"
APPS, PRODUCTS, OFFERS = 100, 10, 10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executable", default=".build/release/offer-signer")
    parser.add_argument("--config", default="keys.example", help="the directory of the configuration")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--held", type=int, default=1_000_000)
    parser.add_argument("--only-held", action="store_true", help="measure with subscriptions held alone")
    parser.add_argument("--customers", type=customers, default=customers("new,100"), help="such as new,200000,100")
    return parser.parse_args()


def example(source, home, root):
    """A copy of the example, whose key nobody else can read, and which trusts the stand-in App Store's root."""
    shutil.copytree(source, home)
    with open(os.path.join(home, "offer-signer.yaml"), "a", encoding="utf-8") as file:
        file.write(f"\nappStore: {{ additionalRoots: [{root}] }}\n")
    for file in os.listdir(home):
        if file.endswith(".p8"):
            os.chmod(os.path.join(home, file), 0o600)
    return os.path.join(home, "offer-signer.yaml")


def large(source, home, root):
    """The example with a catalog of a hundred apps with a hundred offers each."""
    config = example(source, home, root)
    catalog, clients = ["apps:"], ["clients:", "  - name: reader-backend"]
    with open(os.path.join(home, "clients.yaml"), encoding="utf-8") as file:
        clients.append("    tokenSHA256: " + re.search(r"tokenSHA256: (\S+)", file.read()).group(1))
    bundles = [f"com.example.app{number_:03}" for number_ in range(APPS)]
    clients.append(f"    apps: [{', '.join(bundles)}]")
    clients.append("    evidence: [signedTransactions]")
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

    def __init__(self, executable, config, workspace, processors=None, ledger=None):
        name = os.path.join(workspace, f"{time.monotonic_ns()}")
        pin = ["taskset", "--cpu-list", processors] if processors else []
        ports = ["--server-port", "0", "--admin-port", "0", "--ledger-url", f"sqlite:{ledger or name + '.sqlite'}"]
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
            self.port, self.admin = (int(found) for found in re.findall(r"127\.0\.0\.1:(\d+)", output.read())[:2])
        self.ask("/readyz")
        self.seconds_to_ready = time.monotonic() - started

    def ask(self, path):
        """Asks on the operators' listener, and says how many seconds that took."""
        started = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise Failed(f"{path} was answered {answer.status}")
        return time.monotonic() - started

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


def fill(ledger, count):
    """Multiplies a subscription that the service has learnt, and its tie to an account, each with a key of its own."""
    connection = sqlite3.connect(ledger)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -400000")
    subscription = connection.execute("SELECT bundle_id, environment, body FROM held_subscriptions").fetchone()
    (length,) = connection.execute("SELECT length(account) FROM held_accounts").fetchone()
    with connection:
        connection.execute(
            """
            WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?)
            INSERT INTO held_subscriptions (bundle_id, environment, original_transaction_id, body)
            SELECT ?, ?, CAST(3000000000000000 + number AS TEXT), ? FROM numbers
            """,
            (count, *subscription),
        )
        # Accounts are digests: the order of their rows is none of the subscriptions'.
        connection.execute(
            """
            INSERT INTO held_accounts (account, bundle_id, original_transaction_id, environment)
            SELECT randomblob(?), bundle_id, original_transaction_id, environment FROM held_subscriptions
            WHERE original_transaction_id > '3000000000000000' ORDER BY 1
            """,
            (length,),
        )
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def show_held(options, config, workspace, key, signed):
    """Start, memory, CPU time and p99 with many subscriptions held, and on an empty ledger, in turns."""
    heading(f"{options.held:,} subscriptions held")
    names = [f"{options.held:,} subscriptions", "an empty ledger"]
    ledgers = {name: os.path.join(workspace, f"held{index}.sqlite") for index, name in enumerate(names)}
    for ledger in ledgers.values():
        with Service(options.executable, config, workspace, ledger=ledger) as service:
            service.load(options, 1, key, *signed, "new")
    started = time.monotonic()
    fill(ledgers[names[0]], options.held)
    size = os.path.getsize(ledgers[names[0]]) / 1e9
    print(f"   filled in {time.monotonic() - started:.0f} s: {size:.2f} GB", flush=True)
    columns = ["", "start to ready, ms", "MB after it"]
    for value in options.customers:
        columns += [f"µs of CPU a signature, {who(value)}", "p99, ms"]
    columns += ["most MB", "first look at /metrics, ms"]
    results = {name: [] for name in names}
    for _ in range(options.rounds):
        for name, ledger in ledgers.items():
            with Service(options.executable, config, workspace, ledger=ledger) as service:
                row = [service.seconds_to_ready * 1000, service.megabytes()]
                for value in options.customers:
                    result = service.load(options, options.seconds, key, *signed, value)
                    row += [result["cpu"], result["p99"]]
                results[name].append([*row, result["megabytes"], service.ask("/metrics") * 1000])
            print(f"   {name}: " + ", ".join(number(value) for value in results[name][-1]), flush=True)
    medians = {name: [statistics.median(values) for values in zip(*rounds)] for name, rounds in results.items()}
    return table(columns, [[name, *(number(value) for value in values)] for name, values in medians.items()])


def show_scale(options, small, many, workspace, key, signed):
    """Processors, the catalog and requests."""
    cases = {}
    for value in options.customers:
        cases[f"all processors, {who(value)}"] = (small, None, [*signed, value])
        cases[f"one processor, {who(value)}"] = (small, "0", [*signed, value])
    first = next(iter(cases))
    cases[f"{APPS} apps, {APPS * PRODUCTS * OFFERS:,} offers, {who(options.customers[0])}"] = (
        many, None, [*signed, options.customers[0], "--bundle-id", f"com.example.app{APPS // 2:03}"],
    )
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
        rate = service.load(options, 5, key, *signed, "new")["requestsPerSecond"]
        seconds, samples = options.requests / rate, []
        timer = threading.Timer(seconds / 10, lambda: samples.append(service.megabytes()))
        timer.start()
        seen = service.load(options, seconds, key, *signed, "new")["requestsPerSecond"] * seconds
        samples.append(service.megabytes())
    medians = {name: [statistics.median(values) for values in zip(*rounds)] for name, rounds in results.items()}
    base = medians[first][0]
    columns = ["", f"CPU of a signature ÷ {first}", "start to ready, ms", "MB"]
    rows = [
        [name, number(cpu / base, 2), number(ready, 0), number(megabytes, 0)]
        for name, (cpu, ready, megabytes) in medians.items()
    ]
    memory = f"{samples[0]:.1f} MB after a tenth of {seen:,.0f} requests, {samples[-1]:.1f} MB after all of them."
    return f"{table(columns, rows)}\n\nMemory: {memory}"


def main():
    options = arguments()
    options.executable = os.path.abspath(options.executable)
    with tempfile.TemporaryDirectory(prefix="offer-signer-scale-") as workspace:
        directory = signer(options.executable, os.path.join(workspace, "app-store"))
        root = os.path.join(directory, "root.pem")
        small = example(options.config, os.path.join(workspace, "small"), root)
        signed = ["--mix", "signedTransactions", "--simulator-directory", directory, "--customers"]
        key = os.path.join(workspace, "public.pem")
        private = os.path.join(workspace, "small", "SubscriptionKey_EXAMPLE123.p8")
        subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", key], check=True)
        results = [show_held(options, small, workspace, key, signed)]
        if not options.only_held:
            many = large(options.config, os.path.join(workspace, "large"), root)
            results.append(show_scale(options, small, many, workspace, key, signed))
    heading("Result")
    print(f"{machine()}; medians of {options.rounds} rounds, signed transactions, 64 connections")
    for result in results:
        print(f"\n{result}")


if __name__ == "__main__":
    main()
