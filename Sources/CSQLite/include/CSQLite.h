// What Swift cannot do with SQLite by itself.

#ifndef CSQLITE_H
#define CSQLITE_H

#include <stdbool.h>

struct sqlite3;

// sqlite3_config(SQLITE_CONFIG_MEMSTATUS), which takes a variable number of arguments. Not when SQLite is in use
// already.
bool csqlite_count_no_memory(void);

// Puts a layer over SQLite's files, for all connections that are opened from then on: see log_writes.c. Not where
// SQLite's own are older than it knows. To be called once.
bool csqlite_layer_files(void);

// Lets a connection write its log in pieces of many pages. Only for one whose PRAGMA synchronous is FULL, and stays so.
// Not where its files have no such layer, or are on what may lose the bytes around an interrupted write.
bool csqlite_gather_log_writes(struct sqlite3 *database);

// Leaves a connection's log as it is when it is closed as the last one: nothing of it is brought into the file, and it is
// not deleted. sqlite3_db_config() takes a variable number of arguments.
void csqlite_keep_log(struct sqlite3 *database);

#endif
