import CLinux
import COpenSSL
import Glibc

/// Memory that the kernel removes from its own mappings (memfd_secret(2), Linux 5.14).
///
/// Nobody else reads it, not even root through `/proc/PID/mem`. Like locked memory it is never swapped, and left out of
/// dumps.
enum SecretMemory {
    /// Replaces the pages of the secure heap's arena, which is not in use yet, by secret memory, or says why they stay in
    /// ordinary locked memory.
    ///
    /// After an error the arena has no memory at all any more: the process must not go on.
    ///
    /// OpenSSL has no call for it, but needs none: the heap hands out its whole arena as one allocation, whose pages are
    /// replaced while it is held. The guard pages around it stay. When the allocation is given back, the heap writes its
    /// list of free blocks into the new pages.
    static func replaceArena(size: Int) throws(KeyError) -> String? {
        let descriptor = clinux_memfd_secret()
        guard descriptor >= 0 else { return reason("memfd_secret") }
        defer { close(descriptor) }
        guard ftruncate(descriptor, size) == 0 else { return reason("ftruncate") }

        guard let arena = unsafe CRYPTO_secure_malloc(size, #fileID, #line) else { return "the heap is in use" }
        defer { unsafe CRYPTO_secure_free(arena, #fileID, #line) }
        guard unsafe CRYPTO_secure_actual_size(arena) == size, UInt(bitPattern: arena) % UInt(getpagesize()) == 0
        else { return "the heap's arena is not made of whole pages" }

        // Secret memory counts as locked memory: the old pages make room within the limit first.
        unsafe munlock(arena, size)
        guard let pages = unsafe clinux_map_shared(descriptor, size) else {
            let reason = reason("mmap")
            guard unsafe mlock(arena, size) == 0 else { throw .heapUnavailable(size: size) }
            return reason
        }
        // Every page is there before a key needs it.
        unsafe memset(pages, 0, size)
        guard unsafe clinux_move(pages, size, arena) == 0 else {
            let reason = reason("mremap")
            unsafe munmap(pages, size)
            guard unsafe clinux_map_locked(arena, size) == 0 else { throw .heapUnavailable(size: size) }
            return reason
        }
        return nil
    }

    /// Makes secret memory anywhere, of whole pages; `nil` where the kernel gives none.
    static func map(size: Int) -> UnsafeMutableRawPointer? {
        let descriptor = clinux_memfd_secret()
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard ftruncate(descriptor, size) == 0 else { return nil }
        guard let pages = unsafe clinux_map_shared(descriptor, size) else { return nil }
        // Every page is there before it is needed.
        unsafe memset(pages, 0, size)
        return unsafe pages
    }

    private static func reason(_ call: String) -> String {
        unsafe "\(call): \(String(cString: strerror(errno)))"
    }
}

/// A run of bytes in the secure heap, owned by this value: cleansed and freed when the value goes, also on a throw.
///
/// The bytes are lent to a closure as a span, which cannot outlive it. There is no way to copy them out as a whole.
@safe struct SecureBuffer: ~Copyable {
    private let base: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    /// How many bytes are in use, from the start.
    private(set) var count: Int

    /// Takes zeroed memory from the secure heap, never from ordinary memory.
    init(count: Int) throws(KeyError) {
        // Without a secure heap, OpenSSL would answer from the ordinary one.
        guard CRYPTO_secure_malloc_initialized() == 1 else {
            throw KeyError(.secureHeap, "was not read, as the secure heap is not set up")
        }
        guard let memory = unsafe CRYPTO_secure_zalloc(count, #fileID, #line) else {
            throw KeyError(.secureHeap, "was not read, as the secure heap has no room for \(count) bytes")
        }
        unsafe self.base = memory.bindMemory(to: UInt8.self, capacity: count)
        self.capacity = count
        self.count = count
    }

    deinit {
        unsafe CRYPTO_secure_clear_free(base, capacity, #fileID, #line)
    }

    /// Lends the bytes for reading.
    func withBytes<Result, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The memory is ours and initialised up to `capacity`; `count` never exceeds it.
        try body(unsafe Span(_unsafeStart: base, count: count))
    }

    /// Lends the bytes for writing.
    mutating func withMutableBytes<Result, Failure>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var span = unsafe MutableSpan(_unsafeStart: base, count: count)
        return try body(&span)
    }

    /// Keeps the first bytes in use; the rest stays owned, and is cleansed with them.
    mutating func truncate(to count: Int) {
        self.count = max(0, min(count, self.count))
    }
}
