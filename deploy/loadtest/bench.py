#!/usr/bin/env python3
"""Measures Offer Signer against raw libcrypto, side by side and in turns: `make bench`.

  bench.py --executable PATH --benchmark PATH [--config FILE] [--seconds S] [--rounds N] [--customers LIST]
           [--output DIRECTORY] [--against EXECUTABLE]

With --against, the service's measurements alone are taken, in pairs with another executable of the service, such as an
earlier version's: see against.py.

An app's customers ask once, or a few times: signed transactions and verifyReceipt answers are measured for each number of
customers in the list, and for ever new ones. Beside them stand one customer's evidence for ever more accounts, which is
refused, and PostgreSQL in the place of a file. Every measurement is taken between two of raw libcrypto (raw.c), and counts as a ratio to them: on a machine with other
load, and on one that drifts, the ratios are what can be relied on. CPU time comes from /proc/PID/stat. A sample of all
signatures is verified. Writes bench.md, bench.json and bench.png into the output directory.
"""

import argparse
import datetime
import os
import statistics
import struct
import subprocess
import sys
import tempfile

from against import compare
from measuring import (
    Failed, Host, Measurement, Raw, customers, draw, heading, load_average, machine, number, read_from_disk,
    run_json, table, who, write_results,
)
from postgresql import PostgreSQL
from service import Installation, Service, load
from tokens import over_token

CONNECTIONS = [1, 2, 4, 8, 16, 32, 64, 128, 256]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executable", default=".build/release/offer-signer")
    parser.add_argument("--benchmark", default=".build/release/SigningBenchmark")
    parser.add_argument("--config", default="keys.example/offer-signer.yaml")
    parser.add_argument("--seconds", type=float, default=5, help="how long each measurement takes")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is taken; medians count")
    parser.add_argument("--customers", type=customers, default=customers("new,200000,100"), help="such as new,200000,100")
    parser.add_argument("--output", default=".build/loadtest")
    parser.add_argument("--against", type=os.path.abspath, help="another executable of the service, to compare with")
    parser.add_argument("--no-curve", action="store_true", help="leave the picture out")
    return parser.parse_args()


def program(options, key, room, offers):
    """A measurement of the program without HTTP."""

    def measure():
        command = [options.benchmark, key, room, str(options.seconds), str(offers)]
        result = run_json(command, options.seconds + 30)
        return {
            "cpu": result["processorSeconds"] * 1e6 / result["signatures"],
            "signaturesPerSecond": result["signatures"] / result["seconds"],
        }

    return measure


def over_http(options, config, connections, *flags, database=None, service=None):
    """A measurement of a service that the load generator starts: the one beside it, or another executable.

    On more connections than a pool has, who would wait for long is refused.
    """

    def measure():
        command = ["--self", "--config", config, "--connections", str(connections), *flags]
        if database:
            command += ["--ledger", database()]
        if service:
            command += ["--service", service]
        return load(options.executable, command, options.seconds, may_refuse=connections > 64)

    return measure


KINDS = [("signedTransactions", "signed transactions"), ("receiptResponse", "verifyReceipt answer")]


def measurements(options, installation, server, workspace):
    """The rows: what an app's customers are comes first.

    Where there is no PostgreSQL server, its rows are left out with the reason.
    """
    key, config, rows = installation.key, installation.config, []

    def database():
        if isinstance(server, Failed):
            raise server
        return server.database()

    def add(name, kind, customers_, offers=1, connections=64, **more):
        flags = ["--mix", kind, "--customers", customers_, "--offers", str(offers)]
        row = Measurement(name, over_http(options, config, connections, *flags, **more))
        row.other = over_http(options, config, connections, *flags, **more, service=options.against)
        rows.append(row)

    for kind, name in KINDS:
        for value in options.customers:
            add(f"one offer, {name}, {who(value)}", kind, value)
    for kind, name in KINDS:
        add(f"one offer, {name}, one customer's for ever more accounts: refused", kind, "shared")
    for kind, name in KINDS:
        for value in options.customers:
            add(f"PostgreSQL, one offer, {name}, {who(value)}", kind, value, database=database)
    add("PostgreSQL, one offer, signed transactions, one customer's for ever more accounts: refused",
        "signedTransactions", "shared", database=database)
    add("one offer, state held, 100 customers", "held", "100")
    add("PostgreSQL, one offer, state held, 100 customers", "held", "100", database=database)
    add("one offer, receipt (Apple's answer kept), 100 customers", "receipt", "100")
    add("one offer, transactionId (Apple's answer kept), 100 customers", "transactionId", "100")
    add("twenty offers, signed transactions, ever new customers", "signedTransactions", "new", offers=20)
    add("twenty offers, verifyReceipt answer, 100 customers", "receiptResponse", "100", offers=20)
    add("one offer, one connection, verifyReceipt answer, 100 customers", "receiptResponse", "100", connections=1)
    add("one offer, 256 connections, verifyReceipt answer, 100 customers", "receiptResponse", "100", connections=256)
    for is_elsewhere, name in [(False, "SoftHSM"), (True, "p11-kit server, whose CPU time is not counted")]:
        flags = ["--mix", "receiptResponse", "--customers", "100"]
        measure = over_token(options, workspace, is_elsewhere, *flags)
        rows.append(Measurement(f"key in a token ({name}), verifyReceipt answer, 100 customers", measure))
    if os.path.exists(options.benchmark):
        for name, room, offers in [
            ("key room alone", "key-room", 1),
            ("pipeline without HTTP, one offer", "pipeline", 1),
            ("pipeline without HTTP, twenty offers", "pipeline", 20),
        ]:
            rows.append(Measurement(name, program(options, key, room, offers)))
    return rows


def allocations(installation, workspace):
    """Allocations of a request, by a library under the service that counts them."""
    here = os.path.dirname(os.path.abspath(__file__))
    library = os.path.join(workspace, "count_allocations.so")
    source = os.path.join(here, "count_allocations.c")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    counts = {}
    with Service(installation, environment={"LD_PRELOAD": library, "COUNT_ALLOCATIONS": workspace}) as service:
        file = os.path.join(workspace, str(service.process.pid))

        def count():
            with open(file, "rb") as bytes_:
                return struct.unpack("Q", bytes_.read(8))[0]

        for offers in ("1", "20"):
            # The first run fills caches and opens what is opened once.
            service.load(1, "--offers", offers, connections=16, warm_up=0)
            before = count()
            result = service.load(3, "--offers", offers, connections=16, warm_up=0)
            counts[int(offers)] = (count() - before) / (result["requestsPerSecond"] * 3)
    return counts


def start_times(installation):
    """Seconds from the start to the line that says that requests are accepted."""
    times = []
    for _ in range(5):
        with Service(installation) as service:
            times.append(service.seconds_to_ready)
    return times


def curve(options, config, kind, customers_):
    points = []
    for connections in CONNECTIONS:
        flags = ["--self", "--config", config, "--mix", kind, "--customers", customers_, "--connections", str(connections)]
        result = load(options.executable, flags, min(options.seconds, 3), may_refuse=connections > 64)
        points.append((result["signaturesPerSecond"], result["p50"], result["p99"]))
        print(f"   {kind}, {connections} connections: {number(points[-1][0], 0)} signatures a second", flush=True)
    return points


def by_who_asks(rows):
    """The bars of the picture: each kind of evidence by who asks, in a file and in PostgreSQL."""
    asked = [row for row in rows if not row.fault and "one offer, " in row.name and "connection" not in row.name]
    kinds = [name for _, name in KINDS]
    return [
        (row.name.replace("one offer, ", ""), row.cpu_ratio) for row in asked if any(kind in row.name for kind in kinds)
    ]


def divided(rows, one, other, name):
    """The line of the CPU time of one row ÷ that of another, where both are there."""
    found = {row.name: row for row in rows if not row.fault}
    if one not in found or other not in found:
        return []
    return [f"- CPU time, {name}: {found[one].cpu_ratio / found[other].cpu_ratio:.2f}."]


def report(options, raw, rows, extras, version):
    lines = [
        "# Offer Signer against raw libcrypto",
        "",
        f"{version} · {datetime.date.today()} · {machine()} · {raw.library}",
        "",
        (f"Medians of {options.rounds} rounds" if options.rounds > 1 else "One round")
        + f" of {options.seconds:g} s, each between two measurements of raw libcrypto "
        f"(one `EVP_PKEY_CTX` kept, `EVP_PKEY_sign`): {number(extras['rawMicroseconds'])} µs of CPU a signature, "
        f"{number(extras['rawSignaturesPerSecond'], 0)} signatures a second on {os.cpu_count()} cores. "
        f"Load average before the run: {extras['loadAverage']:.1f}; the host gave {extras['takenAway']:.0f} % of the "
        "processors to others meanwhile; the ratios are what counts. The generator runs on the same cores as the service.",
        "",
    ]
    cells = [[row.name, *row.cells()] for row in rows if not row.fault]
    lines.append(table(["", *Measurement.COLUMNS], cells))
    lines.append("")
    for row in rows:
        if row.fault:
            lines.append(f"- {row.name}: left out: {row.fault}")
    if extras["allocations"]:
        counts = extras["allocations"]
        lines.append(f"- Allocations a request: {counts[1]:,.0f} with one offer, {counts[20]:,.0f} with twenty.")
    if extras["startSeconds"]:
        lines.append(f"- Start to ready: {statistics.median(extras['startSeconds']) * 1000:.0f} ms.")
    for one, other, name in [
        ("signed transactions, ever new customers", "signed transactions, 100 customers", "ever new customers ÷ 100"),
        ("verifyReceipt answer, ever new customers", "verifyReceipt answer, 100 customers", "ever new customers ÷ 100"),
        ("verifyReceipt answer, one customer's for ever more accounts: refused", "verifyReceipt answer, ever new customers",
         "a refusal ÷ a signature"),
        ("signed transactions, one customer's for ever more accounts: refused", "signed transactions, ever new customers",
         "a refusal ÷ a signature"),
    ]:
        lines += divided(rows, f"one offer, {one}", f"one offer, {other}", f"{name}, {one.split(',')[0]}")
    for kind in ("signed transactions", "verifyReceipt answer"):
        for customers_ in ("ever new customers", "100 customers"):
            name = f"one offer, {kind}, {customers_}"
            lines += divided(rows, f"PostgreSQL, {name}", name, f"PostgreSQL ÷ a file, {kind}, {customers_}")
    one = next((row for row in rows if "one connection" in row.name and not row.fault), None)
    if one:
        ratio = one.median(lambda round: round.result["p50"] * 1000 / round.raw_cpu)
        lines.append(f"- p50 at one connection ÷ CPU time of one raw signature: {ratio:.1f}.")
    checked = sum(round.result.get("checked", 0) for row in rows for round in row.rounds)
    lines.append(f"- Signatures verified: {checked:,}, all right.")
    if extras["picture"]:
        lines += ["", "![CPU time by who asks, and latency over throughput](bench.png)"]
    return "\n".join(lines) + "\n"


def main():
    options = arguments()
    options.executable = os.path.abspath(options.executable)
    options.benchmark = os.path.abspath(options.benchmark)
    if not os.path.exists(options.executable):
        raise SystemExit(f"There is no executable at {options.executable}; make bench builds it.")
    read_from_disk(options.executable)
    version = subprocess.run([options.executable, "--version"], capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="offer-signer-bench-") as workspace:
        installation = Installation(options.executable, options.config, os.path.join(workspace, "configuration"))
        check = subprocess.run([options.executable, "check", "--config", installation.config], capture_output=True, text=True)
        if check.returncode != 0:
            raise SystemExit(f"{options.executable} does not like {options.config}:\n{check.stderr}")
        raw = None if options.against else Raw(workspace, installation.key)
        try:
            server = PostgreSQL()
        except Failed as error:
            server = error
        before, host = load_average(), Host()
        rows = measurements(options, installation, server, workspace)
        if options.against:
            try:
                raise SystemExit(compare(options, rows, version, not isinstance(server, Failed)))
            finally:
                if isinstance(server, PostgreSQL):
                    server.stop()
        try:
            for number_ in range(options.rounds):
                heading(f"Round {number_ + 1} of {options.rounds}")
                for row in rows:
                    row.add_round(raw)
        finally:
            if isinstance(server, PostgreSQL):
                server.stop()
        extras = {
            "loadAverage": before,
            "takenAway": host.taken_away(),
            "rawMicroseconds": statistics.median(r.raw_cpu for row in rows for r in row.rounds),
            "rawSignaturesPerSecond": statistics.median(r.raw_throughput for row in rows for r in row.rounds),
            "allocations": None,
            "startSeconds": None,
            "picture": False,
        }
        heading("Allocations, start")
        try:
            extras["allocations"] = allocations(installation, workspace)
            extras["startSeconds"] = start_times(installation)
        except (Failed, OSError, subprocess.SubprocessError) as error:
            print(f"   left out: {error}")
        curves = []
        if not options.no_curve:
            heading("Throughput against latency")
            os.makedirs(options.output, exist_ok=True)
            try:
                for kind, name in KINDS:
                    points = curve(options, installation.config, kind, options.customers[0])
                    curves.append((f"{name}, {who(options.customers[0])}", points))
                picture = os.path.join(options.output, "bench.png")
                title = "Offer Signer, one offer a request, 1 to 256 connections"
                extras["picture"] = draw(picture, curves, title, by_who_asks(rows))
            except Failed as error:
                print(f"   left out: {error}")
    markdown = report(options, raw, rows, extras, version)
    record = {"version": version, "machine": machine(), "curves": curves, **extras}
    record["measurements"] = [row.record() for row in rows]
    write_results(options.output, "bench", markdown, record)
    heading("Result")
    print(markdown)
    print(f"In {options.output}: bench.md, bench.json" + (", bench.png" if extras["picture"] else ""))
    if any(row.fault for row in rows if isinstance(server, PostgreSQL) or "PostgreSQL" not in row.name):
        sys.exit(1)


if __name__ == "__main__":
    main()
