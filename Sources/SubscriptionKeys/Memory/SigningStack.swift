import CLinux
import COpenSSL
import CSigningMemory
import Glibc
import Synchronization

/// The stack on which a thread has OpenSSL sign, and above it the pool from which OpenSSL allocates meanwhile: like the
/// memory of keys it is locked, and secret if the kernel has that.
///
/// While OpenSSL signs, its stack holds the signature's secret number; from this number and the signature anybody can
/// compute the private key (SEC 1 §4.1.3). Its allocations hold the terms of the signature, and the private number
/// itself, which it hashes to draw the secret number. Each thread makes its own stack and pool with its first
/// signature, and frees them at its end.
package enum SigningStack {
    /// The size of one with its pool, in bytes.
    ///
    /// On the stack, OpenSSL's signing takes four kilobytes, and a signal's frame up to eleven (AMX).
    static let size = 32 << 10
    /// The size of the pool in bytes: OpenSSL's signing takes two and a half kilobytes.
    private static let poolSize = 12 << 10
    /// The size of the stack alone, in bytes.
    static let depth = size - poolSize

    /// Why a thread signs on its ordinary stack, which is cleansed after each signature; `nil` if no thread does.
    package static var whyOrdinary: String? { reason.withLock { $0 } }

    /// ``whyOrdinary``, where something can be done about it: only on x86-64 a thread can have a stack.
    package static var warning: String? {
        copenssl_changes_stacks() == 1 ? whyOrdinary.map { "signatures are computed in ordinary memory: \($0)" } : nil
    }

    /// Makes a stack for each thread that may sign beside this one, and frees them: a limit that is too low for them is known
    /// before they sign.
    package static func tryRoom() {
        let made = unsafe (0..<mostThreads).map { _ in unsafe map() }
        unsafe made.forEach { if let stack = unsafe $0 { unsafe unmap(stack) } }
    }

    /// How many threads may sign beside the one that starts the service: event loops, as many of Swift's own, and a spare one.
    private static let mostThreads = 2 * sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 1

    /// The bytes that all of them take.
    static var mostBytes: Int { (mostThreads + 1) * (size + page) }

    /// A warning that a pool had no room for what OpenSSL allocated while it signed; `nil` if all of it had room.
    package static var poolShortage: String? {
        let missed = csigning_missed()
        guard missed > 0 else { return nil }
        return "OpenSSL allocated more memory while it signed than its pool of \(poolSize) bytes has room for: "
            + "\(missed) blocks were in ordinary memory, where a part of a key may be left. Use the release of OpenSSL 3 "
            + "that the system's packages have, and report this one's version (openssl version)."
    }

    private static let reason = Mutex<String?>(nil)

    /// The value of a thread without a stack: no address of anything.
    @unsafe private static var none: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: 1) }

    /// Where each thread's is found, by its upper end.
    private static let ownKey: pthread_key_t? = {
        var key = pthread_key_t()
        let isMade = unsafe pthread_key_create(&key) { stack in
            if let stack = unsafe stack, unsafe stack != SigningStack.none { unsafe SigningStack.unmap(stack) }
        }
        return isMade == 0 ? key : nil
    }()

    /// The upper end of this thread's; `nil` where it signs on its ordinary stack.
    @unsafe static func ofThisThread() -> UnsafeMutableRawPointer? {
        guard let ownKey else {
            recordReason("the process has no room for another value of its threads")
            return nil
        }
        if let known = unsafe pthread_getspecific(ownKey) { return unsafe known == none ? nil : known }
        let made = unsafe isWarm && isRandomnessThere ? map() : nil
        guard unsafe pthread_setspecific(ownKey, made ?? none) == 0 else {
            recordReason("a thread has no room for it")
            if let made = unsafe made { unsafe unmap(made) }
            return nil
        }
        return unsafe made
    }

    /// The pool above a stack.
    @unsafe static func pool(of stack: UnsafeMutableRawPointer) -> OpaquePointer { OpaquePointer(stack) }

    /// How many allocations the pool of this thread has taken; `nil` if it has none.
    static var allocations: Int? {
        guard let stack = unsafe ofThisThread() else { return nil }
        return unsafe csigning_pool_taken(pool(of: stack))
    }

    /// The memory that OpenSSL keeps for good with the first signature of the process is in no thread's pool.
    private static let isWarm = {
        let isWarm = copenssl_warm_up() == 1
        if !isWarm { recordReason("OpenSSL does not sign with a key of its own making") }
        return isWarm
    }()

    /// OpenSSL's memory for the thread is not, either: its random generator is made with the first draw.
    private static var isRandomnessThere: Bool {
        var byte: UInt8 = 0
        return unsafe RAND_priv_bytes(&byte, 1) == 1
    }

    private static let page = Int(getpagesize())

    @unsafe private static func map() -> UnsafeMutableRawPointer? {
        guard copenssl_changes_stacks() == 1 else {
            recordReason("only on x86-64 a thread can have one")
            return nil
        }
        let length = size + page
        let isSecret = SecureHeap.isSecret
        guard let start = unsafe isSecret ? SecretMemory.map(size: length) : clinux_map_private(length) else {
            let reason = unsafe String(cString: strerror(errno))
            let kind = isSecret ? "secret" : "locked"
            let fix = KeyError.higherLimit(beside: SecureHeap.arenaSize)
            recordReason("the system gives no \(kind) memory: \(reason); \(fix)")
            return nil
        }
        // A stack that grows too deep is stopped; a process that is forked off has none of it.
        guard unsafe mprotect(start, page, PROT_NONE) == 0, unsafe madvise(start, length, MADV_DONTFORK) == 0 else {
            unsafe munmap(start, length)
            recordReason("the system does not protect it: \(unsafe String(cString: strerror(errno)))")
            return nil
        }
        let stack = unsafe start + length - poolSize
        guard unsafe csigning_pool_make(stack, poolSize) != nil else {
            unsafe munmap(start, length)
            recordReason("more threads sign than have pools")
            return nil
        }
        return unsafe stack
    }

    @unsafe private static func unmap(_ stack: UnsafeMutableRawPointer) {
        let start = unsafe stack + poolSize - size
        unsafe explicit_bzero(start, depth)
        // What OpenSSL still has in the pool, it has to find there.
        guard unsafe csigning_pool_end(pool(of: stack)) else { return }
        unsafe munmap(start - page, size + page)
    }

    /// Records why a thread signs in ordinary memory; the first reason is reported.
    static func recordReason(_ text: String) {
        reason.withLock { $0 = $0 ?? text }
    }
}
