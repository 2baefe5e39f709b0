/// The places of the parts of an EC P-256 key within the DER of its PKCS#8 file.
///
/// ```
/// PrivateKeyInfo ::= SEQUENCE {              -- RFC 5958 §2
///   version     INTEGER (0 or 1),
///   algorithm   SEQUENCE { id-ecPublicKey, secp256r1 },   -- RFC 5480 §2.1.1
///   privateKey  OCTET STRING {               -- holds the DER of an ECPrivateKey, RFC 5915 §3
///     SEQUENCE {
///       version     INTEGER (1),
///       privateKey  OCTET STRING,            -- 32 bytes; some tools leave zeros in front out, or add one
///       parameters  [0] secp256r1 OPTIONAL,  -- Apple writes it, OpenSSL does not
///       publicKey   [1] BIT STRING OPTIONAL  -- 04 x y, or 02 x or 03 x
///   }},
///   publicKey   [1] BIT STRING OPTIONAL      -- in version 1
/// }
/// ```
///
/// Nothing else is accepted, neither attributes nor bytes left over: a signing key has no use for them.
struct PrivateKeyInfo: Equatable {
    /// The scalar: 1 to 33 bytes, big-endian.
    let scalar: Range<Int>
    /// The public point, when the file holds one: 65 bytes, `04 x y`, or compressed 33 (SEC 1 §2.3.3).
    let publicPoint: Range<Int>?

    /// Finds the parts, as ranges: nothing of the DER is copied.
    init(parsing der: Span<UInt8>) throws(KeyError) {
        var file = DERReader(der.indices)
        var info = DERReader(try file.next(.sequence, in: der, named: "outer SEQUENCE"))
        let version = try info.next(.integer, in: der, named: "version")
        try Self.requireP256(try info.next(.sequence, in: der, named: "algorithm"), in: der)
        let isSecond = Self.holds(version, [1], in: der)
        if !isSecond { try Self.require(version, holds: [0], in: der, named: "version") }
        var wrapper = DERReader(try info.next(.octetString, in: der, named: "privateKey"))
        var outerPoint: Range<Int>?
        if isSecond, info.isNext(.publicKey, in: der) {
            outerPoint = try Self.point(try info.next(.publicKey, in: der, named: "publicKey"), in: der)
        }
        try Self.requireEnd(of: info)
        try Self.requireEnd(of: file)

        var key = DERReader(try wrapper.next(.sequence, in: der, named: "ECPrivateKey"))
        try Self.requireEnd(of: wrapper)
        try Self.require(key.next(.integer, in: der, named: "EC version"), holds: [1], in: der, named: "EC version")
        scalar = try key.next(.octetString, in: der, named: "scalar")
        guard (1...33).contains(scalar.count), scalar.count < 33 || der[scalar.lowerBound] == 0 else {
            throw KeyError(.malformedDER, "has a scalar of \(scalar.count) bytes, where P-256 has 32")
        }
        if key.isNext(.context0, in: der) {
            var parameters = DERReader(try key.next(.context0, in: der, named: "parameters"))
            if parameters.isNext(.sequence, in: der) { throw Self.explicitParameters }
            let curve = try parameters.next(.objectIdentifier, in: der, named: "parameters")
            try Self.require(curve, holds: Self.p256, in: der, named: "parameters")
            try Self.requireEnd(of: parameters)
        }
        let innerPoint = key.isNext(.context1, in: der) ? try Self.point(of: &key, in: der) : nil
        try Self.requireEnd(of: key)
        if let innerPoint, let outerPoint,
            innerPoint.count != outerPoint.count || zip(innerPoint, outerPoint).contains(where: { der[$0] != der[$1] })
        {
            throw KeyError(.foreignPublicPoint, "holds two public points")
        }
        publicPoint = innerPoint ?? outerPoint
    }

    private static func point(of key: inout DERReader, in der: Span<UInt8>) throws(KeyError) -> Range<Int> {
        var wrapper = DERReader(try key.next(.context1, in: der, named: "publicKey"))
        let bits = try wrapper.next(.bitString, in: der, named: "publicKey")
        try requireEnd(of: wrapper)
        return try point(bits, in: der)
    }

    /// The point of a BIT STRING, which begins with the number of unused bits.
    private static func point(_ bits: Range<Int>, in der: Span<UInt8>) throws(KeyError) -> Range<Int> {
        guard bits.count > 1, der[bits.lowerBound] == 0,
            bits.count == 66 && der[bits.lowerBound + 1] == 0x04
                || bits.count == 34 && (0x02...0x03).contains(der[bits.lowerBound + 1])
        else {
            throw KeyError(.malformedDER, "has a public point that is neither 65 bytes, 04 x y, nor compressed")
        }
        return bits.dropFirst()
    }

    /// A curve may be given by its numbers, of which it would have to be proved that they are those of P-256.
    private static var explicitParameters: KeyError {
        KeyError(
            .explicitParameters,
            "describes its curve by numbers (explicit parameters), and not by the name of P-256",
            conversion: .openssl
        )
    }

    /// Requires an EC key on P-256, by the two identifiers of the AlgorithmIdentifier.
    private static func requireP256(_ range: Range<Int>, in der: Span<UInt8>) throws(KeyError) {
        var reader = DERReader(range)
        let algorithm = try reader.next(.objectIdentifier, in: der, named: "algorithm")
        guard holds(algorithm, ecPublicKey, in: der) else {
            throw KeyError(.otherAlgorithm, "holds a private key of another algorithm, such as RSA or Ed25519")
        }
        if reader.isNext(.sequence, in: der) { throw explicitParameters }
        guard reader.isNext(.objectIdentifier, in: der),
            holds(try reader.next(.objectIdentifier, in: der, named: "curve"), p256, in: der)
        else { throw KeyError(.otherCurve, "holds an EC private key on another curve") }
        try requireEnd(of: reader)
    }

    /// id-ecPublicKey, 1.2.840.10045.2.1 (RFC 5480 §2.1.1), as DER content bytes.
    private static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// secp256r1, 1.2.840.10045.3.1.7 (RFC 5480 §2.1.1.1), as DER content bytes: P-256.
    private static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    private static func holds(_ range: Range<Int>, _ expected: [UInt8], in der: Span<UInt8>) -> Bool {
        range.count == expected.count && zip(range, expected).allSatisfy { der[$0] == $1 }
    }

    private static func require(
        _ range: Range<Int>,
        holds expected: [UInt8],
        in der: Span<UInt8>,
        named name: String
    ) throws(KeyError) {
        guard holds(range, expected, in: der) else {
            throw KeyError(.malformedDER, "has an unexpected value of \(name)")
        }
    }

    private static func requireEnd(of reader: DERReader) throws(KeyError) {
        guard reader.isAtEnd else { throw KeyError(.malformedDER, "has more in it than a P-256 key has") }
    }
}
