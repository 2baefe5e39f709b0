import SubscriptionKeys

extension BadKey {
    /// The order of P-256 (SEC 2 §2.4.2).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// Keys that were cut, changed or put together wrongly.
    static let damaged = [
        BadKey("no END line", .truncated, says: "no END line") { try TestKey().pem.dropLast(30) },
        BadKey("half an END line", .truncated, says: "END line that is cut") { try TestKey().pem.dropLast(8) },
        BadKey("END of another block", .truncated, says: "not that of its BEGIN line") {
            try text { $0.replacing("END PRIVATE", with: "END PUBLIC") }
        },
        BadKey("BEGIN alone", .notPEM, says: "damaged BEGIN line") { Array("-----BEGIN PRIVATE".utf8) },
        BadKey("nothing between the lines", .truncated, says: "incomplete Base64") { DER.pem([]) },
        BadKey("a missing Base64 character", .truncated, says: "incomplete Base64") {
            try text { $0.replacing("\nM", with: "\n") }
        },
        BadKey("a missing line", .truncated, says: "longer than the file") {
            try text { pem in
                let lines = pem.split(separator: "\n")
                return (lines.prefix(2) + lines.suffix(1)).joined(separator: "\n")
            }
        },
        BadKey("a foreign character", .malformedBase64, says: "not Base64") {
            try text { $0.replacing("\nM", with: "\n*") }
        },
        BadKey("padding in the middle", .malformedBase64, says: "not Base64") {
            try text { $0.replacing("\nM", with: "\n=") }
        },
        BadKey("DER cut short", .truncated, says: "longer than the file") { try DER.pem(TestKey().der.dropLast()) },
        BadKey("DER of one byte", .truncated, says: "cut short") { DER.pem([0x30]) },
        BadKey("DER and a byte", .malformedDER, says: "more in it") { try DER.pem(TestKey().der + [0]) },
        BadKey("DER that is no key", .malformedDER, says: "no algorithm") { DER.pem([0x30, 0x03, 0x02, 0x01, 0x00]) },
        BadKey("SEC 1 with the label of PKCS#8", .malformedDER, says: "algorithm is something else") {
            try DER.pem(Array(TestKey().der.dropFirst(29)))
        },
        BadKey("no DER of a key", .notPEM, says: "binary, and neither PEM nor a key in DER") {
            [0x30, 0x03, 0x02, 0x01, 0x80]
        },
        BadKey("no BEGIN line", .notPEM, says: "no BEGIN line") {
            try text { $0.split(separator: "\n").dropFirst().joined(separator: "\n") }
        },
        BadKey("a scalar of 33 bytes that is too large", .malformedDER, says: "scalar of 33 bytes") {
            let key = try TestKey()
            return pkcs8([1] + key.scalar, key.point)
        },
        BadKey("a scalar of no byte", .malformedDER, says: "scalar of 0 bytes") { try pkcs8([], TestKey().point) },
        BadKey("a compressed point of another half", .foreignPublicPoint, says: "of another key") {
            let key = try TestKey()
            return pkcs8(key.scalar, [0x03 - key.point[64] & 1] + key.point[1...32])
        },
        BadKey("a hybrid point", .malformedDER, says: "neither 65 bytes, 04 x y, nor compressed") {
            let key = try TestKey()
            return pkcs8(key.scalar, [0x06] + key.point.dropFirst())
        },
        BadKey("scalar zero", .scalarOutOfRange, says: "zero or beyond the order") {
            try pkcs8([UInt8](repeating: 0, count: 32), TestKey().point)
        },
        BadKey("scalar zero without a point", .scalarOutOfRange, says: "zero or beyond the order") {
            pkcs8([UInt8](repeating: 0, count: 32))
        },
        BadKey("scalar n", .scalarOutOfRange, says: "zero or beyond the order") { pkcs8(order) },
        BadKey("scalar 2^256 - 1", .scalarOutOfRange, says: "zero or beyond the order") {
            pkcs8([UInt8](repeating: 0xFF, count: 32))
        },
        BadKey("the point of another key", .foreignPublicPoint, says: "of another key") {
            try pkcs8(TestKey().scalar, TestKey().point)
        },
        BadKey("a point that is not on the curve", .foreignPublicPoint, says: "of another key") {
            let key = try TestKey()
            return pkcs8(key.scalar, key.point.dropLast() + [key.point[64] ^ 1])
        },
    ]

    private static func pkcs8(_ scalar: [UInt8], _ point: [UInt8]? = nil) -> [UInt8] {
        DER.pem(DER.pkcs8(scalar: scalar, point: point))
    }
}
