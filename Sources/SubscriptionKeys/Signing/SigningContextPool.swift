import Glibc
import Synchronization

/// The signing contexts of one key: as many as threads ever signed at the same time.
///
/// It belongs to the key, not to threads, so that a key that is removed is gone from idle threads, too. It has several
/// shelves: a thread mostly finds the context on its own that it used last, in its processor's cache, and waits for nobody.
final class SigningContextPool: Sendable {
    /// Idle contexts, the one that was used last at the end.
    private final class Shelf: Sendable {
        let contexts = Mutex<[SigningContext]>([])
    }

    private let key: P256Key
    private let shelves = (0..<16).map { _ in Shelf() }

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
        if let context = shelf.contexts.withLock({ $0.popLast() }) { return context }
        return try SigningContext(key: key)
    }

    /// Takes a context back for others to use.
    ///
    /// - Parameter context: One that this pool handed out, and that has not failed. One that has is let go instead.
    func giveBack(_ context: SigningContext) {
        shelf.contexts.withLock { $0.append(context) }
    }

    /// The current thread's shelf; some threads may share one.
    private var shelf: Shelf {
        // Identifiers of threads are addresses at even distances: multiplied by 2^64 divided by the golden ratio, their
        // first digits are spread well (Knuth, The Art of Computer Programming, volume 3, section 6.4).
        shelves[Int(truncatingIfNeeded: (UInt64(pthread_self()) &* 0x9E37_79B9_7F4A_7C15) >> 60) % shelves.count]
    }
}
