"""Measures what a ledger costs, and what a large one does: records a second, decisions, start, export and memory.

Run it by `make bench-growth`. It fills an SQLite ledger with made-up records of other customers (by default a million;
GROWTH="--records 10000000" for ten), and measures in turns without a ledger, with an empty one and with the large one,
so that the machine's drift falls out of the ratios. Exports are measured at a tenth of the records and at all of them.
"""

import argparse
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

from measuring import Failed, heading, machine, number, run_json, table
from service import Installation, Service, megabytes

CONNECTIONS = (1, 16)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executable", default=".build/release/offer-signer")
    parser.add_argument("--benchmark", default=".build/release/SigningBenchmark")
    parser.add_argument("--config", default="keys.example", help="the directory of the configuration")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def fill(ledger, first, end, count):
    """Puts records of other customers beside the genuine ones: a part of those that are spread over the last year."""
    connection = sqlite3.connect(ledger)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -400000")
    columns = [row[1] for row in connection.execute("PRAGMA table_info(ledger_records)")]
    # The first record of a chain is the configuration's.
    signed = "SELECT * FROM ledger_records WHERE format <> 'configuration' LIMIT 1"
    sample = dict(zip(columns, connection.execute(signed).fetchone()))
    generator = random.Random(first)
    # Built anew afterwards, in order: row by row, millions of them would take hours.
    indices = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ledger_records' AND sql IS NOT NULL"
    ).fetchall()
    for name, _ in indices:
        connection.execute(f"DROP INDEX {name}")
    now = int(time.time() * 1000)

    def records():
        for index in range(first, end):
            moment = now - int(31_536_000_000 * (count - index) / count)
            yield {
                **sample, "writer": "growth", "number": index + 1, "time": moment, "timestamp": moment,
                "nonce": f"{generator.getrandbits(128):032x}", "original_transaction_id": str(10**15 + index // 3),
                "account": generator.randbytes(16), "customer": generator.randbytes(16), "hash": generator.randbytes(32),
            }.values()

    places = ", ".join("?" * len(columns))
    statement = f"INSERT INTO ledger_records ({', '.join(columns)}) VALUES ({places})"
    with connection:
        connection.executemany(statement, (tuple(values) for values in records()))
        for _, sql in indices:
            connection.execute(sql)
    connection.close()


def recording(options, key, *ledger):
    """Requests for thousands of customers, without HTTP: with no ledger, or waiting for one."""
    result = run_json([options.benchmark, key, "customers", str(options.seconds), "1", *ledger], options.seconds + 60)
    return {
        "perSecond": result["signatures"] / result["seconds"],
        "cpu": result["processorSeconds"] * 1e6 / result["signatures"],
    }


def unsigned(ledger):
    """A copy without chains and what is signed of them: the benchmark signs with keys of its own."""
    copy = ledger.with_suffix(".unsigned")
    connection = sqlite3.connect(ledger)
    connection.execute("VACUUM INTO ?", (str(copy),))
    connection.close()
    connection = sqlite3.connect(copy)
    with connection:
        for name in ("chains", "statements", "checkpoints", "key_marks"):
            connection.execute(f"DELETE FROM ledger_{name}")
    connection.close()
    return copy


def show_recording(options, key, small, large):
    """Signatures a second, and their CPU time, without a ledger, with an empty one, and with the large one."""
    heading("Recording, without HTTP, in turns")
    rows = {"no ledger": [], "an empty ledger": [], f"{options.records:,} records": []}
    ledgers = [], [unsigned(small)], [unsigned(large)]
    for _ in range(options.rounds):
        for name, ledger in zip(rows, ledgers):
            rows[name].append(recording(options, key, *ledger))

    def median(name, of):
        return statistics.median(row[of] for row in rows[name])

    print(table(
        ["", "signatures a second", "÷ none", "µs of CPU a signature", "÷ none"],
        [
            [
                name, number(median(name, "perSecond"), 0), number(median(name, "perSecond") / median("no ledger", "perSecond"), 2),
                number(median(name, "cpu"), 1), number(median(name, "cpu") / median("no ledger", "cpu"), 2),
            ]
            for name in rows
        ],
    ))


def export(installation, ledger):
    """How fast records are exported, and in how much memory."""
    command = [
        installation.executable, "ledger", "export", "--config", installation.config, "--ledger-url", f"sqlite:{ledger}",
    ]
    begin = time.monotonic()
    count, peak = 0, 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        while chunk := process.stdout.read(1 << 20):
            count += chunk.count(b"\n")
            # Not getrusage: it tells of this program's own memory, which the child had until it became another.
            peak = max(peak, megabytes(process.pid, "VmHWM"))
    if process.returncode != 0:
        raise Failed(f"the export failed with exit status {process.returncode}")
    return count, time.monotonic() - begin, peak


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="offer-signer-growth-") as workspace:
        installation = Installation(options.executable, options.config, os.path.join(workspace, "example"))
        small, large = (pathlib.Path(workspace, f"{name}.sqlite") for name in ("small", "large"))

        def measure(service, connections):
            return service.load(options.seconds, connections=connections, warm_up=0.5)

        for ledger in (small, large):
            with Service(installation, f"sqlite:{ledger}") as service:
                measure(service, 1)
        heading(f"Filling a ledger with {options.records:,} records")
        begin = time.monotonic()
        tenth = options.records // 10
        fill(large, 0, tenth, options.records)
        exports = [export(installation, large)]
        fill(large, tenth, options.records, options.records)
        exports.append(export(installation, large))
        size = large.stat().st_size / 1e6
        print(f"   {time.monotonic() - begin:.0f} s, {size:,.0f} MB, {size * 1e6 / options.records:.0f} bytes a record")

        for count, seconds, most in exports:
            print(f"   export of {count:,} records: {count / seconds:,.0f} a second, {most:.0f} MB of memory at most")
        if os.access(options.benchmark, os.X_OK):
            show_recording(options, installation.key, small, large)

        heading("Signing on it and on an empty one, in turns")
        rows = {ledger: {connections: [] for connections in CONNECTIONS} for ledger in (small, large)}
        starts = {ledger: [] for ledger in (small, large)}
        for _ in range(options.rounds):
            for ledger in (small, large):
                with Service(installation, f"sqlite:{ledger}") as service:
                    starts[ledger].append(service.seconds_to_ready)
                    for connections in CONNECTIONS:
                        rows[ledger][connections].append(measure(service, connections))

        def median(ledger, connections, name):
            return statistics.median(row[name] for row in rows[ledger][connections])

        lines = []
        for connections in CONNECTIONS:
            for name, unit in (("cpu", "µs of CPU a signature"), ("p50", "p50"), ("p99", "p99"),
                               ("signaturesPerSecond", "signatures a second")):
                few, many = median(small, connections, name), median(large, connections, name)
                lines.append([f"{unit}, {connections} connections", number(few, 2), number(many, 2), number(many / few, 2)])
        few, many = (statistics.median(starts[ledger]) * 1000 for ledger in (small, large))
        lines.append(["start to ready, ms", number(few, 0), number(many, 0), number(many / few, 2)])
        few, many = (max(row["megabytes"] for row in rows[ledger][CONNECTIONS[-1]]) for ledger in (small, large))
        lines.append(["peak memory, MB", number(few), number(many), number(many / few, 2)])
        heading(f"On {machine()}")
        print(table(["", "few records", f"{options.records:,} records", "ratio"], lines))


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        sys.exit(str(error))
