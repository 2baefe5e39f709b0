#!/usr/bin/env bash
# SQLite: Debian's library has no lookaside memory, takes the setting of it all the same, and says that it did.
#
# One would guess that a connection has 100 slots of 1200 bytes for its small allocations, as SQLite documents and as builds
# of others have, or at least that asking for slots fails where there cannot be any. Debian builds with
# SQLITE_OMIT_LOOKASIDE: each text that is bound with a copy, each cursor and each record that is made is a call of malloc,
# and sqlite3_db_config(SQLITE_DBCONFIG_LOOKASIDE) answers SQLITE_OK and changes nothing.

# Seen 2026-11-28 with Debian's libsqlite3-0 3.40.1-2+deb12u2 and SQLite 3.46.1 of apsw:
#| Debian's 3.40.1: compiled with OMIT_LOOKASIDE: True
#| Debian's 3.40.1: asking for 500 slots of 512 bytes: SQLITE_OK
#| Debian's 3.40.1: 1000 inserts took slots 0 times
#| apsw's 3.46.1: compiled with OMIT_LOOKASIDE: False
#| apsw's 3.46.1: 1000 inserts took slots more than 1000 times

# shellcheck source=findings/run.sh
source "$(dirname "${BASH_SOURCE[0]}")/run.sh"

debian libsqlite3-0=3.40.1-2+deb12u2
python apsw==3.46.1.0

cat >debian.py <<'PYTHON'
import ctypes, sys

sqlite = ctypes.CDLL(sys.argv[1])
sqlite.sqlite3_libversion.restype = ctypes.c_char_p
name = "Debian's " + sqlite.sqlite3_libversion().decode()
print(f"{name}: compiled with OMIT_LOOKASIDE: {bool(sqlite.sqlite3_compileoption_used(b'OMIT_LOOKASIDE'))}")
database = ctypes.c_void_p()
assert sqlite.sqlite3_open(b":memory:", ctypes.byref(database)) == 0
LOOKASIDE, HIT = 1001, 4
code = sqlite.sqlite3_db_config(database, LOOKASIDE, None, 512, 500)
print(f"{name}: asking for 500 slots of 512 bytes: {'SQLITE_OK' if code == 0 else code}")
assert sqlite.sqlite3_exec(database, b"CREATE TABLE t (x TEXT)", None, None, None) == 0
for number in range(1000):
    assert sqlite.sqlite3_exec(database, b"INSERT INTO t VALUES ('a text')", None, None, None) == 0
current, highest = ctypes.c_int(), ctypes.c_int()
assert sqlite.sqlite3_db_status(database, HIT, ctypes.byref(current), ctypes.byref(highest), 0) == 0
print(f"{name}: 1000 inserts took slots {highest.value} times")
PYTHON
cat >other.py <<'PYTHON'
import apsw

name = "apsw's " + apsw.sqlite_lib_version()
print(f"{name}: compiled with OMIT_LOOKASIDE: {'OMIT_LOOKASIDE' in apsw.compile_options}")
connection = apsw.Connection(":memory:")
connection.execute("CREATE TABLE t (x TEXT)")
for number in range(1000):
    connection.execute("INSERT INTO t VALUES ('a text')")
_, hits = connection.status(apsw.SQLITE_DBSTATUS_LOOKASIDE_HIT)
print(f"{name}: 1000 inserts took slots {'more than 1000' if hits > 1000 else hits} times")
PYTHON
{
    python3 debian.py "$(echo debian/usr/lib/*/libsqlite3.so.0)"
    "$python" other.py
} | compare
