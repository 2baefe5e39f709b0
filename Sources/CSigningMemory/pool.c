#define _GNU_SOURCE
#include "CSigningMemory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Blocks of 32, 64 … 2048 bytes, each with a header: a signature needs some forty, of two kilobytes together.
enum { SMALLEST = 32, CLASSES = 7, MOST_POOLS = 1024 };

struct block {
    struct block *next;
    size_t class;
    _Alignas(16) unsigned char bytes[];
};

struct csigning_pool {
    unsigned char *next;
    unsigned char *end;
    struct block *free[CLASSES];
    size_t in_use, taken, number;
};

// Where pools are, for memory that is freed by another thread than its pool's. They have one size: a start and an end that
// were looked up one after the other could be those of two pools, one of which has taken the place of the other meanwhile.
static _Atomic(struct csigning_pool *) pools[MOST_POOLS];
static atomic_size_t pool_size;
static atomic_size_t pool_count;
// Of all threads: those that signed may have ended.
static atomic_size_t missed;

// The pool of this thread, and whether it allocates in it now.
static _Thread_local struct csigning_pool *own;
static _Thread_local bool is_signing;

struct csigning_pool *csigning_pool_make(void *memory, size_t size) {
    size_t known = 0;
    if (!atomic_compare_exchange_strong(&pool_size, &known, size) && known != size) return NULL;
    struct csigning_pool *pool = memory;
    pool->next = (unsigned char *)(((uintptr_t)(pool + 1) + 15) & ~(uintptr_t)15);
    pool->end = (unsigned char *)memory + size;
    for (size_t number = 0; number < MOST_POOLS; number++) {
        struct csigning_pool *none = NULL;
        if (!atomic_compare_exchange_strong(&pools[number], &none, pool)) continue;
        pool->number = number;
        size_t count = atomic_load(&pool_count);
        while (count <= number && !atomic_compare_exchange_weak(&pool_count, &count, number + 1)) {
        }
        return pool;
    }
    return NULL;
}

bool csigning_pool_end(struct csigning_pool *pool) {
    if (own == pool) own = NULL;
    if (pool->in_use > 0) return false;
    atomic_store(&pools[pool->number], NULL);
    return true;
}

void csigning_enter(struct csigning_pool *pool) {
    if (pool == NULL) return;
    own = pool;
    is_signing = true;
}

void csigning_leave(void) { is_signing = false; }

size_t csigning_pool_taken(const struct csigning_pool *pool) { return pool->taken; }

size_t csigning_missed(void) { return atomic_load_explicit(&missed, memory_order_relaxed); }

static bool holds(const struct csigning_pool *pool, const void *memory) {
    return pool != NULL && (uintptr_t)memory > (uintptr_t)pool && (uintptr_t)memory < (uintptr_t)pool->end;
}

// Another thread's pool is never looked into, as it may be given back meanwhile.
static bool is_in_another_pool(const void *memory) {
    size_t count = atomic_load_explicit(&pool_count, memory_order_relaxed);
    size_t size = atomic_load_explicit(&pool_size, memory_order_relaxed);
    for (size_t number = 0; number < count; number++) {
        uintptr_t start = (uintptr_t)atomic_load_explicit(&pools[number], memory_order_relaxed);
        if (start != 0 && (uintptr_t)memory > start && (uintptr_t)memory - start < size) return true;
    }
    return false;
}

static struct block *block_of(void *memory) {
    return (struct block *)((unsigned char *)memory - offsetof(struct block, bytes));
}

static size_t size_of(const struct block *block) { return (size_t)SMALLEST << block->class; }

static void *take(struct csigning_pool *pool, size_t size) {
    size_t class = 0;
    while (class < CLASSES && ((size_t)SMALLEST << class) < size) class++;
    if (class == CLASSES) return NULL;
    struct block *block = pool->free[class];
    if (block != NULL) {
        pool->free[class] = block->next;
    } else {
        size_t whole = offsetof(struct block, bytes) + ((size_t)SMALLEST << class);
        if ((size_t)(pool->end - pool->next) < whole) return NULL;
        block = (struct block *)pool->next;
        pool->next += whole;
        block->class = class;
    }
    pool->in_use++;
    pool->taken++;
    return block->bytes;
}

void *csigning_malloc(size_t size, const char *file, int line) {
    (void)file, (void)line;
    if (size == 0) return NULL;
    if (is_signing) {
        void *memory = take(own, size);
        if (memory != NULL) return memory;
        atomic_fetch_add_explicit(&missed, 1, memory_order_relaxed);
    }
    return malloc(size);
}

void csigning_free(void *memory, const char *file, int line) {
    (void)file, (void)line;
    if (memory == NULL) return;
    if (holds(own, memory)) {
        struct block *block = block_of(memory);
        explicit_bzero(block->bytes, size_of(block));
        block->next = own->free[block->class];
        own->free[block->class] = block;
        own->in_use--;
    } else if (is_in_another_pool(memory)) {
        // Its pool may be in use by its thread: the block is lost to it, and what was in it to everybody.
        struct block *block = block_of(memory);
        explicit_bzero(block->bytes, size_of(block));
    } else {
        free(memory);
    }
}

void *csigning_realloc(void *memory, size_t size, const char *file, int line) {
    if (memory == NULL) return csigning_malloc(size, file, line);
    if (size == 0) {
        csigning_free(memory, file, line);
        return NULL;
    }
    if (!holds(own, memory) && !is_in_another_pool(memory)) return realloc(memory, size);
    size_t before = size_of(block_of(memory));
    void *larger = csigning_malloc(size, file, line);
    if (larger == NULL) return NULL;
    memcpy(larger, memory, before < size ? before : size);
    csigning_free(memory, file, line);
    return larger;
}
