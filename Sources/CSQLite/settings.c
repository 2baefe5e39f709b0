#include "CSQLite.h"

#include <sqlite3.h>

bool csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK; }

void csqlite_keep_log(struct sqlite3 *database) { sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0); }
