#!/usr/bin/env bash
# Linux 6.13 and glibc 2.43: a mapping that /proc/PID/maps shows as readable and writable can begin with pages that nobody
# can read.
#
# Since 6.13 madvise(MADV_GUARD_INSTALL) puts guard pages into a mapping without dividing it, and glibc 2.43 makes the guard
# of every thread's stack so. What reads a mapping of /proc/PID/mem from its start, and takes an error for its end, as
# scanners of memory do, gets nothing of any thread's stack, and no sign that something is missing.

# Seen 2026-11-28 with Linux 6.18 (the call that glibc 2.43 makes, on a mapping of its own):
#| pages with these rights in one mapping: rw-p
#| read from the start: Input/output error
#| read from the second page: 12288 bytes
#| read all from before the guard page: 4096 bytes, and not one more

# shellcheck source=findings/run.sh
source "$(dirname "${BASH_SOURCE[0]}")/run.sh"

cat >look.py <<'PYTHON'
import ctypes, os

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
page, readable, private, guard = 4096, 3, 0x22, 102
# A hole before and after it, so that it is a mapping of its own.
start = libc.mmap(None, 8 * page, 0, private, -1, 0) + 2 * page
libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(4 * page), readable)
assert libc.madvise(start, page, guard) == 0, "this kernel knows no guard pages within a mapping"
with open("/proc/self/maps") as maps:
    rights = {line.split()[1] for line in maps if line.startswith(f"{start:x}-{start + 4 * page:x} ")}
print("pages with these rights in one mapping:", *rights)
memory = os.open("/proc/self/mem", os.O_RDONLY)
try:
    print("read from the start:", len(os.pread(memory, 4 * page, start)), "bytes")
except OSError as error:
    print("read from the start:", error.strerror)
print("read from the second page:", len(os.pread(memory, 3 * page, start + page)), "bytes")
assert libc.madvise(start + 2 * page, page, guard) == 0
print("read all from before the guard page:", len(os.pread(memory, 3 * page, start + page)), "bytes, and not one more")
PYTHON

python3 look.py | compare
