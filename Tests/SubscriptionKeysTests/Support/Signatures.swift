import Synchronization

/// Collects signatures from many threads.
final class Signatures: Sendable {
    private let list = Mutex<[(message: [UInt8], signature: [UInt8])]>([])

    var all: [(message: [UInt8], signature: [UInt8])] { list.withLock { $0 } }

    func add(_ signature: [UInt8]?, over message: [UInt8]) {
        guard let signature else { return }
        list.withLock { $0.append((message, signature)) }
    }
}
