#!/usr/bin/env python3
"""Shows how the service scales: with processors, requests, the catalog and what it holds. `make bench-scale`.

  scale.py --executable PATH [--seconds S] [--rounds N] [--requests N] [--customers LIST] [--held N] [--only-held]
           [--tried N] [--only-tried]

- CPU time of a signature on one processor and on all of them, in turns, by signed transactions of each number of
  customers in the list: where it is the same, throughput grows with the processors. The generator shares them, so that
  throughput itself would tell of the generator.
- Memory after a tenth of a million requests (--requests), each by signed transactions of a customer who has not asked
  before, and after all of them.
- From the start to the line that says that requests are accepted, and CPU time of a signature, with a hundred apps and ten thousand offers
  beside the example, in turns.
- The same with so many subscriptions held (--held) and on an empty ledger, in turns, with the p99, the memory after the
  start and the most so far, and the first look at /metrics. What the service has learnt is multiplied in its SQLite file
  by plain SQL: subscriptions and accounts of their own. By --only-held this is measured alone.
- What another catalog would decide (`catalog try`) of so many customers (--tried), whom the load generator made as the
  stand-in App Store does: time and memory, beside what `check` takes. One rule is another in that catalog. Of a sample of
  2,000 the counts are compared with those of single questions to two services, one with each catalog. By --only-tried
  this is measured alone.

Prints a Markdown table.
"""

import argparse
import http.client
import json
import os
import re
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time

from measuring import Failed, customers, heading, machine, number, table, who
from service import TOKEN, Installation, Service, signer

APPS, PRODUCTS, OFFERS = 100, 10, 10
# The rule that is another in the catalog that is tried.
RULE, OTHER_RULE = "audience: [lapsed]", "audience: [billingRetry]"
SAMPLE = 2000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executable", default=".build/release/offer-signer")
    parser.add_argument("--config", default="keys.example", help="the directory of the configuration")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--held", type=int, default=1_000_000)
    parser.add_argument("--only-held", action="store_true", help="measure with subscriptions held alone")
    parser.add_argument("--tried", type=int, default=1_000_000)
    parser.add_argument("--only-tried", action="store_true", help="measure another catalog alone")
    parser.add_argument("--customers", type=customers, default=customers("new,100"), help="such as new,200000,100")
    return parser.parse_args()


def enlarge(installation):
    """Replaces the example's catalog by one of a hundred apps with a hundred offers each."""
    home = installation.home
    catalog, clients = ["apps:"], ["clients:", "  - name: reader-backend"]
    token = re.search(r"tokenSHA256: \S+", (home / "clients.yaml").read_text(encoding="utf-8")).group(0)
    clients.append(f"    {token}")
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
        (home / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


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


def show_held(options, installation, workspace, signed):
    """Start, memory, CPU time and p99 with many subscriptions held, and on an empty ledger, in turns."""
    heading(f"{options.held:,} subscriptions held")
    names = [f"{options.held:,} subscriptions", "an empty ledger"]
    ledgers = {name: os.path.join(workspace, f"held{index}.sqlite") for index, name in enumerate(names)}
    for ledger in ledgers.values():
        with Service(installation, f"sqlite:{ledger}") as service:
            service.load(1, *signed, "new")
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
            with Service(installation, f"sqlite:{ledger}") as service:
                row = [service.seconds_to_ready * 1000, service.megabytes()]
                for value in options.customers:
                    result = service.load(options.seconds, *signed, value)
                    row += [result["cpu"], result["p99"]]
                results[name].append([*row, result["megabytes"], service.ask("/metrics") * 1000])
            print(f"   {name}: " + ", ".join(number(value) for value in results[name][-1]), flush=True)
    medians = {name: [statistics.median(values) for values in zip(*rounds)] for name, rounds in results.items()}
    return table(columns, [[name, *(number(value) for value in values)] for name, values in medians.items()])


def measured(command):
    """The output of a command, its seconds, and its most megabytes."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output, subprocess.Popen(command, stdout=output) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise Failed(f"{command[1:3]} ended with {process.returncode}")
        output.seek(0)
        return output.read().decode(), time.monotonic() - begin, usage.ru_maxrss / 1024


def eligible(service, accounts):
    """For each account, the offers that it may have by what is held."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
    found = []
    for account in accounts:
        fields = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        connection.request("POST", "/v1/eligibility", json.dumps(account), fields)
        answer = json.loads(connection.getresponse().read())
        found.append({(one["productId"], one["offerId"]) for one in answer["decisions"] if one["verdict"] == "eligible"})
    return found


def show_tried(options, installation, workspace, signed):
    """Another catalog, for many customers; and for a sample of them by single questions, too."""
    heading(f"Another catalog for {options.tried:,} customers")
    with open(installation.home / "catalog.yaml", encoding="utf-8") as file:
        text = file.read()
    if RULE not in text:
        raise Failed(f"no offer of the example has {RULE}")
    other = str(installation.home / "catalog.other.yaml")
    with open(other, "w", encoding="utf-8") as file:
        file.write(text.replace(RULE, OTHER_RULE))

    def tried(ledger, *flags):
        command = [installation.executable, "catalog", "try", "--config", installation.config, "--ledger-url", ledger]
        output, seconds, megabytes = measured([*command, "--with", other, "--json", *flags])
        return json.loads(output), seconds, megabytes

    sample, answers = f"sqlite:{workspace}/sample.sqlite", os.path.join(workspace, "answers.jsonl")
    with Service(installation, sample) as service:
        service.load(options.seconds, *signed, str(SAMPLE), "--answers", answers)
        with open(answers, encoding="utf-8") as file:
            accounts = sorted({json.loads(line)["account"] for line in file})
        accounts = [{"appAccountToken": account} for account in accounts]
        before = eligible(service, accounts)
    environment = {"OFFER_SIGNER_CATALOG": other}
    with Service(installation, sample, environment=environment) as service:
        after = eligible(service, accounts)
    report, _, _ = tried(sample)
    if report["customers"] != len(accounts):
        raise Failed(f"{report['customers']} customers of {len(accounts)}")
    for row in report["offers"]:
        name = (row["productId"], row["offerId"])
        pairs = [(name in old, name in new) for old, new in zip(before, after)]
        counted = [sum(old for old, _ in pairs), sum(new for _, new in pairs)]
        counted += [pairs.count((False, True)), pairs.count((True, False))]
        if counted != [row["before"], row["with"], row["gained"], row["lost"]]:
            raise Failed(f"{name}: by single questions {counted}, in {row}")
    print(f"   {len(accounts):,} single questions to each catalog: the same counts", flush=True)

    ledger = f"sqlite:{workspace}/tried.sqlite"
    with Service(installation, ledger) as service:
        rate = service.load(options.seconds, *signed, "new")["requestsPerSecond"]
        service.load(options.tried / rate * 1.05, *signed, "new")
    report, seconds, megabytes = tried(ledger)
    check = [installation.executable, "check", "--config", installation.config, "--ledger-url", ledger]
    least = measured(check)[2]
    columns = ["customers", "seconds", "MB more than check", "lost", "changed meanwhile"]
    lost = max(row["lost"] for row in report["offers"])
    values = [seconds, megabytes - least]
    row = [f"{report['customers']:,}", *(number(value) for value in values), f"{lost:,}", f"{report['changedMeanwhile']:,}"]
    return table(columns, [row])


def show_scale(options, small, many, signed):
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
        for name, (installation, processors, flags) in cases.items():
            with Service(installation, processors=processors) as service:
                result = service.load(options.seconds, *flags)
                results[name].append((result["cpu"], service.seconds_to_ready * 1000, service.megabytes()))
                ready = results[name][-1][1]
                print(f"   {name}: {result['cpu']:.1f} µs a signature, ready after {ready:.0f} ms", flush=True)
    heading(f"Memory over {options.requests:,} requests")
    with Service(small) as service:
        rate = service.load(5, *signed, "new")["requestsPerSecond"]
        seconds, samples = options.requests / rate, []
        timer = threading.Timer(seconds / 10, lambda: samples.append(service.megabytes()))
        timer.start()
        seen = service.load(seconds, *signed, "new")["requestsPerSecond"] * seconds
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
    with tempfile.TemporaryDirectory(prefix="offer-signer-scale-") as workspace:
        directory = signer(options.executable, os.path.join(workspace, "app-store"))
        root = os.path.join(directory, "root.pem")
        small = Installation(options.executable, options.config, os.path.join(workspace, "small"), root)
        signed = ["--mix", "signedTransactions", "--simulator-directory", directory, "--customers"]
        results = []
        if not options.only_tried:
            results.append(show_held(options, small, workspace, signed))
        if not options.only_held:
            results.append(show_tried(options, small, workspace, signed))
        if not options.only_held and not options.only_tried:
            many = Installation(options.executable, options.config, os.path.join(workspace, "large"), root)
            enlarge(many)
            results.append(show_scale(options, small, many, signed))
    heading("Result")
    print(f"{machine()}; medians of {options.rounds} rounds, signed transactions, 64 connections")
    for result in results:
        print(f"\n{result}")


if __name__ == "__main__":
    main()
