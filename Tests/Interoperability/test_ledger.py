"""The ledger, verified by a program that shares nothing with the service but the documented bytes."""

import hashlib
import json
import sqlite3
import subprocess

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import ledger
import offer_signer


def sign(configuration, account):
    outcome = subprocess.run(
        [
            offer_signer.EXECUTABLE, "sign", "--config", configuration, "--bundle-id", offer_signer.BUNDLE_ID,
            "--product-id", offer_signer.PRODUCT_ID, "--offer-id", offer_signer.OFFER_ID,
            "--application-username", account, "--skip-eligibility",
        ],
        env=offer_signer.ENVIRONMENT, capture_output=True, text=True, check=True,
    )
    return json.loads(outcome.stdout)["decisions"][0]["discount"]


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ledger")
    configuration = offer_signer.write_configuration(folder, offer_signer.openssl_p8(offer_signer.new_key()))
    return folder, [sign(configuration, f"reader-{number}") for number in range(3)]


def key(folder):
    return ledger.checkpoint_key(folder / "ledger.sqlite.checkpoint-key.p8")


def test_every_hash_and_signature_is_recomputed(signed):
    folder, discounts = signed
    assert ledger.verify(folder / "ledger.sqlite", key(folder)) == 3
    with sqlite3.connect(folder / "ledger.sqlite") as database:
        nonces = {row[0] for row in database.execute("SELECT nonce FROM ledger_records")}
        ends = database.execute("SELECT count(*) FROM ledger_statements WHERE kind = 'end'").fetchone()[0]
    assert nonces == {discount["nonce"] for discount in discounts}
    assert ends == 3


@pytest.mark.parametrize(
    "change",
    ["reason = 'lapsed'", "offer_id = CAST(offer_id AS BLOB)", "offer_id = offer_id || char(0)", "time = time + 0.5"],
)
def test_a_changed_record_is_found(signed, tmp_path, change):
    folder, _ = signed
    copy = tmp_path / "copy.sqlite"
    with sqlite3.connect(folder / "ledger.sqlite") as database, sqlite3.connect(copy) as other:
        database.backup(other)
        other.execute(f"UPDATE ledger_records SET {change}")
    with pytest.raises(ledger.Broken, match="record 1 was changed"):
        ledger.verify(copy, key(folder))


def retain(folder, copy, key):
    """Deletes the first record of the second chain, as retention does, with a statement of a key."""
    with sqlite3.connect(folder / "ledger.sqlite") as database, sqlite3.connect(copy) as other:
        database.backup(other)
        chain = other.execute(
            "SELECT writer, started_at, previous_writer, previous_number, previous_hash FROM ledger_chains "
            "ORDER BY started_at LIMIT 1 OFFSET 1"
        ).fetchone()
        beginning = hashlib.sha256(ledger.canonical("offer-signer ledger chain 1", *chain)).digest()
        number, record_hash = other.execute(
            "SELECT number, hash FROM ledger_records WHERE writer = ?", chain[:1]
        ).fetchone()
        values = chain[0], number, record_hash, 1_795_000_000_000
        signature = key.sign(
            ledger.canonical("offer-signer ledger retention 1", *values, beginning), ec.ECDSA(hashes.SHA256())
        )
        other.execute("INSERT INTO ledger_statements VALUES (?, 'retention', ?, ?, ?, ?)", [*values, signature])
        other.execute("DELETE FROM ledger_records WHERE writer = ?", chain[:1])


def test_the_records_after_a_deletion_are_verified(signed, tmp_path):
    folder, _ = signed
    key_file = folder / "ledger.sqlite.checkpoint-key.p8"
    retain(folder, tmp_path / "copy.sqlite", serialization.load_pem_private_key(key_file.read_bytes(), None))
    assert ledger.verify(tmp_path / "copy.sqlite", key(folder)) == 2


def test_a_deletion_that_another_key_signed_is_found(signed, tmp_path):
    folder, _ = signed
    retain(folder, tmp_path / "copy.sqlite", ec.generate_private_key(ec.SECP256R1()))
    with pytest.raises(ledger.Broken, match="the retention at record 1 is not by the checkpoint key"):
        ledger.verify(tmp_path / "copy.sqlite", key(folder))


def test_changes_of_the_checkpoint_key_are_verified(tmp_path):
    configuration = offer_signer.write_configuration(tmp_path, offer_signer.openssl_p8(offer_signer.new_key()))
    file = tmp_path / "ledger.sqlite"
    for number in range(3):
        sign(configuration, f"reader-{number}")
        if number < 2:
            command = [offer_signer.EXECUTABLE, "ledger", "rotate-checkpoint-key", "--config", configuration]
            subprocess.run(command, env=offer_signer.ENVIRONMENT, check=True)
    assert ledger.verify(file, key(tmp_path)) == 3
    for sql, found in [
        ("UPDATE ledger_key_changes SET time = time + 1 WHERE number = 1", "change 1 of the checkpoint key is not signed"),
        ("DELETE FROM ledger_key_changes WHERE number = 1", "is missing beside change 2"),
        ("DELETE FROM ledger_key_changes WHERE number = 2", "is missing beside change 1"),
        ("DELETE FROM ledger_key_changes", "its beginning is not by the checkpoint key"),
    ]:
        copy = tmp_path / "copy.sqlite"
        copy.unlink(missing_ok=True)
        with sqlite3.connect(file) as database, sqlite3.connect(copy) as other:
            database.backup(other)
            other.execute(sql)
        with pytest.raises(ledger.Broken, match=found):
            ledger.verify(copy, key(tmp_path))


# What somebody with the file, and without the key, may do to it; {second} is the second of three chains.
ATTACKS = [
    "DELETE FROM ledger_checkpoints",
    "DELETE FROM ledger_statements",
    "DELETE FROM ledger_statements WHERE writer = '{second}'",
    "DELETE FROM ledger_statements; DELETE FROM ledger_checkpoints",
    "UPDATE ledger_checkpoints SET chains = 2; DELETE FROM ledger_chains WHERE writer = '{third}'; "
    "DELETE FROM ledger_records WHERE writer = '{third}'; DELETE FROM ledger_statements WHERE writer = '{third}'",
    "DELETE FROM ledger_chains WHERE writer = '{second}'; DELETE FROM ledger_records WHERE writer = '{second}'; "
    "DELETE FROM ledger_statements WHERE writer = '{second}'",
    "UPDATE ledger_chains SET started_at = started_at + 1 WHERE writer = '{second}'",
    "UPDATE ledger_statements SET time = time + 1 WHERE writer = '{second}'",
    "DELETE FROM ledger_records WHERE writer = '{second}'",
    "INSERT INTO ledger_chains SELECT 'ffffffffffffffff', started_at + 1, writer, 1, previous_hash, signature "
    "FROM ledger_chains WHERE writer = '{third}'",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_missing_signature_is_found(signed, tmp_path, attack):
    folder, _ = signed
    copy = tmp_path / "copy.sqlite"
    with sqlite3.connect(folder / "ledger.sqlite") as database, sqlite3.connect(copy) as other:
        database.backup(other)
        _, second, third = [
            row[0] for row in other.execute("SELECT writer FROM ledger_chains ORDER BY started_at").fetchall()
        ]
        other.executescript(attack.format(second=second, third=third))
    with pytest.raises(ledger.Broken):
        ledger.verify(copy, key(folder))
    shown = subprocess.run(
        [
            offer_signer.EXECUTABLE, "ledger", "verify", "--config", folder / "offer-signer.yaml",
            "--ledger-url", f"sqlite:{copy}", "--ledger-digest-key-file", folder / "ledger.sqlite.digest-key",
            "--ledger-checkpoint-key-file", folder / "ledger.sqlite.checkpoint-key.p8",
        ],
        env=offer_signer.ENVIRONMENT, capture_output=True, text=True, check=False,
    )
    assert shown.returncode == 1, shown.stdout + shown.stderr
    assert "broken: " in shown.stderr


@pytest.mark.parametrize(
    "sql, found",
    [
        ("INSERT INTO ledger_records SELECT 'zz', number, {} FROM ledger_records LIMIT 1", "chain zz is not there"),
        ("INSERT INTO ledger_records SELECT writer, 0, {} FROM ledger_records LIMIT 1", "record 0 does not belong"),
        ("DELETE FROM ledger_chains", "is not there, though ledger_records has rows of it"),
    ],
)
def test_a_record_where_no_chain_leads_to_is_found(signed, tmp_path, sql, found):
    folder, _ = signed
    copy = tmp_path / "copy.sqlite"
    with sqlite3.connect(folder / "ledger.sqlite") as database, sqlite3.connect(copy) as other:
        database.backup(other)
        columns = [row[1] for row in other.execute("PRAGMA table_info(ledger_records)")]
        other.execute(sql.format(", ".join(columns[2:])))
    with pytest.raises(ledger.Broken, match=found):
        ledger.verify(copy, key(folder))
