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

// Whether all of the log is in the file, so that the next commit begins the log anew: by the log's index, with mxFrame at
// byte 16 and nBackfill at byte 96 (https://www.sqlite.org/walformat.html, 2.1). Other processes write these numbers.
static inline int csqlite_log_is_copied(sqlite3_file *file) {
    void volatile *index = 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &index) != SQLITE_OK || index == 0) return 1;
    const unsigned *numbers = (const unsigned *)index;
    return __atomic_load_n(numbers + 24, __ATOMIC_ACQUIRE) >= __atomic_load_n(numbers + 4, __ATOMIC_ACQUIRE);
}

// Lets no code of the file's own run: no trigger, no view, and no function or virtual table from within its schema; and
// nobody writes the schema but by statements that make and change tables.
static inline int csqlite_harden(sqlite3 *database) {
    static const int settings[][2] = {
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_ENABLE_FKEY, 0},
    };
    for (int index = 0; index < 5; index++) {
        int code = sqlite3_db_config(database, settings[index][0], settings[index][1], (int *)0);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

#endif
