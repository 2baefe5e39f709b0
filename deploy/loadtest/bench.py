#!/usr/bin/env python3
"""Measures Offer Signer against raw libcrypto, side by side and in turns: `make bench`.

  bench.py --executable PATH --benchmark PATH [--config FILE] [--seconds S] [--rounds N] [--output DIRECTORY]

Every measurement is taken between two of raw libcrypto (raw.c), and counts as a ratio to them: on a machine with other
load, and on one that drifts, the ratios are what can be relied on. CPU time comes from /proc/PID/stat. A sample of all
signatures is verified. Writes bench.md, bench.json and bench.png into the output directory.
"""

import argparse
import datetime
import os
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from measuring import (
    Failed, Host, Measurement, Raw, draw, heading, load, load_average, machine, number, read_from_disk, run_json, table,
    wait_until, write_results,
)

TOKEN = "demo-token-for-loopback-only"
CONNECTIONS = [1, 2, 4, 8, 16, 32, 64, 128, 256]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executable", default=".build/release/offer-signer")
    parser.add_argument("--benchmark", default=".build/release/SigningBenchmark")
    parser.add_argument("--config", default="keys.example/offer-signer.yaml")
    parser.add_argument("--seconds", type=float, default=5, help="how long each measurement takes")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is taken; medians count")
    parser.add_argument("--output", default=".build/loadtest")
    parser.add_argument("--no-curve", action="store_true", help="leave the picture out")
    return parser.parse_args()


class Installation:
    """Copies of the configuration: one for each way to keep the ledger that this version has."""

    def __init__(self, workspace, config, executable):
        self.key = None
        self.configurations = []
        source = os.path.dirname(os.path.abspath(config))
        for name, url in (("", None), ("without ledger", "none")):
            home = os.path.join(workspace, "configuration-" + (name or "as-it-is").replace(" ", "-"))
            shutil.copytree(source, home)
            for file in os.listdir(home):
                # A key that others can read is refused, and git does not keep a file's mode.
                if file.endswith(".p8"):
                    os.chmod(os.path.join(home, file), 0o600)
                    self.key = self.key or os.path.join(home, file)
            file = os.path.join(home, os.path.basename(config))
            flags = ["--ledger-url", url] if url else []
            check = subprocess.run([executable, "check", "--config", file, *flags], capture_output=True, text=True)
            if check.returncode != 0:
                if not url:
                    raise SystemExit(f"{executable} does not like {config}:\n{check.stderr}")
                continue
            if url:
                with open(file, "a", encoding="utf-8") as text:
                    text.write(f"\nledger: {{ url: {url} }}\n")
            if not url and "ledger" in check.stderr:
                name = "without ledger: this version keeps none"
            self.configurations.append((name, file))


class Service:
    """The service by itself, for what is measured from outside of the load generator."""

    def __init__(self, executable, config, workspace, environment=None):
        self.output = os.path.join(workspace, f"service-{time.monotonic_ns()}.out")
        ledger = os.path.join(workspace, f"ledger-{time.monotonic_ns()}.sqlite")
        flags = ["--server-port", "0", "--admin-port", "0", "--ledger-url", f"sqlite:{ledger}"]
        with open(self.output, "wb") as output, open(self.output + ".err", "wb") as errors:
            started = time.monotonic()
            self.process = subprocess.Popen(
                [executable, "serve", "--config", config, *flags],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                env={**os.environ, **(environment or {})},
            )
        wait_until(lambda: b"\n" in self.text() or self.process.poll() is not None, 30, "the service was not ready")
        self.seconds_to_ready = time.monotonic() - started
        if self.process.poll() is not None:
            with open(self.output + ".err", encoding="utf-8") as errors:
                raise Failed(f"the service did not start: {errors.read()}")
        self.url = self.text().decode().split("is serving ")[1].split(",")[0].strip()

    def text(self):
        with open(self.output, "rb") as output:
            return output.read()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


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


def over_http(options, config, connections, *flags):
    """A measurement of a service that the load generator starts.

    On more connections than a pool has, who would wait for long is refused.
    """
    command = ["--self", "--config", config, "--connections", str(connections), *flags]
    return lambda: load(options.executable, command, options.seconds, may_refuse=connections > 64)


def measurements(options, installation):
    key = installation.key
    rows = []
    if os.path.exists(options.benchmark):
        rows += [
            Measurement("key room alone", program(options, key, "key-room", 1)),
            Measurement("pipeline without HTTP, one offer", program(options, key, "pipeline", 1)),
            Measurement("pipeline without HTTP, twenty offers", program(options, key, "pipeline", 20)),
        ]
    kinds = [
        ("one offer, verifyReceipt answer", "receiptResponse", 1, 64),
        ("twenty offers, verifyReceipt answer", "receiptResponse", 20, 64),
        ("one offer, state held", "held", 1, 64),
        ("twenty offers, state held", "held", 20, 64),
        ("one offer, signed transactions (sent before)", "signedTransactions", 1, 64),
        ("one offer, receipt (Apple's answer kept)", "receipt", 1, 64),
        ("one offer, transactionId (Apple's answer kept)", "transactionId", 1, 64),
        ("one offer, one connection", "receiptResponse", 1, 1),
        ("one offer, 256 connections", "receiptResponse", 1, 256),
    ]
    for ledger, config in installation.configurations:
        for name, kind, offers, connections in kinds:
            flags = ["--mix", kind, "--offers", str(offers)]
            title = f"HTTP, {name}" + (f" ({ledger})" if ledger else "")
            rows.append(Measurement(title, over_http(options, config, connections, *flags)))
    return rows


def allocations(options, installation, workspace, key):
    """Allocations of a request, by a library under the service that counts them."""
    here = os.path.dirname(os.path.abspath(__file__))
    library = os.path.join(workspace, "count_allocations.so")
    source = os.path.join(here, "count_allocations.c")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    public = os.path.join(workspace, "public.pem")
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True)
    counts = {}
    config = installation.configurations[0][1]
    service = Service(options.executable, config, workspace, {"LD_PRELOAD": library, "COUNT_ALLOCATIONS": workspace})
    try:
        file = os.path.join(workspace, str(service.process.pid))

        def count():
            with open(file, "rb") as bytes_:
                return struct.unpack("Q", bytes_.read(8))[0]

        flags = ["--url", service.url, "--token", TOKEN, "--verify-key", public, "--connections", "16"]
        for offers in (1, 20):
            # The first run fills caches and opens what is opened once.
            load(options.executable, [*flags, "--offers", str(offers)], 1, warm_up=0)
            before = count()
            result = load(options.executable, [*flags, "--offers", str(offers)], 3, warm_up=0)
            counts[offers] = (count() - before) / (result["requestsPerSecond"] * 3)
    finally:
        service.stop()
    return counts


def start_times(options, installation, workspace):
    """Seconds from the start to the line that says that requests are accepted."""
    times = []
    for _ in range(5):
        service = Service(options.executable, installation.configurations[0][1], workspace)
        times.append(service.seconds_to_ready)
        service.stop()
    return times


def curve(options, config):
    points = []
    for connections in CONNECTIONS:
        flags = ["--self", "--config", config, "--connections", str(connections)]
        result = load(options.executable, flags, min(options.seconds, 3), may_refuse=connections > 64)
        points.append((result["signaturesPerSecond"], result["p50"], result["p99"]))
        print(f"   {connections} connections: {number(points[-1][0], 0)} signatures a second", flush=True)
    return points


def report(options, raw, rows, extras, version):
    lines = [
        "# Offer Signer against raw libcrypto",
        "",
        f"{version} · {datetime.date.today()} · {machine()} · {raw.library}",
        "",
        f"Medians of {options.rounds} rounds of {options.seconds:g} s, each between two measurements of raw libcrypto "
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
    one = next((row for row in rows if "one connection" in row.name and not row.fault), None)
    if one:
        ratio = one.median(lambda round: round.result["p50"] * 1000 / round.raw_cpu)
        lines.append(f"- p50 at one connection ÷ CPU time of one raw signature: {ratio:.1f}.")
    checked = sum(round.result.get("checked", 0) for row in rows for round in row.rounds)
    lines.append(f"- Signatures verified: {checked:,}, all right.")
    if extras["picture"]:
        lines += ["", "![latency over throughput](bench.png)"]
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
        installation = Installation(workspace, options.config, options.executable)
        raw = Raw(workspace, installation.key)
        before, host = load_average(), Host()
        rows = measurements(options, installation)
        for number_ in range(options.rounds):
            heading(f"Round {number_ + 1} of {options.rounds}")
            for row in rows:
                row.add_round(raw)
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
            extras["allocations"] = allocations(options, installation, workspace, installation.key)
            extras["startSeconds"] = start_times(options, installation, workspace)
        except (Failed, OSError, subprocess.SubprocessError) as error:
            print(f"   left out: {error}")
        points = []
        if not options.no_curve:
            heading("Throughput against latency")
            os.makedirs(options.output, exist_ok=True)
            try:
                points = curve(options, installation.configurations[0][1])
                picture = os.path.join(options.output, "bench.png")
                title = "Offer Signer, one offer a request, 1 to 256 connections"
                extras["picture"] = draw(picture, [("Offer Signer", points)], title)
            except Failed as error:
                print(f"   left out: {error}")
    markdown = report(options, raw, rows, extras, version)
    record = {"version": version, "machine": machine(), "curve": points, **extras}
    record["measurements"] = [row.record() for row in rows]
    write_results(options.output, "bench", markdown, record)
    heading("Result")
    print(markdown)
    print(f"In {options.output}: bench.md, bench.json" + (", bench.png" if extras["picture"] else ""))
    if any(row.fault for row in rows if "state held" not in row.name):
        sys.exit(1)


if __name__ == "__main__":
    main()
