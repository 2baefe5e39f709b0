#!/usr/bin/env bash
# SQLite: `PRAGMA journal_mode = WAL` does not wait for a writer, whatever the busy timeout is.
#
# One would guess that it waits as every other statement does. It waits for a reader and for an exclusive lock, but where
# another connection is about to write it fails at once, as each of two that change the mode would wait for the other. So
# processes that start together on a new file see "database is locked" though all of them would wait for seconds:
# whoever changes the mode has to try again himself.

# Seen 2026-11-28 with SQLite 3.46.1 and 3.54.1:
#| 3.46.1: another connection has BEGIN IMMEDIATE: INSERT waits, then database is locked
#| 3.46.1: another connection has BEGIN IMMEDIATE: PRAGMA journal_mode = WAL does not wait, database is locked
#| 3.46.1: another connection has BEGIN EXCLUSIVE: PRAGMA journal_mode = WAL waits, then database is locked
#| 3.54.1: another connection has BEGIN IMMEDIATE: INSERT waits, then database is locked
#| 3.54.1: another connection has BEGIN IMMEDIATE: PRAGMA journal_mode = WAL does not wait, database is locked
#| 3.54.1: another connection has BEGIN EXCLUSIVE: PRAGMA journal_mode = WAL waits, then database is locked

# shellcheck source=findings/run.sh
source "$(dirname "${BASH_SOURCE[0]}")/run.sh"

cat >look.py <<'PYTHON'
import apsw, sys

waits = []

def busy(count):
    waits.append(count)
    return count < 3

for begin, statement in [
    ("BEGIN IMMEDIATE", "INSERT INTO t VALUES (1)"),
    ("BEGIN IMMEDIATE", "PRAGMA journal_mode = WAL"),
    ("BEGIN EXCLUSIVE", "PRAGMA journal_mode = WAL"),
]:
    path = f"{apsw.sqlite_lib_version()}-{begin}-{len(statement)}.db"
    first, second = apsw.Connection(path), apsw.Connection(path)
    first.execute("CREATE TABLE t (x)")
    first.execute(begin)
    second.set_busy_handler(busy)
    waits.clear()
    try:
        second.execute(statement).fetchall()
        said = "works"
    except apsw.BusyError as error:
        said = str(error).removeprefix("BusyError: ")
    words = "waits, then" if waits else "does not wait,"
    print(f"{apsw.sqlite_lib_version()}: another connection has {begin}: {statement.split(' INTO')[0]} {words} {said}")
PYTHON

for version in 3.46.1.0 3.54.1.0; do
    python "apsw==$version"
    "$python" look.py
done | compare
