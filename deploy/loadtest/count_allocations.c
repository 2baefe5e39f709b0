/* Counts what a program allocates, to be put under it by LD_PRELOAD.
 *
 * The count is in a file of 8 bytes that is mapped: $COUNT_ALLOCATIONS/PID. It can be read while the program runs.
 * glibc's own functions do the work, so nothing is looked up and nothing is allocated here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_ulong unmapped;
static atomic_ulong *allocations = &unmapped;

__attribute__((constructor)) static void map_count(void) {
    const char *directory = getenv("COUNT_ALLOCATIONS");
    char path[4096];
    if (directory == NULL || snprintf(path, sizeof path, "%s/%d", directory, (int)getpid()) >= (int)sizeof path) return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof *allocations) != 0) return;
    void *mapped = mmap(NULL, sizeof *allocations, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) allocations = mapped;
}

static void count(void) { atomic_fetch_add_explicit(allocations, 1, memory_order_relaxed); }

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
    count();
    return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count();
    void *pointer = __libc_memalign(alignment, size);
    if (pointer == NULL) return ENOMEM;
    *result = pointer;
    return 0;
}
