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


def is_signed(key, signature, message):
    try:
        key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
        return True
    except InvalidSignature:
        return False


def open_chains(text):
    """How far the chains are that have no end yet: a line for each."""
    lines = [line.split(" ") for line in text.split("\n") if line]
    return {writer: (int(number), bytes.fromhex(record_hash)) for writer, number, record_hash in lines}


def key_changes(database, key, chains):
    """Returns how many chains each former key began, with it: from the newest key back, each change is by both keys."""
    changes = database.execute(
        "SELECT number, old_key, new_key, time, chains, digest, old_signature, new_signature FROM ledger_key_changes "
        "ORDER BY number"
    ).fetchall()
    ends = dict(
        (writer, head)
        for writer, *head in database.execute("SELECT writer, number, hash FROM ledger_statements WHERE kind = 'end'")
    )
    former = []
    for place, (number, old_key, new_key, time, count, digest, *signatures) in reversed(list(enumerate(changes))):
        previous = changes[place - 1][-1] if place else None
        message = canonical("offer-signer ledger key change 1", number, old_key, new_key, time, count, digest, previous)
        keys = [serialization.load_der_public_key(data) for data in (old_key, new_key)]
        if number != place + 1 or keys[1].public_numbers() != key.public_numbers():
            raise Broken(f"a change of the checkpoint key is missing beside change {number}")
        if not all(is_signed(*pair, message) for pair in zip(keys, signatures)):
            raise Broken(f"change {number} of the checkpoint key is not signed by both keys")
        values = []
        for chain in chains[:count]:
            values += [chain_beginning(chain), *ends.get(chain[0], (-1, None))]
        if hashlib.sha256(canonical("offer-signer ledger chains 1", *values)).digest() != digest:
            raise Broken(f"the chains before change {number} of the checkpoint key are not those that were signed")
        key = keys[0]
        former.insert(0, (count, key))
    return former


def chain_message(chain):
    writer, started_at, previous_writer, previous_number, previous_hash, _ = chain
    return canonical(
        "offer-signer ledger chain 1", writer, started_at, previous_writer, previous_number or 0, previous_hash
    )


def chain_beginning(chain):
    return hashlib.sha256(chain_message(chain)).digest()


def verify_checkpoint(database, key, chains):
    """Returns how far the open chains are by the only checkpoint."""
    checkpoints = database.execute("SELECT chains, newest, open, time, signature FROM ledger_checkpoints").fetchall()
    if len(checkpoints) != 1:
        raise Broken(f"there are {len(checkpoints)} checkpoints")
    *values, signature = checkpoints[0]
    if not is_signed(key, signature, canonical("offer-signer ledger checkpoint 1", *values)):
        raise Broken("the checkpoint is not by the checkpoint key")
    count, newest, opened, _ = values
    if count != len(chains) or newest != (chains[-1][0] if chains else ""):
        raise Broken(f"there are {len(chains)} chains, and the checkpoint says that there were {count}")
    return open_chains(opened)


def verify_order(keys, chains):
    """Each chain's beginning is signed by its key, and names the chain before it."""
    previous = None
    for key, chain in zip(keys, chains):
        writer, _, previous_writer, _, _, signature = chain
        if not is_signed(key, signature, chain_message(chain)):
            raise Broken(f"chain {writer}: its beginning is not by the checkpoint key")
        if previous_writer != previous:
            raise Broken(f"chain {previous_writer or writer} is missing, or there twice")
        previous = writer


def verify_chain(database, keys, chain, marks):
    """Recomputes one chain's hashes; returns how many records were in order. `marks`: how far it was, by what is signed.

    `keys`: by which it ends, and by which its first records are said to have been deleted.
    """
    writer = chain[0]
    last = 0
    beginning = last_hash = chain_beginning(chain)
    statements = {}
    for kind, *values, signature in database.execute(
        "SELECT kind, number, hash, time, signature FROM ledger_statements WHERE writer = ?", [writer]
    ):
        if kind not in ("end", "retention") or kind in statements:
            raise Broken(f"chain {writer}: there is a statement too many")
        if not is_signed(keys[kind], signature, canonical(f"offer-signer ledger {kind} 1", writer, *values, beginning)):
            raise Broken(f"chain {writer}: the {kind} at record {values[0]} is not by the checkpoint key")
        statements[kind] = values[0], values[1]
    if "end" not in statements and "checkpoint" not in marks:
        raise Broken(f"chain {writer}: the statement that it ended is missing")
    if "end" in statements and "checkpoint" in marks:
        raise Broken(f"chain {writer}: the checkpoint says that it did not end")
    signed = {**marks, **{kind: head for kind, head in statements.items() if kind == "end"}}.values()
    if "retention" in statements:
        last, last_hash = statements["retention"]
    first = last
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
        last, last_hash = number, record_hash
        count += 1
        if any(head[0] == last and head[1] != last_hash for head in signed):
            raise Broken(f"chain {writer}: a record up to {number} was changed, with all the hashes after it")
    if any(head[0] == last == first and head[1] != last_hash for head in signed):
        raise Broken(f"chain {writer}: what was deleted of it is not what was signed")
    if any(head[0] > last for head in signed):
        raise Broken(f"chain {writer}: record {last + 1} is missing")
    if "end" in statements and statements["end"][0] != last:
        raise Broken(f"chain {writer}: record {last} was put in after its end")
    return count


def verify(path, key):
    """Verifies every chain; returns how many records were in order."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10) as database:
        chains = database.execute(
            "SELECT writer, started_at, previous_writer, previous_number, previous_hash, signature FROM ledger_chains "
            "ORDER BY started_at, writer"
        ).fetchall()
        for table in "ledger_records", "ledger_statements":
            orphan = f"SELECT min(writer) FROM {table} WHERE writer NOT IN (SELECT writer FROM ledger_chains)"
            if (writer := database.execute(orphan).fetchone()[0]) is not None:
                raise Broken(f"chain {writer} is not there, though {table} has rows of it")
        former = key_changes(database, key, chains)
        keys = [next((old for count, old in former if place < count), key) for place in range(len(chains))]
        verify_order(keys, chains)
        opened = verify_checkpoint(database, key, chains)
        count = 0
        for own_key, chain, following in zip(keys, chains, [*chains[1:], None]):
            marks = {"checkpoint": opened[chain[0]]} if chain[0] in opened else {}
            if following:
                marks["next"] = following[3], following[4]
            count += verify_chain(database, {"end": own_key, "retention": key}, chain, marks)
        return count


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
