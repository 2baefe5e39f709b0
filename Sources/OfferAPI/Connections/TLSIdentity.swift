import NIOSSL
import Synchronization

/// The certificate and key that a listener shows, until a reload gives it others.
public final class TLSIdentity: Sendable {
    private let current: Mutex<NIOSSLContext>

    /// Creates the identity.
    ///
    /// - Parameter files: What was read of its files.
    public init(_ files: TLSFiles) {
        current = Mutex(files.context)
    }

    /// Shows another certificate from the next connection on.
    ///
    /// - Parameter files: What was read of its files.
    public func replace(by files: TLSFiles) {
        current.withLock { $0 = files.context }
    }

    var context: NIOSSLContext { current.withLock { $0 } }
}
