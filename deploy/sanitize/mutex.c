// What the thread sanitizer cannot see of Swift's `Mutex` on Linux, told to it.
//
// The sanitizer knows that one access comes after another by the atomic operations that it sees. Those of a mutex that is
// free are compiled into our code, with its instrumentation. When threads have to wait for one another, the operations are
// those of libswiftSynchronization, which comes without: all that is done under the lock then looks like a race. This
// stands before the library's three functions, calls them, and says what they did.
//
// Linked into every executable of a build with the thread sanitizer: see deploy/sanitize.sh.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Swift's way of calling: `self` has a register of its own.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Names as the compiler makes them of the methods of Synchronization._MutexHandle.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

// Weak, as a program that is linked without the sanitizer does not have them.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

SWIFT void offer_signer_lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void offer_signer_unlock_slow(SELF) __asm__(UNLOCK);
SWIFT bool offer_signer_try_lock_slow(SELF) __asm__(TRY_LOCK);

// The library's own function of this name: looked up each time, which costs little beside the waiting.
static void *theirs(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) {
        fprintf(stderr, "deploy/sanitize/mutex.c: this Swift has no %s\n", name);
        abort();
    }
    return function;
}

SWIFT void offer_signer_lock_slow(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))theirs(LOCK))(thread, self);
    if (__tsan_acquire != NULL) __tsan_acquire(self);
}

SWIFT void offer_signer_unlock_slow(SELF) {
    // Before the lock is let go: the next one to have it may be running before the call returns.
    if (__tsan_release != NULL) __tsan_release(self);
    ((SWIFT void (*)(SELF))theirs(UNLOCK))(self);
}

SWIFT bool offer_signer_try_lock_slow(SELF) {
    bool locked = ((SWIFT bool (*)(SELF))theirs(TRY_LOCK))(self);
    if (locked && __tsan_acquire != NULL) __tsan_acquire(self);
    return locked;
}
