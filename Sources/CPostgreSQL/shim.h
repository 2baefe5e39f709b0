// What Storage sees of PostgreSQL: libpq's API (PostgreSQL 14 and later, for its pipeline mode).

#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

// Macros that Swift cannot import: the fields of what a server says.
static const int CPOSTGRESQL_SQLSTATE = PG_DIAG_SQLSTATE;
static const int CPOSTGRESQL_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME;
static const int CPOSTGRESQL_TABLE = PG_DIAG_TABLE_NAME;
static const int CPOSTGRESQL_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED;

#endif
