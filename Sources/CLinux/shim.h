// The calls of Linux that Swift cannot make itself, as they take a variable number of arguments.

#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#ifndef MREMAP_MAYMOVE
#define MREMAP_MAYMOVE 1
#endif
#ifndef MREMAP_FIXED
#define MREMAP_FIXED 2
#endif
#ifndef MADV_DONTDUMP
#define MADV_DONTDUMP 16
#endif

// prctl(2): 0 when it is done, -1 and errno otherwise.
static inline int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L); }
static inline int clinux_forbid_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L); }

// setrlimit(2), for RLIMIT_CORE, hard and soft.
static inline int clinux_forbid_core_files(void) {
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none);
}

// memfd_secret(2): a descriptor, or -1 and errno.
static inline int clinux_memfd_secret(void) { return (int)syscall(SYS_memfd_secret, (unsigned int)O_CLOEXEC); }

// mremap(2) to the given place: the place, or MAP_FAILED and errno.
static inline int clinux_move(void *_Nonnull from, size_t size, void *_Nonnull to) {
    return syscall(SYS_mremap, from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == (long)to ? 0 : -1;
}

// mmap(2) of shared memory behind a descriptor, anywhere: its start, or NULL and errno.
static inline void *_Nullable clinux_map_shared(int descriptor, size_t size) {
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return start == MAP_FAILED ? NULL : start;
}

// Memory of this process alone, anywhere, locked and left out of dumps: its start, or NULL and errno.
static inline void *_Nullable clinux_map_private(size_t size) {
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    if (mlock(start, size) == 0 && madvise(start, size, MADV_DONTDUMP) == 0) return start;
    int number = errno;
    munmap(start, size);
    errno = number;
    return NULL;
}

// Ordinary memory at the given place, locked and left out of dumps: 0, or -1 and errno.
static inline int clinux_map_locked(void *_Nonnull start, size_t size) {
    if (mmap(start, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != start) return -1;
    return mlock(start, size) == 0 && madvise(start, size, MADV_DONTDUMP) == 0 ? 0 : -1;
}

#endif
