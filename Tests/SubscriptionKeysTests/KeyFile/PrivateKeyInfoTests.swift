import Testing

@testable import SubscriptionKeys

/// The parser of PKCS#8 under damage: it never reads beyond its bounds, and never finds a key where none is.
struct PrivateKeyInfoTests {
    private static let scalar = [UInt8](repeating: 0x11, count: 32)
    private static let point = [0x04] + [UInt8](repeating: 0x22, count: 64)
    private static let shapes = [
        DER.pkcs8(scalar: scalar, point: point),
        DER.pkcs8(scalar: scalar, point: point, parameters: true),
        DER.pkcs8(scalar: scalar, point: nil),
    ]

    @Test("The three shapes have the lengths that Apple and OpenSSL write")
    func lengths() {
        #expect(Self.shapes.map(\.count) == [138, 150, 67])
    }

    @Test(arguments: shapes)
    func findsTheParts(der: [UInt8]) throws {
        let info = try PrivateKeyInfo(parsing: der.span)
        #expect(Array(der[info.scalar]) == Self.scalar)
        #expect(info.publicPoint.map { Array(der[$0]) } == (der.count == 67 ? nil : Self.point))
    }

    @Test("Cut anywhere, it is no key", arguments: shapes)
    func truncation(der: [UInt8]) {
        for length in der.indices {
            #expect(throws: KeyError.self) { try PrivateKeyInfo(parsing: Array(der.prefix(length)).span) }
        }
    }

    @Test("Every byte of the structure matters, and any value is survived", arguments: shapes)
    func everyByte(der: [UInt8]) throws {
        let info = try PrivateKeyInfo(parsing: der.span)
        for index in der.indices where !info.scalar.contains(index) {
            // The coordinates are for OpenSSL to judge.
            if let point = info.publicPoint, point.dropFirst().contains(index) { continue }
            // Versions 0 and 1 have the same parts.
            let isVersion = der[..<index].suffix(2) == [0x02, 0x01] && index < 8
            for value in UInt8.min...UInt8.max where value != der[index] && !(isVersion && value == 1) {
                var changed = der
                changed[index] = value
                if (try? PrivateKeyInfo(parsing: changed.span)) != nil {
                    Issue.record("accepted with \(value) as byte \(index)")
                }
            }
        }
    }

    @Test("Random bytes after a good beginning are read without a crash, and the ranges found lie within them")
    func randomTails() {
        for _ in 0..<20_000 {
            let der = Self.shapes[1]
            let kept = Int.random(in: 0..<der.count)
            let bytes = der.prefix(kept) + (0..<Int.random(in: 0...200)).map { _ in UInt8.random(in: .min ... .max) }
            guard let info = try? PrivateKeyInfo(parsing: Array(bytes).span) else { continue }
            #expect(info.scalar.upperBound <= bytes.count && (1...33).contains(info.scalar.count))
            #expect(info.publicPoint.map { $0.upperBound <= bytes.count && [33, 65].contains($0.count) } ?? true)
        }
    }
}
