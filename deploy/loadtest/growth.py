"""Measures what a large ledger costs: decisions, start, export and memory with many records beside none.

Run it by `make bench-growth`. It fills an SQLite ledger with made-up records of other customers (by default a million;
GROWTH="--records 10000000" for ten), and measures the service on it and on an empty one in turns, so that the machine's
drift falls out of the ratios.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

from measuring import Failed, heading, load, machine, number, table

TOKEN = "demo-token-for-loopback-only"
TICKS = os.sysconf("SC_CLK_TCK")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executable", default=".build/release/offer-signer")
    parser.add_argument("--config", default="keys.example", help="the directory of the configuration")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


class Service:
    """The service on a directory of its own, with its ledger."""

    def __init__(self, options, directory):
        self.options = options
        self.directory = pathlib.Path(directory)
        shutil.copytree(options.config, directory)
        for key in self.directory.glob("*.p8"):
            key.chmod(0o600)
        self.ledger = self.directory / "ledger.sqlite"

    def __enter__(self):
        begin = time.monotonic()
        self.process = subprocess.Popen(
            [
                os.path.abspath(self.options.executable), "serve",
                "--config", self.directory / "offer-signer.yaml", "--ledger-url", f"sqlite:{self.ledger}",
                "--server-port", "0", "--admin-port", "0",
            ],
            stdout=subprocess.PIPE, stderr=open(self.directory / "log", "ab"), text=True,
        )
        line = self.process.stdout.readline()
        self.start = time.monotonic() - begin
        found = re.search(r"http://[0-9.]+:\d+", line)
        if not found:
            raise Failed(f"the service did not start: {(self.directory / 'log').read_text()}")
        self.url = found.group(0)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def measure(self, connections):
        before = self.processor_seconds()
        result = load(
            self.options.executable,
            ["--url", self.url, "--token", TOKEN, "--connections", str(connections),
             "--verify-key", str(self.directory / "public.pem")],
            self.options.seconds,
            warm_up=0.5,
        )
        spent = self.processor_seconds() - before
        result["cpu"] = spent * 1e6 / (result["signaturesPerSecond"] * (self.options.seconds + 0.5))
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        result["megabytes"] = int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024
        return result


def fill(ledger, count):
    """Puts records of other customers beside the genuine ones, spread over the last year."""
    connection = sqlite3.connect(ledger)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -400000")
    columns = [row[1] for row in connection.execute("PRAGMA table_info(ledger_records)")]
    sample = dict(zip(columns, connection.execute("SELECT * FROM ledger_records LIMIT 1").fetchone()))
    generator = random.Random(1)
    now = int(time.time() * 1000)

    def records():
        for index in range(count):
            moment = now - int(31_536_000_000 * (count - index) / count)
            yield {
                **sample, "writer": "growth", "number": index + 1, "time": moment, "timestamp": moment,
                "nonce": f"{generator.getrandbits(128):032x}", "original_transaction_id": str(10**15 + index // 3),
                "account": generator.randbytes(32), "customer": generator.randbytes(32), "hash": generator.randbytes(32),
            }.values()

    places = ", ".join("?" * len(columns))
    statement = f"INSERT INTO ledger_records ({', '.join(columns)}) VALUES ({places})"
    with connection:
        connection.executemany(statement, (tuple(values) for values in records()))
    connection.close()


def export(options, service):
    """How fast records are exported, and in how much memory."""
    command = [
        os.path.abspath(options.executable), "ledger", "export",
        "--config", service.directory / "offer-signer.yaml", "--ledger-url", f"sqlite:{service.ledger}",
    ]
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        count = sum(chunk.count(b"\n") for chunk in iter(lambda: process.stdout.read(1 << 20), b""))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failed(f"the export failed with exit status {process.returncode}")
    return count, time.monotonic() - begin, usage.ru_maxrss / 1024


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="offer-signer-growth-") as workspace:
        key = next(pathlib.Path(options.config).glob("*.p8"))
        small, large = (Service(options, os.path.join(workspace, name)) for name in ("small", "large"))
        for service in (small, large):
            subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", service.directory / "public.pem"], check=True)
            with service:
                service.measure(1)
        heading(f"Filling a ledger with {options.records:,} records")
        begin = time.monotonic()
        fill(large.ledger, options.records)
        size = large.ledger.stat().st_size / 1e6
        print(f"   {time.monotonic() - begin:.0f} s, {size:,.0f} MB, {size * 1e6 / options.records:.0f} bytes a record")

        heading("Signing on it and on an empty one, in turns")
        rows = {service: {1: [], 64: []} for service in (small, large)}
        starts = {service: [] for service in (small, large)}
        for _ in range(options.rounds):
            for service in (small, large):
                with service:
                    starts[service].append(service.start)
                    for connections in (1, 64):
                        rows[service][connections].append(service.measure(connections))

        def median(service, connections, name):
            return statistics.median(row[name] for row in rows[service][connections])

        lines = []
        for connections in (1, 64):
            for name, unit in (("cpu", "µs of CPU a signature"), ("p50", "p50"), ("p99", "p99"),
                               ("signaturesPerSecond", "signatures a second")):
                few, many = median(small, connections, name), median(large, connections, name)
                lines.append([f"{unit}, {connections} connections", number(few, 2), number(many, 2), number(many / few, 2)])
        few, many = (statistics.median(starts[service]) * 1000 for service in (small, large))
        lines.append(["start to ready, ms", number(few, 0), number(many, 0), number(many / few, 2)])
        few, many = (max(row["megabytes"] for row in rows[service][64]) for service in (small, large))
        lines.append(["peak memory, MB", number(few), number(many), number(many / few, 2)])
        heading(f"On {machine()}")
        print(table(["", "few records", f"{options.records:,} records", "ratio"], lines))

        heading("Exporting it")
        count, seconds, megabytes = export(options, large)
        print(f"   {count:,} records in {seconds:.1f} s, {count / seconds:,.0f} a second, {megabytes:.0f} MB of memory at most")


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        sys.exit(str(error))
