/// The secure heap could not be set up.
///
/// No key can be loaded then.
public enum SecureHeapError: Error, Equatable, CustomStringConvertible {
    /// The size, in bytes, is not a power of two within ``SecureHeap/allowedSizes``.
    case invalidSize(Int)
    /// The system gave no memory for an arena of this size, in bytes.
    case unavailable(size: Int)
    /// The system gave the arena, of this size in bytes, but would not lock it: keys could reach the swap.
    case notLocked(size: Int)
    /// Somebody else in this process set the heap up first, so that nobody knows whether it is locked.
    case setUpElsewhere

    /// What to do where the system locks too little memory.
    static let higherLimit =
        "raise the limit of locked memory (systemd: LimitMEMLOCK=, Docker: --ulimit memlock=, shell: ulimit -l)"

    /// What is wrong and how to mend it.
    public var description: String {
        switch self {
        case .invalidSize(let size):
            let allowed = SecureHeap.allowedSizes
            return "a secure heap of \(size) bytes is not possible; expected is a power of two"
                + " from \(allowed.lowerBound) to \(allowed.upperBound) bytes"
        case .unavailable(let size):
            return "the system has no memory for a secure heap of \(size) bytes"
        case .notLocked(let size):
            return "the secure heap of \(size) bytes could not be locked into memory; \(Self.higherLimit)"
        case .setUpElsewhere:
            return "OpenSSL's secure heap was set up before SecureHeap.initialize: call that first"
        }
    }
}
