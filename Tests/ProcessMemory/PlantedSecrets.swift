import Foundation

/// Secrets that a process has where others are searched for: a search that misses one of them is blind.
///
/// In front of the mapping, and at the end of the thread's stack, is a page that cannot be read, as glibc 2.43 has one
/// within each thread's stack.
package enum PlantedSecrets: Int, CaseIterable {
    case stack, heap, mapping

    /// What is there, made up byte by byte: no file has it.
    package var pattern: [UInt8] { (0..<Self.length).map(byte) }

    private static let length = 16
    /// `MADV_GUARD_INSTALL` of Linux 6.13 and later; before, the page can be read like the others.
    private static let guardInstall: Int32 = 102

    private func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: (index + 1) * (37 + 16 * rawValue)) ^ 0xA5 }

    private func fill(_ place: UnsafeMutableRawBufferPointer) {
        for index in 0..<Self.length { place[index] = byte(index) }
    }

    /// Plants them in this process, for good.
    package static func plant() {
        heap.fill(.allocate(byteCount: length, alignment: 1))
        let page = Int(getpagesize())
        let pages = mmap(nil, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        madvise(pages, page, guardInstall)
        mapping.fill(UnsafeMutableRawBufferPointer(start: pages.map { $0 + 2 * page }, count: length))
        let isPlanted = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            // So little is on the stack.
            withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { place in
                stack.fill(place)
                isPlanted.signal()
                while place[0] != 0 { pause() }
            }
        }
        isPlanted.wait()
    }

    /// The same as a library in C whose constructor plants them in the process that loads it.
    package static let library = """
        #define _GNU_SOURCE
        #include <pthread.h>
        #include <signal.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <unistd.h>
        enum { page = 4096, guard = 102 };
        static unsigned char *kept;
        static void plant(volatile unsigned char *place, int which) {
            for (int i = 0; i < 16; i++) place[i] = (unsigned char)((i + 1) * (37 + 16 * which)) ^ 0xA5;
        }
        static void *hold(void *planted) {
            volatile unsigned char secret[16];
            pthread_attr_t attributes;
            void *stack;
            size_t size;
            plant(secret, 0);
            if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
                pthread_attr_getstack(&attributes, &stack, &size);
                madvise(stack, page, guard);
            }
            *(volatile int *)planted = 1;
            while (secret[0]) pause();
            return NULL;
        }
        __attribute__((constructor)) static void plantAll(void) {
            static volatile int planted;
            pthread_t thread;
            sigset_t all, before;
            plant(kept = malloc(16), 1);
            unsigned char *pages = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            madvise(pages, page, guard);
            plant(pages + 2 * page, 2);
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before);
            pthread_create(&thread, NULL, hold, (void *)&planted);
            pthread_sigmask(SIG_SETMASK, &before, NULL);
            while (!planted) usleep(100);
        }
        """
}

extension ProcessMemory {
    /// Throws where the search does not find what was planted in the process.
    package func findPlantedSecrets() throws {
        let found = try counts(of: PlantedSecrets.allCases.map { [$0.pattern] }, locked: false)
        for (secret, count) in zip(PlantedSecrets.allCases, found) where count == 0 {
            throw ProcessMemoryError(description: "the search is blind: it missed the secret planted in the \(secret)")
        }
    }
}
