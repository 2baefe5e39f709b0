"""Walks along a ledger with nothing but the SQLite file and the public checkpoint key.

As a program: python ledger.py ledger.sqlite checkpoint-key.p8 (or the public key in PEM).
"""

import hashlib
import pathlib
import sqlite3
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

NONE = b"\xff\xff\xff\xff"
# What a record's values are, from its time to its customer: a text's bytes would be hashed as the text is.
TYPES = [int, *[str] * 7, int, *[str] * 4, bytes, bytes]


class Broken(Exception):
    """The first thing that is not in order."""


def canonical(title, *values):
    """A line that says what follows; numbers in 8 bytes, texts and bytes with their length in 4, big-endian."""
    message = title.encode() + b"\n"
    for value in values:
        if value is None:
            message += NONE
        elif isinstance(value, int):
            message += value.to_bytes(8, "big", signed=True)
        else:
            data = value.encode() if isinstance(value, str) else value
            message += len(data).to_bytes(4, "big") + data
    return message


def verify_checkpoint(key, beginning, writer, kind, number, record_hash, time, signature):
    """What deletes a chain's first records is signed with the hash of its beginning, but for that of old versions."""
    values = writer, kind, number, record_hash, time
    messages = [canonical("offer-signer ledger checkpoint 1", *values)]
    if kind == "retention":
        messages.append(canonical("offer-signer ledger checkpoint 2", *values, beginning))
    for message in messages:
        try:
            return key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            pass
    raise Broken(f"chain {writer}: the {kind} at record {number} is not by the checkpoint key, or not of this chain")


def verify_chain(database, key, chain):
    """Recomputes one chain's hashes; returns how many records were in order."""
    writer, started_at, previous_writer, previous_number, previous_hash = chain
    last = 0
    beginning = last_hash = hashlib.sha256(
        canonical(
            "offer-signer ledger chain 1", writer, started_at, previous_writer, previous_number or 0, previous_hash
        )
    ).digest()
    statements = {"checkpoint": {}, "retention": {}}
    for kind, number, *rest in database.execute(
        "SELECT kind, number, hash, time, signature FROM ledger_checkpoints WHERE writer = ?", [writer]
    ):
        verify_checkpoint(key, beginning, writer, kind, number, *rest)
        statements[kind][number] = rest[0]
    if statements["retention"]:
        last = max(statements["retention"])
        last_hash = statements["retention"][last]
    count = 0
    for number, *values, record_hash in database.execute(
        "SELECT number, time, client, bundle_id, product_id, offer_id, format, key_id, nonce, timestamp, reason, "
        "evidence, environment, original_transaction_id, account, customer, hash "
        "FROM ledger_records WHERE writer = ? ORDER BY number",
        [writer],
    ):
        if number <= last:
            raise Broken(f"chain {writer}: record {number} does not belong there")
        if number != last + 1:
            raise Broken(f"chain {writer}: record {last + 1} is missing")
        if any(type(value) not in (kind, type(None)) for value, kind in zip(values, TYPES)):
            raise Broken(f"chain {writer}: record {number} was changed: a value is of another type")
        computed = hashlib.sha256(canonical("offer-signer ledger record 1", last_hash, writer, number, *values)).digest()
        if computed != record_hash:
            raise Broken(f"chain {writer}: record {number} was changed")
        if statements["checkpoint"].get(number, record_hash) != record_hash:
            raise Broken(f"chain {writer}: a record up to {number} was changed, with all the hashes after it")
        last, last_hash = number, record_hash
        count += 1
    if max(statements["checkpoint"], default=0) > last:
        raise Broken(f"chain {writer}: record {last + 1} is missing")
    return count


def verify(path, key):
    """Verifies every chain; returns how many records were in order."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10) as database:
        chains = database.execute(
            "SELECT writer, started_at, previous_writer, previous_number, previous_hash FROM ledger_chains"
        ).fetchall()
        missing = {chain[2] for chain in chains if chain[2]} - {chain[0] for chain in chains}
        if missing:
            raise Broken(f"chain {missing.pop()} is missing")
        for table in "ledger_records", "ledger_checkpoints":
            stray = f"SELECT min(writer) FROM {table} WHERE writer NOT IN (SELECT writer FROM ledger_chains)"
            if (writer := database.execute(stray).fetchone()[0]) is not None:
                raise Broken(f"chain {writer} is not there, though {table} has rows of it")
        return sum(verify_chain(database, key, chain) for chain in chains)


def checkpoint_key(path):
    data = pathlib.Path(path).read_bytes()
    if b"PRIVATE KEY" in data:
        return serialization.load_pem_private_key(data, None).public_key()
    return serialization.load_pem_public_key(data)


if __name__ == "__main__":
    try:
        print(verify(sys.argv[1], checkpoint_key(sys.argv[2])), "records in order")
    except Broken as fault:
        sys.exit(f"broken: {fault}")
