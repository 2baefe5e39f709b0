/// A signature of P-256 as r and s side by side.
struct RawSignature {
    /// 64 bytes.
    let bytes: [UInt8]

    private static let numberLength = 32

    /// Reads `ECDSA-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3), as the service's own key made it.
    ///
    /// - Parameter der: The DER. Anything else gives `nil`.
    init?(der: [UInt8]) {
        // Two numbers of 33 bytes are 70 bytes with their headers: no length here takes more than one byte.
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der[2...]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * Self.numberLength)
        for _ in 0..<2 {
            guard let number = Self.nextNumber(in: &rest) else { return nil }
            bytes.append(contentsOf: repeatElement(0, count: Self.numberLength - number.count))
            bytes.append(contentsOf: number)
        }
        guard rest.isEmpty else { return nil }
        self.bytes = bytes
    }

    /// Takes the next INTEGER, without the zero that keeps it positive.
    private static func nextNumber(in rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == 0x02, let length = rest.popFirst(), (1...33).contains(length), length <= rest.count
        else { return nil }
        let number = rest.prefix(Int(length)).drop { $0 == 0 }
        rest = rest.dropFirst(Int(length))
        return number.count <= numberLength ? number : nil
    }
}
