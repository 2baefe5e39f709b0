/// An iOS 6 style transaction receipt: a property list in NeXT's text form, with another one in Base64 inside.
struct OldReceipt {
    /// The transaction that it is about.
    let transactionId: String?
    /// The app's bundle identifier (`bid`); `nil` where it is not said.
    let bundleId: String?

    /// Reads a receipt.
    ///
    /// - Parameter bytes: The receipt. Anything without a `purchase-info` gives `nil`.
    init?(_ bytes: [UInt8]) {
        guard let info = Self.value(of: "purchase-info", in: bytes[...]),
            let purchase = Base64.decode(String(decoding: info, as: UTF8.self))
        else { return nil }
        transactionId = Self.value(of: "transaction-id", in: purchase[...]).map { String(decoding: $0, as: UTF8.self) }
        bundleId = Self.value(of: "bid", in: purchase[...]).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The value of an entry `"name" = "value";`.
    private static func value(of name: String, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let quote = UInt8(ascii: "\"")
        var rest = text
        // Names and values alike are quoted; a name is what an equals sign follows.
        while let start = rest.firstIndex(of: quote) {
            rest = rest[(start + 1)...]
            guard let end = rest.firstIndex(of: quote) else { return nil }
            let quoted = rest[..<end]
            rest = rest[(end + 1)...].drop(while: isWhiteSpace)
            guard quoted.elementsEqual(name.utf8), rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: isWhiteSpace)
            guard rest.first == quote else { return nil }
            rest = rest.dropFirst()
            guard let valueEnd = rest.firstIndex(of: quote) else { return nil }
            return rest[..<valueEnd]
        }
        return nil
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
