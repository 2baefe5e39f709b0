#!/usr/bin/env python3
"""Measures Offer Signer against others who sign the same: `make bench-peers`.

  bench_peers.py --executable PATH [--config FILE] [--seconds S] [--rounds N] [--customers LIST]
                 [--output DIRECTORY] [--python PYTHON]

The peers decode the same request, compose the same payload, sign it with the same key and encode the same answer, behind
Go's net/http, Node's http, and FastAPI with Apple's library. They decide nothing, authenticate nobody, and keep no
ledger: Offer Signer does. One more peer in Go does the same work in kind: it reads the evidence (verifying what Apple
signed), finds the newest transaction, and has a record on the disk before it answers, by one fdatasync for all that came
meanwhile. Beside them is the least that a durable signer takes in C, without an HTTP parser, JSON or a
database (least.c), as a yardstick. All are measured by the same generator in turns, each between two measurements of raw
libcrypto, and a sample of everyone's signatures is verified. Who is not installed is left out, and said.
"""

import argparse
import datetime
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

from measuring import (
    Failed, Host, Measurement, Raw, customers, draw, heading, load_average, machine, read_from_disk, table,
    wait_until, who, write_results,
)
from service import Installation, load, signer

HERE = os.path.dirname(os.path.abspath(__file__))
CONNECTIONS = [1, 4, 16, 64, 256]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executable", default=".build/release/offer-signer")
    parser.add_argument("--config", default="keys.example/offer-signer.yaml")
    parser.add_argument("--seconds", type=float, default=5, help="how long each measurement takes")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is taken; medians count")
    parser.add_argument("--customers", type=customers, default=customers("new,100"), help="such as new,200000,100")
    parser.add_argument("--output", default=".build/loadtest")
    parser.add_argument("--python", default=sys.executable, help="a Python that has peers/python/requirements.txt")
    parser.add_argument("--no-curve", action="store_true", help="leave the picture out")
    return parser.parse_args()


def said(command):
    """What a command prints, or None where it is not there."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return (done.stdout or done.stderr).strip() if done.returncode == 0 else None


def descendants(process):
    """A process and all that it started."""
    found = [process]
    for parent in found:
        for task in os.listdir(f"/proc/{parent}/task"):
            with open(f"/proc/{parent}/task/{task}/children", encoding="ascii") as file:
                found += [int(child) for child in file.read().split()]
    return found


class Peer:
    """A server that signs."""

    def __init__(self, name, command, environment=None):
        self.name = name
        self.command = command
        self.environment = environment or {}

    def run(self, work):
        """Starts the server, gives its URL and processes to `work`, and stops it."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                [part.replace("PORT", str(port)) for part in self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.environment},
                start_new_session=True,
            )
            try:
                wait_until(lambda: self.listens(process, port), 30, f"{self.name} was not ready")
                # Workers that are started one after the other.
                time.sleep(1)
                return work(f"http://127.0.0.1:{port}", descendants(process.pid))
            except Failed as error:
                log.seek(0)
                lines = log.read().decode(errors="replace").strip().splitlines()
                raise Failed(f"{error}; {lines[-1]}" if lines else str(error)) from None
            finally:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

    @staticmethod
    def listens(process, port):
        if process.poll() is not None:
            raise Failed("it ended as it started")
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", port)) == 0


class OfferSigner:
    """This service: with authentication, decision and ledger."""

    def __init__(self, name, executable, config):
        self.name = name
        self.executable = executable
        self.config = config

    def measurement(self, flags, seconds):
        return lambda: load(self.executable, ["--self", "--config", self.config, *flags], seconds)


class Measured:
    """A peer that is measured by the same generator."""

    def __init__(self, peer, executable, public, directory):
        self.name = peer.name
        self.peer = peer
        self.executable = executable
        self.public = public
        self.directory = directory

    def measurement(self, flags, seconds):
        def work(url, processes):
            pids = [flag for process in processes for flag in ("--pid", str(process))]
            target = ["--url", url, "--token", "none", "--verify-key", self.public]
            if "signedTransactions" in flags:
                target += ["--simulator-directory", self.directory]
            return load(self.executable, [*target, *pids, *flags], seconds)

        return lambda: self.peer.run(work)


def yardstick(key, workspace):
    """What any server pays, whatever its language: least.c."""
    program = os.path.join(workspace, "least")
    compiler = os.environ.get("CC", "cc")
    source = os.path.join(HERE, "least.c")
    subprocess.run([compiler, "-O2", "-o", program, source, "-lcrypto", "-lpthread"], check=True)
    ledger = os.path.join(workspace, "least-ledger")
    return Peer("The least in C, no parser, an appended file", [program, key, "PORT", ledger])


def find_peers(options, key, workspace):
    """The peers that are installed, and who is left out for what reason."""
    peers, left_out = [yardstick(key, workspace)], []
    go = said(["go", "version"])
    program = os.path.join(workspace, "go-peer")
    if go is None:
        left_out.append("Go net/http: there is no go")
    else:
        build = subprocess.run(
            ["go", "build", "-o", program, "."],
            capture_output=True,
            text=True,
            cwd=os.path.join(HERE, "peers", "go"),
            env={**os.environ, "GOFLAGS": "-mod=mod", "GOCACHE": os.path.join(workspace, "go-cache"), "GO111MODULE": "off"},
        )
        if build.returncode == 0:
            name = f"Go {go.split()[2].removeprefix('go')}, net/http"
            records = os.path.join(workspace, "go-ledger")
            peers.append(Peer(f"{name}, evidence read and an appended file", [program, key, "PORT", records]))
            peers.append(Peer(name, [program, key, "PORT"]))
        else:
            left_out.append(f"Go net/http: it does not build: {build.stderr.strip()}")
    node = said(["node", "--version"])
    if node is None:
        left_out.append("Node http: there is no node")
    else:
        script = os.path.join(HERE, "peers", "node", "server.js")
        peers.append(Peer(f"Node {node.removeprefix('v')}, http, cluster of two", ["node", script, key, "PORT"]))
    versions = said(
        [
            options.python, "-c",
            "from importlib.metadata import version as v; import appstoreserverlibrary, fastapi, uvicorn;"
            "print(v('app-store-server-library'), v('fastapi'), v('uvicorn'))",
        ]
    )
    if versions is None:
        left_out.append(f"FastAPI with Apple's library: {options.python} does not have it")
    else:
        library, fastapi, uvicorn = versions.split()
        peers.append(
            Peer(
                f"Apple's Python library {library}, FastAPI {fastapi}, uvicorn {uvicorn}, two workers",
                [
                    options.python, "-m", "uvicorn", "server:app", "--workers", "2", "--host", "127.0.0.1", "--port",
                    "PORT", "--no-access-log", "--log-level", "warning", "--app-dir",
                    os.path.join(HERE, "peers", "python"),
                ],
                {"KEY_FILE": key, "PYTHONDONTWRITEBYTECODE": "1"},
            )
        )
    for reason in left_out:
        print(f"   left out: {reason}", flush=True)
    return peers, left_out


def questions(options):
    """What is asked: the name, and the flags of the generator. Without evidence, a request has some 200 bytes."""
    asked = []
    for kind, name in (("signedTransactions", "signed transactions"), ("receiptResponse", "evidence of 2 KB")):
        for value in options.customers:
            asked.append((f"one offer, {name}, {who(value)}", ["--mix", kind, "--customers", value]))
    asked += [
        ("one offer, no evidence, 100 customers", ["--mix", "held"]),
        ("twenty offers, evidence of 2 KB, 100 customers", ["--mix", "receiptResponse", "--offers", "20"]),
    ]
    return [(name, [*flags, "--connections", "64"]) for name, flags in asked]


def report(options, raw, servers, rows, left_out, version, before, taken_away, picture):
    lines = [
        "# Offer Signer against others who sign the same",
        "",
        f"{version} · {datetime.date.today()} · {machine()} · {raw.library}",
        "",
        f"Medians of {options.rounds} rounds of {options.seconds:g} s over 64 connections, all in turns, each between two "
        "measurements of raw libcrypto. The peers decode, compose, sign and encode, no more, but for the one in Go that reads "
        "evidence and appends to a file; Offer Signer authenticates and decides as well, and keeps its ledger. The least in C (least.c) is a yardstick: it "
        "reads, signs, has an appended file on the disk before it answers, and does nothing else. "
        f"Load average before the run: {before:.1f}; the host gave {taken_away:.0f} % of the processors to others "
        "meanwhile; the ratios are what counts. The generator runs on the same cores.",
    ]
    for question, _ in questions(options):
        lines += ["", f"**{question}**", ""]
        measured = [(server.name, rows[server.name, question]) for server in servers]
        cells = [[name, *row.cells()] for name, row in measured if not row.fault]
        lines.append(table(["", *Measurement.COLUMNS], cells))
        faults = [(server, rows[server.name, question].fault) for server in servers]
        lines += [f"\n- {server.name}: left out: {fault}" for server, fault in faults if fault]
    lines += [""] + [f"- Left out: {reason}" for reason in left_out]
    checked = sum(round.result["checked"] for row in rows.values() for round in row.rounds)
    lines.append(f"- Signatures verified, of every server: {checked:,}, all right.")
    if picture:
        lines += ["", "![latency over throughput](bench-peers.png)"]
    return "\n".join(lines) + "\n"


def main():
    options = arguments()
    options.executable = os.path.abspath(options.executable)
    if not os.path.exists(options.executable):
        raise SystemExit(f"There is no executable at {options.executable}; make bench-peers builds it.")
    read_from_disk(options.executable)
    version = said([options.executable, "--version"])
    with tempfile.TemporaryDirectory(prefix="offer-signer-bench-") as workspace:
        installation = Installation(options.executable, options.config, os.path.join(workspace, "configuration"))
        raw = Raw(workspace, installation.key)
        before, host = load_average(), Host()
        heading("Who is here")
        peers, left_out = find_peers(options, installation.key, workspace)
        servers = [OfferSigner(f"Offer Signer {version}", options.executable, installation.config)]
        directory = signer(options.executable, os.path.join(workspace, "app-store"))
        servers += [Measured(peer, options.executable, installation.public_key, directory) for peer in peers]
        for server in servers:
            print(f"   {server.name}", flush=True)
        rows = {
            (server.name, question): Measurement(f"{server.name}: {question}", server.measurement(flags, options.seconds))
            for question, flags in questions(options)
            for server in servers
        }
        for round_ in range(options.rounds):
            heading(f"Round {round_ + 1} of {options.rounds}")
            for row in rows.values():
                row.add_round(raw)
        taken_away = host.taken_away()
        curves, picture = [], False
        if not options.no_curve:
            heading("Throughput against latency")
            for server in servers:
                points = []
                try:
                    for connections in CONNECTIONS:
                        flags = ["--mix", "receiptResponse", "--customers", "new", "--connections", str(connections)]
                        result = server.measurement(flags, min(options.seconds, 3))()
                        points.append((result["signaturesPerSecond"], result["p50"], result["p99"]))
                except Failed as error:
                    print(f"   {server.name}: left out: {error}", flush=True)
                if points:
                    curves.append((server.name, points))
            os.makedirs(options.output, exist_ok=True)
            title = f"One offer, evidence of 2 KB, ever new customers, {CONNECTIONS[0]} to {CONNECTIONS[-1]} connections"
            picture = draw(os.path.join(options.output, "bench-peers.png"), curves, title)
    markdown = report(options, raw, servers, rows, left_out, version, before, taken_away, picture)
    record = {"version": version, "machine": machine(), "leftOut": left_out, "curves": curves}
    record |= {"loadAverage": before, "takenAway": taken_away}
    record["measurements"] = [row.record() for row in rows.values()]
    write_results(options.output, "bench-peers", markdown, record)
    heading("Result")
    print(markdown)
    print(f"In {options.output}: bench-peers.md, bench-peers.json" + (", bench-peers.png" if picture else ""))


if __name__ == "__main__":
    main()
