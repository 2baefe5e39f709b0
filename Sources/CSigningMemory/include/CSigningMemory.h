// Where libcrypto's own allocations are while it signs: a pool of each thread, in memory like that of the keys.
//
// To draw a signature's secret number, libcrypto hashes the private number in a buffer that it allocates, and it allocates
// the numbers of which the signature is made up: with any of them the private key follows. CRYPTO_set_mem_functions takes
// the three functions below; outside of a signature they are malloc, realloc and free.

#ifndef CSIGNING_MEMORY_H
#define CSIGNING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// A pool: it lies at the beginning of its own memory.
struct csigning_pool;

// Makes a pool of memory, which has to be zero and aligned to 16 bytes; NULL where the process has too many, or where the
// first one had another size.
struct csigning_pool *_Nullable csigning_pool_make(void *_Nonnull memory, size_t size);

// Ends a pool, whose memory may be given back then. False while something in it is in use: it has to stay for good.
bool csigning_pool_end(struct csigning_pool *_Nonnull pool);

// From here on the calling thread allocates in the pool, which no other thread uses.
void csigning_enter(struct csigning_pool *_Nullable pool);

// From here on the calling thread allocates as usual.
void csigning_leave(void);

// How many allocations a pool has taken.
size_t csigning_pool_taken(const struct csigning_pool *_Nonnull pool);

// How many allocations of the process the pools had no room for: they are in ordinary memory.
size_t csigning_missed(void);

// For CRYPTO_set_mem_functions. Memory freed in a pool is overwritten first.
void *_Nullable csigning_malloc(size_t size, const char *_Nullable file, int line);
void *_Nullable csigning_realloc(void *_Nullable memory, size_t size, const char *_Nullable file, int line);
void csigning_free(void *_Nullable memory, const char *_Nullable file, int line);

#endif
