// Shows that a database stays sound under Sources/CSQLite/log_writes.c: processes write to it at once, roll back, commit more
// than their caches hold, make checkpoints, open it anew and are killed, while a reader looks at every moment.
//
//   log_writes FILE ROUNDS      exit status 0 when all was sound
//
// In each commit a counter says how many rows there are: who sees another number sees half a commit, or one that is lost.

#include "CSQLite.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITERS 3

static const char *path;
static atomic_bool is_over;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    _exit(1);
}

static sqlite3 *open_database(bool gathers) {
    sqlite3 *database;
    if (sqlite3_open(path, &database) != SQLITE_OK) fail("open", sqlite3_errmsg(database));
    sqlite3_busy_timeout(database, 60000);
    // A cache of a few pages, so that some are written before the commit.
    const char *settings =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = 20; PRAGMA wal_autocheckpoint = 50";
    if (sqlite3_exec(database, settings, NULL, NULL, NULL) != SQLITE_OK) fail("settings", sqlite3_errmsg(database));
    if (gathers && !csqlite_gather_log_writes(database)) fail("gather", "not here");
    return database;
}

static void run(sqlite3 *database, const char *sql) {
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) fail(sql, sqlite3_errmsg(database));
}

static void expect(sqlite3 *database, const char *question, const char *answer) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, question, -1, &statement, NULL) != SQLITE_OK) fail(question, sqlite3_errmsg(database));
    if (sqlite3_step(statement) != SQLITE_ROW) fail(question, sqlite3_errmsg(database));
    const char *found = (const char *)sqlite3_column_text(statement, 0);
    if (!found || strcmp(found, answer) != 0) fail(question, found ? found : "nothing");
    sqlite3_finalize(statement);
}

static const char rows_are_counted[] = "SELECT (SELECT count(*) FROM rows) = (SELECT number FROM counter)";

// Writes until it is killed.
static void write_on(unsigned seed) {
    sqlite3 *database = open_database(true);
    for (;;) {
        char sql[200];
        int rows = 1 + rand_r(&seed) % 120;
        bool has_savepoint = rand_r(&seed) % 4 == 0;
        run(database, "BEGIN IMMEDIATE");
        for (int row = 0; row < rows; row++) {
            if (has_savepoint && row == rows / 2) run(database, "SAVEPOINT half");
            int key = rand_r(&seed), size = rand_r(&seed) % 3000;
            snprintf(sql, sizeof sql, "INSERT INTO rows (key, value) VALUES (%d, randomblob(%d))", key, size);
            run(database, sql);
            // A page that is in the log already is written again.
            if (rand_r(&seed) % 5 == 0) run(database, "UPDATE rows SET value = NULL WHERE id = (SELECT max(id) FROM rows)");
        }
        if (has_savepoint && rand_r(&seed) % 2) run(database, "ROLLBACK TO half");
        run(database, "DELETE FROM rows WHERE id < (SELECT max(id) FROM rows) - 2000");
        run(database, "UPDATE counter SET number = (SELECT count(*) FROM rows)");
        run(database, rand_r(&seed) % 3 == 0 ? "ROLLBACK" : "COMMIT");
        // Others, who look now and then whether they may, get their turn.
        usleep(rand_r(&seed) % 5000);
        if (rand_r(&seed) % 50 == 0) sqlite3_wal_checkpoint_v2(database, NULL, rand_r(&seed) % 4, NULL, NULL);
        if (rand_r(&seed) % 80 == 0) {
            sqlite3_close(database);
            database = open_database(true);
        }
    }
}

static void *read_on(void *nothing) {
    sqlite3 *database = open_database(false);
    while (!is_over) {
        expect(database, rows_are_counted, "1");
        usleep(500);
    }
    sqlite3_close(database);
    return nothing;
}

static pid_t start_writer(unsigned seed) {
    pid_t writer = fork();
    if (writer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        write_on(seed);
    }
    if (writer < 0) fail("fork", "no process");
    return writer;
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    path = arguments[1];
    if (!csqlite_layer_files()) fail("layer", "not here");
    sqlite3 *database = open_database(false);
    run(database, "CREATE TABLE rows (id INTEGER PRIMARY KEY, key, value); CREATE INDEX keys ON rows (key)");
    run(database, "CREATE TABLE counter (number); INSERT INTO counter VALUES (0)");
    sqlite3_close(database);
    unsigned seed = 1;
    for (int round = 0; round < atoi(arguments[2]); round++) {
        // A process with SQLite open may not fork: so the reader comes after the writers.
        pid_t writers[WRITERS];
        for (int index = 0; index < WRITERS; index++) writers[index] = start_writer(seed++);
        pthread_t reader;
        is_over = false;
        if (pthread_create(&reader, NULL, read_on, NULL) != 0) fail("pthread_create", "no thread");
        for (int index = 0; index < WRITERS; index++) {
            usleep(200000 + rand_r(&seed) % 300000);
            int status;
            kill(writers[index], SIGKILL);
            waitpid(writers[index], &status, 0);
            if (!WIFSIGNALED(status)) fail("a writer", "has ended by itself");
        }
        is_over = true;
        pthread_join(reader, NULL);
        database = open_database(false);
        expect(database, "PRAGMA integrity_check", "ok");
        expect(database, rows_are_counted, "1");
        sqlite3_close(database);
    }
    return 0;
}
