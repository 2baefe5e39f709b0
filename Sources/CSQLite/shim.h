// What Storage sees of SQLite: the system's library, as it is.

#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// What Swift cannot import: a destructor that is the number -1, and a variable number of arguments.

static inline int csqlite_bind_text(sqlite3_stmt *statement, int place, const char *text, int count) {
    return sqlite3_bind_text(statement, place, text, count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, place, bytes, count, SQLITE_TRANSIENT);
}

// Lets SQLite take memory without a count of it, which has a lock of its own: before anything else is asked of SQLite.
static inline int csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// Leaves a connection's log as it is when it is closed as the last one: nothing of it is brought into the file, and it is
// not deleted.
static inline void csqlite_keep_log(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
