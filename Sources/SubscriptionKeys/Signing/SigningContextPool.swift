import Synchronization

/// The signing contexts of one key: as many as threads ever signed at the same time.
///
/// It belongs to the key, not to threads, so that a key that is removed is gone from idle threads, too.
final class SigningContextPool: Sendable {
    private let key: P256Key
    private let idle = Mutex<[SigningContext]>([])

    /// Creates an empty pool, which grows as contexts are asked for.
    ///
    /// - Parameter key: A key with its private number. Kept.
    init(key: P256Key) {
        self.key = key
    }

    /// Hands out a context, which is the caller's alone until it gives it back.
    ///
    /// - Returns: The context given back last, which is still in the processor's cache, or a new one.
    /// - Throws: ``OpenSSLFailure`` when a new one cannot be set up.
    func take() throws(OpenSSLFailure) -> SigningContext {
        if let context = idle.withLock({ $0.popLast() }) { return context }
        return try SigningContext(key: key)
    }

    /// Takes a context back for others to use.
    ///
    /// - Parameter context: One that this pool handed out, and that has not failed. One that has is let go instead.
    func giveBack(_ context: SigningContext) {
        idle.withLock { $0.append(context) }
    }
}
