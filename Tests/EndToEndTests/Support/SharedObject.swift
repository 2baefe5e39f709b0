import ChildProcess
import Foundation

/// A small library in C that a test builds, for another program to load.
enum SharedObject {
    /// Builds a library, and returns its path.
    static func build(_ source: String, named name: String, in directory: TemporaryDirectory) throws -> String {
        try directory.write(name + ".c", source)
        let arguments = ["-shared", "-fPIC", "-O1", "-o", directory.path(name), directory.path(name + ".c")]
        let outcome = try Executable.run(
            ["-c", #"for c in cc clang gcc; do command -v "$c" >/dev/null && exec "$c" "$@"; done; exit 127"#, "cc"]
                + arguments,
            of: "/bin/sh"
        )
        guard outcome.status == 0 else { throw Failure(text: "cannot build \(name): \(outcome.errors)") }
        return directory.path(name)
    }

    /// An allocator that gives nothing back: whatever was left uncleansed in freed memory stays there for good.
    static let neverFrees = """
        #define _GNU_SOURCE
        #include <malloc.h>
        #include <stdlib.h>
        #include <string.h>
        void free(void *block) { (void)block; }
        void *realloc(void *block, size_t size) {
            void *moved = malloc(size);
            if (block != NULL && moved != NULL) {
                size_t held = malloc_usable_size(block);
                memcpy(moved, block, held < size ? held : size);
            }
            return moved;
        }
        """

    /// What signs something else than the program asks for.
    static let wrongSignatures = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <string.h>
        int EVP_PKEY_sign(void *context, unsigned char *signature, size_t *length, const unsigned char *digest, size_t size) {
            int (*sign)(void *, unsigned char *, size_t *, const unsigned char *, size_t);
            *(void **)&sign = dlsym(RTLD_NEXT, "EVP_PKEY_sign");
            unsigned char other[64] = {0};
            memcpy(other, digest, size < sizeof other ? size : sizeof other);
            other[0] ^= 1;
            return sign(context, signature, length, other, size);
        }
        """

    /// What makes the lookup of a host's name take two seconds, but for the first twenty lookups.
    static let lateNames = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <netdb.h>
        #include <stdatomic.h>
        #include <unistd.h>
        int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
            static _Atomic int lookups;
            int (*lookUp)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
            *(void **)&lookUp = dlsym(RTLD_NEXT, "getaddrinfo");
            if (lookups++ >= 20) sleep(2);
            return lookUp(host, service, hints, found);
        }
        """

    /// What notes in a file on which stack, by an address in it, the program has OpenSSL sign.
    static func notingStacks(in file: String) -> String {
        """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <unistd.h>
        int EVP_PKEY_sign(void *context, unsigned char *signature, size_t *length, const unsigned char *digest, size_t size) {
            static int (*sign)(void *, unsigned char *, size_t *, const unsigned char *, size_t);
            if (!sign) *(void **)&sign = dlsym(RTLD_NEXT, "EVP_PKEY_sign");
            char line[17] = {[16] = '\\n'};
            unsigned long here = (unsigned long)line;
            for (int i = 0; i < 16; i++) line[i] = "0123456789abcdef"[here >> (60 - 4 * i) & 15];
            int notes = open("\(file)", O_CREAT | O_WRONLY | O_APPEND, 0600);
            if (notes < 0 || write(notes, line, sizeof line) != sizeof line) return 0;
            close(notes);
            return sign(context, signature, length, digest, size);
        }
        """
    }

    /// A library that leaves a file behind wherever it is loaded.
    static func leavingMark(_ file: String) -> String {
        """
        #include <fcntl.h>
        #include <unistd.h>
        __attribute__((constructor)) static void loaded(void) { close(open("\(file)", O_CREAT | O_WRONLY, 0600)); }
        """
    }

    /// The clock of the day, moved by as many seconds as a file says at the moment.
    ///
    /// Nothing of the C library is called but what asks the kernel: a sanitizer asks for the time before it has started.
    static func clock(movedBy file: String) -> String {
        """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *time) {
            if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
            if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return 0;
            char text[32] = {0};
            int file = syscall(SYS_openat, AT_FDCWD, "\(file)", O_RDONLY | O_CLOEXEC);
            if (file >= 0) {
                syscall(SYS_read, file, text, sizeof text - 1);
                syscall(SYS_close, file);
            }
            long seconds = 0;
            for (char *digit = text + (text[0] == '-'); *digit >= '0' && *digit <= '9'; digit++)
                seconds = 10 * seconds + (*digit - '0');
            time->tv_sec += text[0] == '-' ? -seconds : seconds;
            return 0;
        }
        """
    }
}

extension Installation {
    /// Writes an openssl.cnf that names a module of its own, at `%` in its section; returns the file that this would make.
    func writeOpenSSLConfiguration(_ kind: String, _ section: String) throws -> String {
        let mark = directory.path("loaded")
        let module = try SharedObject.build(SharedObject.leavingMark(mark), named: "foreign.so", in: directory)
        try directory.write(
            "openssl.cnf",
            """
            openssl_conf = main
            [main]
            \(kind) = list
            [list]
            foreign = foreign_section
            [foreign_section]
            \(section.replacing("%", with: module))

            """
        )
        return mark
    }
}
