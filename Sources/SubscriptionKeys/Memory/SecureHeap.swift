import COpenSSL
import CSigningMemory
import Synchronization

/// The one place in the process where private key bytes may be: OpenSSL's secure heap.
///
/// It is an arena of a fixed size between two guard pages, locked into memory (never swapped) and left out of core dumps.
/// If the kernel offers it, the arena is secret memory, which not even root can read from outside.
/// Freed memory is cleansed first. The arena lives until the process ends.
package enum SecureHeap {
    /// The properties of the heap, once set up.
    package struct Status: Equatable, Sendable {
        /// In bytes.
        package let size: Int
        /// When false, warn: keys can reach the swap.
        package let isLocked: Bool
        /// Whether the arena is secret memory (memfd_secret(2)).
        package let isSecret: Bool
        /// Why the arena is not secret memory, for a log; nil when it is, or when nobody asked for it.
        package let whyNotSecret: String?
    }

    /// In bytes: it fits the smallest usual limit of locked memory, 64 KiB.
    package static let defaultSize = 64 << 10

    /// In bytes; powers of two only.
    package static let allowedSizes = (64 << 10)...(16 << 20)

    /// The smallest block that the heap hands out, in bytes: the length of a P-256 scalar.
    private static let smallestBlock = 32

    /// The room that keys leave, in bytes: 256 for each of 96 threads.
    ///
    /// A thread keeps its random generator in the heap, and cannot sign where there is no room for one.
    private static let reserve = 24 << 10

    private static let status = Mutex<Status?>(nil)

    /// Sets the heap up, of a power of two within ``allowedSizes``: before anything else touches OpenSSL.
    ///
    /// With `allowUnlocked` it goes on when the system refuses to lock the arena, and the caller has to warn; else the arena
    /// is given back then, and no key loads. Secret memory is used where the kernel has it.
    ///
    /// It also keeps OpenSSL from reading any `openssl.cnf`, now or later: the environment (`OPENSSL_CONF`)
    /// must not choose what code or which algorithms handle keys.
    /// Later calls change nothing and answer what the first one did. Safe from any thread.
    @discardableResult
    package static func initialize(
        size: Int = defaultSize,
        allowUnlocked: Bool = false,
        secret: Bool = true
    ) throws(KeyError) -> Status {
        try status.withLock { (status) throws(KeyError) in
            if let status {
                guard status.isLocked || allowUnlocked else { throw .heapNotLocked(size: status.size) }
                return status
            }
            let new = try setUp(size: size, allowUnlocked: allowUnlocked, secret: secret)
            status = new
            return new
        }
    }

    /// In bytes.
    static var arenaSize: Int { status.withLock { $0?.size ?? defaultSize } }

    static var isSecret: Bool { status.withLock { $0?.isSecret == true } }

    /// How many bytes of the arena are in use: keys, and the state of OpenSSL's random generators.
    package static var bytesInUse: Int {
        // Without a heap, CRYPTO_secure_used would use a lock that is not there.
        CRYPTO_secure_malloc_initialized() == 1 ? CRYPTO_secure_used() : 0
    }

    /// Requires that a key can be loaded and threads can sign with it.
    static func requireRoomForKey() throws(KeyError) {
        guard let size = status.withLock({ $0?.size }), bytesInUse > size - reserve else { return }
        throw KeyError(.secureHeap, "was not read, as the secure heap has no room for another key")
    }

    private static func setUp(size: Int, allowUnlocked: Bool, secret: Bool) throws(KeyError) -> Status {
        guard allowedSizes.contains(size), size.nonzeroBitCount == 1 else {
            throw KeyError(
                .heapSize,
                "a secure heap of \(size) bytes is not possible; expected is a power of two"
                    + " from \(allowedSizes.lowerBound) to \(allowedSizes.upperBound) bytes"
            )
        }
        // OpenSSL takes them before its first allocation only.
        if unsafe CRYPTO_set_mem_functions(csigning_malloc, csigning_realloc, csigning_free) == 0 {
            SigningStack.recordReason("OpenSSL was in use before its allocator could be set")
        }
        guard OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) == 1 else {
            throw .heapUnavailable(size: size)
        }
        guard CRYPTO_secure_malloc_initialized() == 0 else {
            throw KeyError(
                .heapSetUpElsewhere,
                "OpenSSL's secure heap was set up before SecureHeap.initialize: call that first"
            )
        }
        // 1: set up and locked. 2: set up, but some protection failed, which counts as "not locked".
        switch CRYPTO_secure_malloc_init(size, smallestBlock) {
        case 1:
            guard secret else { return Status(size: size, isLocked: true, isSecret: false, whyNotSecret: nil) }
            let reason = try SecretMemory.replaceArena(size: size)
            return Status(size: size, isLocked: true, isSecret: reason == nil, whyNotSecret: reason)
        case 2 where allowUnlocked:
            let reason = secret ? "the system does not lock memory for this process" : nil
            return Status(size: size, isLocked: false, isSecret: false, whyNotSecret: reason)
        case 2:
            CRYPTO_secure_malloc_done()
            throw .heapNotLocked(size: size)
        default:
            throw .heapUnavailable(size: size)
        }
    }
}

extension KeyError {
    /// What to do where the system locks too little memory for an arena of so many bytes, and the stacks beside it.
    static func higherLimit(beside arena: Int) -> String {
        let size = (arena + SigningStack.mostBytes) >> 10
        return
            "raise the limit of locked memory (systemd: LimitMEMLOCK=\(size)K, Docker: --ulimit memlock=\(size << 10), "
            + "shell: ulimit -l \(size))"
    }

    /// The system has no memory for an arena of this size, in bytes.
    static func heapUnavailable(size: Int) -> KeyError {
        KeyError(.heapUnavailable, "the system has no memory for a secure heap of \(size) bytes")
    }

    /// The system does not lock an arena of this size, in bytes.
    fileprivate static func heapNotLocked(size: Int) -> KeyError {
        KeyError(
            .heapNotLocked,
            "the secure heap of \(size) bytes could not be locked into memory; \(higherLimit(beside: size))"
        )
    }
}
