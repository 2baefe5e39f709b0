import COpenSSL

/// A run of bytes in the secure heap, owned by this value: cleansed and freed when the value goes, also on a throw.
///
/// The bytes are lent to a closure as a span, which cannot outlive it. There is no way to copy them out as a whole.
@safe struct SecureBuffer: ~Copyable {
    private let base: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    /// How many bytes are in use, from the start.
    private(set) var count: Int

    /// Takes zeroed memory from the secure heap.
    ///
    /// - Parameter count: The size in bytes, above zero.
    /// - Throws: A ``KeyFault`` when the heap was not set up or is full. It never falls back to ordinary memory.
    init(count: Int) throws(KeyFault) {
        // Without a secure heap, OpenSSL would answer from the ordinary one.
        guard CRYPTO_secure_malloc_initialized() == 1 else {
            throw KeyFault(.secureHeap, "was not read, as the secure heap is not set up")
        }
        guard let memory = unsafe CRYPTO_secure_zalloc(count, #fileID, #line) else {
            throw KeyFault(.secureHeap, "was not read, as the secure heap has no room for \(count) bytes")
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

    /// Keeps the first bytes in use.
    ///
    /// The rest stays owned, and is cleansed with them.
    mutating func truncate(to count: Int) {
        self.count = max(0, min(count, self.count))
    }
}
