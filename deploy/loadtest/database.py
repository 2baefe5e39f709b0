#!/usr/bin/env python3
"""Measures what a signature costs PostgreSQL, in a ledger that has grown: a part of `make bench-growth`.

  database.py --executable PATH [--records N] [--seconds S] [--rounds N] [--connections LIST]
              [--set NAME=VALUE] [--statements]

It fills a database of its own with made-up records of other customers (by default a million), with as many presentations
and held subscriptions, and signs: for ever new customers by signed transactions, and for a hundred whose state is held.
Counted are statements (pg_stat_statements: all but BEGIN and COMMIT), commits, bytes of the log (WAL) and those of them
that are images of whole pages (pg_walinspect), and the processor time of the service and of all of the server's processes,
each from before the load to after it, and divided by the records that came. --statements shows which statements and which
records of the log there were; --set is a setting of the server.

Each measurement begins with a checkpoint, after which the first change of each page puts all of it into the log: this is
the dearest time. Prints a Markdown table.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from measuring import Failed, heading, load_average, machine, number, table
from postgresql import PostgreSQL
from service import Installation, Service, signer

TICKS = os.sysconf("SC_CLK_TCK")
DATABASE = "bench1"
KINDS = {
    "signed transactions, ever new customers": ["--mix", "signedTransactions", "--customers", "new"],
    "state held, 100 customers": ["--mix", "held", "--customers", "100"],
}
SETTINGS = [
    "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=all", "shared_buffers=512MB",
    "max_wal_size=8GB", "checkpoint_timeout=1h",
]
# Of each table one row that is there is taken as the pattern, with other keys.
FILLED = {
    "ledger_records": """'writer', 'growth', 'number', i, 'time', moment, 'timestamp', moment, 'nonce', gen_random_uuid(),
        'original_transaction_id', (10^15)::int8 + i / 3, 'account', digest, 'customer', digest, 'hash', digest""",
    "ledger_presentations": """'original_transaction_id', (10^15)::int8 + i, 'customer', digest, 'last_seen', moment""",
    "held_subscriptions": "'original_transaction_id', (10^15)::int8 + i",
    "held_accounts": "'original_transaction_id', (10^15)::int8 + i, 'account', digest",
}
# The first record of a chain is the configuration's, and no pattern.
PATTERNS = {"ledger_records": "ledger_records WHERE format <> 'configuration'"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executable", default=".build/release/offer-signer")
    parser.add_argument("--config", default="keys.example", help="the directory of the configuration")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", default="64", help="how many ask at once, such as 1,64")
    parser.add_argument("--set", action="append", default=[], help="a setting of the server: wal_compression=lz4")
    parser.add_argument("--statements", action="store_true", help="show each statement, and each kind of log record")
    return parser.parse_args()


def private_keys(installation):
    """Adds to a configuration what replicas would share."""
    files = [installation.home / name for name in ("digest.key", "checkpoint.p8")]
    files[0].write_bytes(os.urandom(32))
    command = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", files[1]]
    subprocess.run(command, check=True, capture_output=True)
    for file in files:
        file.chmod(0o600)
    with open(installation.config, "a", encoding="utf-8") as file:
        file.write("ledger: { digestKeyFile: digest.key, checkpointKeyFile: checkpoint.p8 }\n")


def fill(server, count):
    """Puts rows of other customers beside the genuine ones, spread over the days that presentations count for."""
    for name, values in FILLED.items():
        server.query(
            f"""
            INSERT INTO {name} SELECT made.* FROM (SELECT * FROM {PATTERNS.get(name, name)} LIMIT 1) AS one,
                generate_series(1, {count}) AS i,
                LATERAL (SELECT (extract(epoch FROM now()) * 1000)::int8 - 864000000::int8 * ({count} - i) / {count} AS moment,
                    '\\x' || encode(sha256(int8send(i)), 'hex') AS digest) AS drawn,
                LATERAL jsonb_populate_record(NULL::{name}, to_jsonb(one) || jsonb_build_object({values})) AS made
            """,
            DATABASE,
        )
    server.query("VACUUM (ANALYZE)", DATABASE)


def processor_seconds(process):
    """Of a process, those of its children that are there, and those that are gone."""

    def of(identifier, fields):
        try:
            stat = pathlib.Path(f"/proc/{identifier}/stat").read_text().rsplit(")", 1)[1].split()
        except FileNotFoundError:
            return 0
        return sum(int(stat[field]) for field in fields)

    children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return (of(process, range(11, 15)) + sum(of(child, (11, 12)) for child in children)) / TICKS


def measure(options, server, service, connections, flags):
    """What was counted of a load, divided by the signatures that came into the ledger."""
    server.query("CHECKPOINT; SELECT pg_stat_statements_reset()", DATABASE)

    def counts():
        # What a process counted is there for others after a second.
        time.sleep(1.5)
        commits, records, place = server.query(
            f"""SELECT xact_commit, (SELECT count(*) FROM ledger_records WHERE writer <> 'growth'),
                pg_current_wal_flush_lsn()
            FROM pg_stat_database WHERE datname = '{DATABASE}'""",
            DATABASE,
        ).split("|")
        return int(commits), int(records), place

    def processors():
        return processor_seconds(service.process.pid), processor_seconds(server.process.pid)

    before = counts()
    server.query("SELECT pg_stat_statements_reset()", DATABASE)
    start = processors()
    result = service.load(options.seconds, *flags, connections=connections)
    own, theirs = (now - then for now, then in zip(processors(), start))
    after = counts()
    signatures = after[1] - before[1]
    calls = server.query(
        f"""SELECT sum(calls), string_agg(round(calls::numeric / {signatures}, 3) || ' × ' ||
            regexp_replace(left(query, 110), '\\s+', ' ', 'g'), E'\\n' ORDER BY calls DESC) FILTER (WHERE calls > 2)
        FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid
        WHERE datname = '{DATABASE}' AND query NOT LIKE '%pg_stat_%'""",
        DATABASE,
    )
    statements, shown = calls.split("|", 1)
    log, images, writing = server.query(
        f"""SELECT sum(combined_size), sum(fpi_size),
            sum(count) FILTER (WHERE "resource_manager/record_type" = 'Transaction/COMMIT')
        FROM pg_get_wal_stats('{before[2]}', '{after[2]}', true)"""
    ).split("|")
    if options.statements:
        kinds = server.query(
            f"""SELECT round(count::numeric / {signatures}, 3) || ' × ' || "resource_manager/record_type" || ': ' ||
                round(record_size / {signatures}) || ' bytes, page images ' || round(fpi_size / {signatures})
            FROM pg_get_wal_stats('{before[2]}', '{after[2]}', true) WHERE count > {signatures} / 1000
            ORDER BY combined_size DESC"""
        )
        print(shown, kinds, sep="\n")
    return {
        "signatures a second": result["signaturesPerSecond"],
        "statements": int(statements) / signatures,
        "commits": (after[0] - before[0]) / signatures,
        "commits that wrote": float(writing) / signatures,
        "log, bytes": float(log) / signatures,
        "of them page images": float(images) / signatures,
        "service's CPU, µs": own * 1e6 / signatures,
        "PostgreSQL's CPU, µs": theirs * 1e6 / signatures,
        "p50 ms": result["p50"],
        "p99 ms": result["p99"],
    }


def main():
    options = arguments()
    server = PostgreSQL(*SETTINGS, *options.set)
    try:
        with tempfile.TemporaryDirectory(prefix="offer-signer-database-") as workspace:
            directory = signer(options.executable, os.path.join(workspace, "app-store"))
            home, root = os.path.join(workspace, "example"), os.path.join(directory, "root.pem")
            installation = Installation(options.executable, options.config, home, root)
            private_keys(installation)
            ledger = server.database()
            server.query("CREATE EXTENSION pg_stat_statements", DATABASE)
            server.query("CREATE EXTENSION pg_walinspect")
            signed = ["--simulator-directory", directory]
            with Service(installation, ledger) as service:
                for flags in KINDS.values():
                    service.load(1, *signed, *flags)
                heading(f"Filling a ledger with {options.records:,} records")
                begin = time.monotonic()
                if options.records:
                    fill(server, options.records)
                size = int(server.query(f"SELECT pg_database_size('{DATABASE}')")) / 1e6
                print(f"   {time.monotonic() - begin:.0f} s, {size:,.0f} MB", flush=True)
                rows = {}
                for round_ in range(options.rounds):
                    heading(f"Round {round_ + 1} of {options.rounds}; load average {load_average():.1f}")
                    for connections in map(int, options.connections.split(",")):
                        for kind, flags in KINDS.items():
                            name = f"{kind}, {connections} connections"
                            measured = measure(options, server, service, connections, [*signed, *flags])
                            rows.setdefault(name, []).append(measured)
                            print(f"   {name}: " + ", ".join(f"{value:,.2f} {what}" for what, value in measured.items()),
                                  flush=True)
    finally:
        server.stop()
    heading(f"A signature in PostgreSQL, {options.records:,} records, on {machine()}")
    whats = list(next(iter(rows.values()))[0])
    print(table(
        ["of a signature; medians", *rows],
        [[what, *(number(statistics.median(row[what] for row in found), 2) for found in rows.values())] for what in whats],
    ))


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        sys.exit(str(error))
