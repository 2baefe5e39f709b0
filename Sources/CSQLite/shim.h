// The call of SQLite that Swift cannot make itself, as it takes a variable number of arguments.

#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// sqlite3_config(SQLITE_CONFIG_MEMSTATUS): SQLITE_OK, or SQLITE_MISUSE when SQLite is in use already.
static inline int csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
