// A layer over SQLite's files ("VFS shim") that writes the log (WAL) in pieces of many pages.
//
// SQLite writes each page of a commit to the log with two calls, one for 24 bytes and one for the page. For small commits
// these calls are a fifth of what a record of the ledger costs. The layer keeps what is written to the log in memory as
// long as it goes on where it ended, and writes it at once.
//
// Why nothing is lost by it (names are those of SQLite's wal.c):
//
// - With `synchronous=FULL`, sqlite3WalFrames() syncs the log after it wrote a commit's pages, and before it puts them into
//   the index by which they are found (walIndexAppend(), walIndexWriteHdr()). Here xSync writes what is in memory, and only
//   then syncs. So no page that anybody can find, in this process or another, is in memory alone.
// - A write that fails when xSync makes it is told by xSync, and sqlite3WalFrames() takes an error of xSync as it takes one
//   of xWrite: it returns it and puts nothing into the index; the commit fails and is rolled back. The next one writes
//   where this one began. Until the lock of writers is given back each write and sync fails with the first error: what
//   was lost from memory cannot be passed over.
// - Pages of a transaction that is not committed yet are read by its own connection alone: xRead writes first.
// - When a transaction is rolled back, its pages may still be in memory, and another process may write to the log next, at
//   the same place. So they are written before the lock of writers is given back: as if there were no layer.
// - A log that is padded to whole sectors is written on after the sync; that is not done where SQLite takes it for granted
//   that an interrupted write leaves the bytes around it alone (SQLITE_IOCAP_POWERSAFE_OVERWRITE). Elsewhere nothing is
//   gathered.
//
// It also watches the length of the log, for all connections: where somebody cut it short, a commit would be written after
// a hole, and a checkpoint would bring the hole into the database file. So whoever takes the lock for either finds out
// first whether the log has all the pages that its index speaks of. They are told so by SQLITE_IOERR_DATA, which SQLite
// itself never uses, and passes on as it is.
//
// Only connections that ask for it gather; for all other files, and all other calls, the layer passes on what it gets.

#include "CSQLite.h"

#include <sqlite3.h>
#include <string.h>

// Not 128 KiB or more: SQLite's own call would write less at once, and take the rest for a full disk.
#define CAPACITY (96 * 1024)

// Opcodes from 100 on are free.
#define GATHER_LOG_WRITES 0x4C57

// The first of the locks in the log's index: who holds it may write to the log.
#define LOCK_OF_WRITERS 0
// The second: who holds it may bring the log's pages into the database file.
#define LOCK_OF_CHECKPOINTS 1

// The log's index begins with two copies of a header of 48 bytes (https://www.sqlite.org/walformat.html, 2.1), in the
// machine's order of bytes.
#define INDEX_HEADER 48
#define INDEX_IS_MADE 12
#define INDEX_PAGE_SIZE 14
#define INDEX_PAGES 16
// What the log has before its first page, and before each.
#define LOG_HEADER 32
#define PAGE_HEADER 24

typedef struct Log Log;

// A database file, which has the locks. The file of the layer below comes after it in memory.
typedef struct {
    sqlite3_file base;
    Log *log;     // its log, while that is open
    int gathers;  // whether its connection asked for it
    volatile unsigned char *index;  // the beginning of its log's index, while that is there
} Main;

// Its log.
struct Log {
    sqlite3_file base;
    Main *main;            // the database file; NULL once that is closed
    unsigned char *bytes;  // what is not written yet: CAPACITY bytes, or NULL before the first
    int count;
    sqlite3_int64 start;   // where it goes
    int failure;           // why it could not be written
};

// What a file of the layer is, whichever.
typedef union {
    Main main;
    Log log;
} File;

static sqlite3_vfs layer;

static sqlite3_vfs *below(void) { return layer.pAppData; }

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((File *)file + 1); }

#define REAL(file, call, ...) real(file)->pMethods->call(real(file), ##__VA_ARGS__)

// Writes what is in memory.
static int write_out(Log *log) {
    if (log->failure) return log->failure;
    if (log->count == 0) return SQLITE_OK;
    log->failure = REAL(&log->base, xWrite, log->bytes, log->count, log->start);
    log->count = 0;
    return log->failure;
}

// MARK: The log

static int log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 place) {
    Log *log = (Log *)file;
    if (log->failure) return log->failure;
    if (log->main && log->main->gathers && count <= CAPACITY) {
        if (!log->bytes) log->bytes = sqlite3_malloc(CAPACITY);
        if (log->bytes) {
            if (log->count && (place != log->start + log->count || log->count + count > CAPACITY)) {
                int result = write_out(log);
                if (result) return result;
            }
            if (log->count == 0) log->start = place;
            memcpy(log->bytes + log->count, bytes, count);
            log->count += count;
            return SQLITE_OK;
        }
    }
    int result = write_out(log);
    return result ? result : REAL(file, xWrite, bytes, count, place);
}

static int log_sync(sqlite3_file *file, int flags) {
    int result = write_out((Log *)file);
    return result ? result : REAL(file, xSync, flags);
}

static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 place) {
    int result = write_out((Log *)file);
    if (!result) result = REAL(file, xRead, bytes, count, place);
    // No page of it is asked for that was not there.
    return result == SQLITE_IOERR_SHORT_READ ? SQLITE_IOERR_DATA : result;
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int result = write_out((Log *)file);
    return result ? result : REAL(file, xTruncate, size);
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
    int result = write_out((Log *)file);
    return result ? result : REAL(file, xFileSize, size);
}

static int log_close(sqlite3_file *file) {
    // Nothing is in memory: the lock of writers was given back before.
    Log *log = (Log *)file;
    if (log->main) log->main->log = NULL;
    sqlite3_free(log->bytes);
    return REAL(file, xClose);
}

// MARK: The database file

static int main_close(sqlite3_file *file) {
    Main *main = (Main *)file;
    if (main->log) main->log->main = NULL;
    return REAL(file, xClose);
}

static int main_control(sqlite3_file *file, int operation, void *argument) {
    if (operation != GATHER_LOG_WRITES) return REAL(file, xFileControl, operation, argument);
    if (!(REAL(file, xDeviceCharacteristics) & SQLITE_IOCAP_POWERSAFE_OVERWRITE)) return SQLITE_NOTFOUND;
    ((Main *)file)->gathers = 1;
    return SQLITE_OK;
}

// How long the log has to be at the least; 0 where its index does not say.
static sqlite3_int64 length_by_index(const Main *main) {
    unsigned char header[2 * INDEX_HEADER];
    if (!main->index) return 0;
    for (int place = 0; place < 2 * INDEX_HEADER; place++) header[place] = main->index[place];
    // Somebody is writing it, or was when it ended.
    if (memcmp(header, header + INDEX_HEADER, INDEX_HEADER) || !header[INDEX_IS_MADE]) return 0;
    unsigned short size;
    unsigned int pages;
    memcpy(&size, header + INDEX_PAGE_SIZE, sizeof size);
    memcpy(&pages, header + INDEX_PAGES, sizeof pages);
    // 64 KiB have no room in it, and are 1.
    sqlite3_int64 page = (size & 0xfe00) + ((size & 1) << 16);
    return pages ? LOG_HEADER + pages * (page + PAGE_HEADER) : 0;
}

// Whether the log has all that its index speaks of.
static int is_whole(const Main *main) {
    if (!main->log) return 1;
    for (;;) {
        sqlite3_int64 least = length_by_index(main);
        sqlite3_int64 length;
        // What is in memory is in no index yet.
        if (!least || REAL(&main->log->base, xFileSize, &length) || length >= least) return 1;
        // Another process may have begun the log again meanwhile.
        if (length_by_index(main) == least) return 0;
    }
}

static int main_shm_lock(sqlite3_file *file, int first, int count, int flags) {
    Log *log = ((Main *)file)->log;
    if ((flags & SQLITE_SHM_LOCK) && (flags & SQLITE_SHM_EXCLUSIVE) && count == 1 &&
        (first == LOCK_OF_WRITERS || first == LOCK_OF_CHECKPOINTS)) {
        int result = REAL(file, xShmLock, first, count, flags);
        if (result || is_whole((Main *)file)) return result;
        REAL(file, xShmLock, first, count, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
        return SQLITE_IOERR_DATA;
    }
    if (log && first == LOCK_OF_WRITERS && (flags & SQLITE_SHM_UNLOCK) && (flags & SQLITE_SHM_EXCLUSIVE)) {
        // Nobody waits for it: what was committed was synced.
        write_out(log);
        log->failure = SQLITE_OK;
    }
    return REAL(file, xShmLock, first, count, flags);
}

static int main_shm_map(sqlite3_file *file, int page, int size, int extends, void volatile **result) {
    int code = REAL(file, xShmMap, page, size, extends, result);
    if (page == 0 && code == SQLITE_OK) ((Main *)file)->index = *result;
    return code;
}

static int main_shm_unmap(sqlite3_file *file, int deletes) {
    ((Main *)file)->index = NULL;
    return REAL(file, xShmUnmap, deletes);
}

// MARK: What is passed on

static int pass_read(sqlite3_file *f, void *bytes, int count, sqlite3_int64 place) {
    return REAL(f, xRead, bytes, count, place);
}
static int pass_write(sqlite3_file *f, const void *bytes, int count, sqlite3_int64 place) {
    return REAL(f, xWrite, bytes, count, place);
}
static int pass_truncate(sqlite3_file *f, sqlite3_int64 size) { return REAL(f, xTruncate, size); }
static int pass_sync(sqlite3_file *f, int flags) { return REAL(f, xSync, flags); }
static int pass_size(sqlite3_file *f, sqlite3_int64 *size) { return REAL(f, xFileSize, size); }
static int pass_lock(sqlite3_file *f, int level) { return REAL(f, xLock, level); }
static int pass_unlock(sqlite3_file *f, int level) { return REAL(f, xUnlock, level); }
static int pass_is_reserved(sqlite3_file *f, int *result) { return REAL(f, xCheckReservedLock, result); }
static int pass_control(sqlite3_file *f, int operation, void *argument) { return REAL(f, xFileControl, operation, argument); }
static int pass_sector(sqlite3_file *f) { return REAL(f, xSectorSize); }
static int pass_device(sqlite3_file *f) { return REAL(f, xDeviceCharacteristics); }
static void pass_shm_barrier(sqlite3_file *f) { REAL(f, xShmBarrier); }
static int pass_fetch(sqlite3_file *f, sqlite3_int64 place, int count, void **result) {
    return REAL(f, xFetch, place, count, result);
}
static int pass_unfetch(sqlite3_file *f, sqlite3_int64 place, void *page) { return REAL(f, xUnfetch, place, page); }

static const sqlite3_io_methods main_methods = {
    .iVersion = 3, .xClose = main_close, .xRead = pass_read, .xWrite = pass_write, .xTruncate = pass_truncate,
    .xSync = pass_sync, .xFileSize = pass_size, .xLock = pass_lock, .xUnlock = pass_unlock,
    .xCheckReservedLock = pass_is_reserved, .xFileControl = main_control, .xSectorSize = pass_sector,
    .xDeviceCharacteristics = pass_device, .xShmMap = main_shm_map, .xShmLock = main_shm_lock,
    .xShmBarrier = pass_shm_barrier, .xShmUnmap = main_shm_unmap, .xFetch = pass_fetch, .xUnfetch = pass_unfetch,
};

// Nobody asks a log for shared memory.
static const sqlite3_io_methods log_methods = {
    .iVersion = 1, .xClose = log_close, .xRead = log_read, .xWrite = log_write, .xTruncate = log_truncate,
    .xSync = log_sync, .xFileSize = log_size, .xLock = pass_lock, .xUnlock = pass_unlock,
    .xCheckReservedLock = pass_is_reserved, .xFileControl = pass_control, .xSectorSize = pass_sector,
    .xDeviceCharacteristics = pass_device,
};

// MARK: The layer

static int layer_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_got) {
    (void)vfs;
    int is_log = (flags & SQLITE_OPEN_WAL) != 0;
    // All other files are what they are without the layer.
    if (!is_log && !(flags & SQLITE_OPEN_MAIN_DB)) return below()->xOpen(below(), name, file, flags, flags_got);
    memset(file, 0, sizeof(File));
    int result = below()->xOpen(below(), name, real(file), flags, flags_got);
    if (result) {
        // With methods, SQLite would close it; it is this layer that has to, as the documentation has it.
        if (real(file)->pMethods) REAL(file, xClose);
        return result;
    }
    if (is_log) {
        sqlite3_file *database = sqlite3_database_file_object(name);
        if (database && database->pMethods == &main_methods) {
            ((Log *)file)->main = (Main *)database;
            ((Main *)database)->log = (Log *)file;
        }
        file->pMethods = &log_methods;
    } else if (real(file)->pMethods->iVersion < 3) {
        // The methods below are fewer than this layer passes on.
        REAL(file, xClose);
        return SQLITE_CANTOPEN;
    } else {
        file->pMethods = &main_methods;
    }
    return SQLITE_OK;
}

static int layer_delete(sqlite3_vfs *v, const char *name, int syncs) {
    (void)v;
    return below()->xDelete(below(), name, syncs);
}
static int layer_access(sqlite3_vfs *v, const char *name, int flags, int *result) {
    (void)v;
    return below()->xAccess(below(), name, flags, result);
}
static int layer_full_name(sqlite3_vfs *v, const char *name, int size, char *result) {
    (void)v;
    return below()->xFullPathname(below(), name, size, result);
}
static void *layer_dl_open(sqlite3_vfs *v, const char *name) { (void)v; return below()->xDlOpen(below(), name); }
static void layer_dl_error(sqlite3_vfs *v, int size, char *text) { (void)v; below()->xDlError(below(), size, text); }
static void (*layer_dl_symbol(sqlite3_vfs *v, void *library, const char *name))(void) {
    (void)v;
    return below()->xDlSym(below(), library, name);
}
static void layer_dl_close(sqlite3_vfs *v, void *library) { (void)v; below()->xDlClose(below(), library); }
static int layer_random(sqlite3_vfs *v, int size, char *bytes) { (void)v; return below()->xRandomness(below(), size, bytes); }
static int layer_sleep(sqlite3_vfs *v, int microseconds) { (void)v; return below()->xSleep(below(), microseconds); }
static int layer_time(sqlite3_vfs *v, double *day) { (void)v; return below()->xCurrentTime(below(), day); }
static int layer_error(sqlite3_vfs *v, int size, char *text) { (void)v; return below()->xGetLastError(below(), size, text); }
static int layer_time_64(sqlite3_vfs *v, sqlite3_int64 *time) { (void)v; return below()->xCurrentTimeInt64(below(), time); }

bool csqlite_layer_files(void) {
    sqlite3_vfs *found = sqlite3_vfs_find(NULL);
    if (!found || found->iVersion < 2) return false;
    layer = (sqlite3_vfs){
        .iVersion = 2, .szOsFile = (int)sizeof(File) + found->szOsFile, .mxPathname = found->mxPathname,
        .zName = "offer-signer", .pAppData = found, .xOpen = layer_open, .xDelete = layer_delete,
        .xAccess = layer_access, .xFullPathname = layer_full_name, .xDlOpen = layer_dl_open,
        .xDlError = layer_dl_error, .xDlSym = layer_dl_symbol, .xDlClose = layer_dl_close,
        .xRandomness = layer_random, .xSleep = layer_sleep, .xCurrentTime = layer_time,
        .xGetLastError = layer_error, .xCurrentTimeInt64 = layer_time_64,
    };
    return sqlite3_vfs_register(&layer, 1) == SQLITE_OK;
}

bool csqlite_gather_log_writes(struct sqlite3 *database) {
    return sqlite3_file_control(database, "main", GATHER_LOG_WRITES, NULL) == SQLITE_OK;
}
