import CLinux
import COpenSSL
import Glibc
import Synchronization

/// The stack on which a thread has OpenSSL sign: memory like that of the keys, locked, and secret where the kernel has it.
///
/// While it signs, OpenSSL has the signature's secret number on its stack, and with the signature the private key follows
/// from it (SEC 1 §4.1.3). Each thread makes its own with its first signature, and gives it back at its end.
public enum SigningStack {
    /// The size of one in bytes: OpenSSL's signing takes four kilobytes, and a signal's frame up to eleven (AMX).
    static let size = 32 << 10

    /// Why a thread signs on its ordinary stack, which is cleansed after each signature; `nil` where none does.
    public static var whyOrdinary: String? { reason.withLock { $0 } }

    private static let reason = Mutex<String?>(nil)

    /// What a thread has that has none: no address of anything.
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
            note("the process has no room for another value of its threads")
            return nil
        }
        if let known = unsafe pthread_getspecific(ownKey) { return unsafe known == none ? nil : known }
        let made = unsafe map()
        guard unsafe pthread_setspecific(ownKey, made ?? none) == 0 else {
            note("a thread has no room for it")
            if let made = unsafe made { unsafe unmap(made) }
            return nil
        }
        return unsafe made
    }

    private static let page = Int(getpagesize())

    @unsafe private static func map() -> UnsafeMutableRawPointer? {
        guard copenssl_changes_stacks() == 1 else {
            note("only on x86-64 a thread can have one")
            return nil
        }
        let length = size + page
        let isSecret = SecureHeap.isSecret
        guard let start = unsafe isSecret ? SecretMemory.map(size: length) : clinux_map_private(length) else {
            let fault = unsafe String(cString: strerror(errno))
            note("the system gives no \(isSecret ? "secret" : "locked") memory: \(fault)")
            return nil
        }
        // Who goes too deep is stopped; a process that is forked off has none of it.
        guard unsafe mprotect(start, page, PROT_NONE) == 0, unsafe madvise(start, length, MADV_DONTFORK) == 0 else {
            unsafe munmap(start, length)
            note("the system does not protect it: \(unsafe String(cString: strerror(errno)))")
            return nil
        }
        return unsafe start + length
    }

    @unsafe private static func unmap(_ stack: UnsafeMutableRawPointer) {
        unsafe explicit_bzero(stack - size, size)
        unsafe munmap(stack - size - page, size + page)
    }

    private static func note(_ text: String) {
        reason.withLock { $0 = $0 ?? text }
    }
}
