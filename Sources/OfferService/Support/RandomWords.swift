import Glibc
import Synchronization

/// Random words from the system's cryptographically secure generator, fetched thirty-two at a time: to ask the kernel for
/// each takes longer than to write a nonce.
///
/// Words wait in memory here: so they are for nonces and request identifiers, which leave in the clear anyway.
package struct RandomWords: RandomNumberGenerator, Sendable {
    private struct Stock {
        /// The 256 bytes that the kernel gives at once: getentropy(3).
        var words = InlineArray<32, UInt64>(repeating: 0)
        var left = 0
    }

    private static let stock = Mutex(Stock())

    private var second: UInt64?

    /// All generators take words from one stock.
    package init() {}

    package mutating func next() -> UInt64 {
        if let word = second {
            second = nil
            return word
        }
        // A nonce and an identifier are two words: taken together.
        let pair = Self.stock.withLock { stock -> (UInt64, UInt64)? in
            if stock.left == 0 {
                guard Self.fill(&stock.words) else { return nil }
                stock.left = stock.words.count
            }
            return (Self.popWord(from: &stock), Self.popWord(from: &stock))
        }
        guard let pair else { return UInt64.random(in: .min ... .max) }
        second = pair.1
        return pair.0
    }

    private static func popWord(from stock: inout Stock) -> UInt64 {
        stock.left -= 1
        // A word that is given out is erased.
        defer { stock.words[stock.left] = 0 }
        return stock.words[stock.left]
    }

    private static func fill(_ words: inout InlineArray<32, UInt64>) -> Bool {
        withUnsafeMutableBytes(of: &words) { bytes in
            bytes.baseAddress.map { getentropy($0, bytes.count) == 0 } ?? false
        }
    }
}
