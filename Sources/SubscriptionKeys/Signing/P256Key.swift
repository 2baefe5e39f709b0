import COpenSSL

/// A P-256 key within OpenSSL: an `EVP_PKEY`, public or with its private number, which is in the secure heap then.
///
/// Owned by this object and freed with it. It does not change once built.
// `@unchecked Sendable`: OpenSSL allows an EVP_PKEY that nobody changes to be used by many threads at once
// (openssl-threads(7)); each thread brings a context of its own.
@safe final class P256Key: @unchecked Sendable {
    /// The `EVP_PKEY`, owned by this object: who takes a context from it adds a reference of its own.
    @unsafe let pointer: OpaquePointer

    /// A public key, of 65 bytes, `04 x y`; as a rule it fails because the point is not on the curve.
    init(publicPoint: [UInt8]) throws(KeyError) {
        unsafe pointer = try Self.build(COPENSSL_PUBLIC_KEY, publicPoint: publicPoint) { _ in true }
    }

    /// A key pair, whose number is copied within the secure heap; `publicPoint` has to be the number's.
    init(scalar: borrowing PrivateScalar, publicPoint: [UInt8]) throws(KeyError) {
        unsafe pointer = try Self.build(COPENSSL_KEYPAIR, publicPoint: publicPoint) { builder in
            unsafe scalar.push(to: builder)
        }
    }

    deinit {
        // Cleanses the private number.
        unsafe EVP_PKEY_free(pointer)
    }

    /// Builds an `EVP_PKEY`, owned by the caller, with `EVP_PKEY_fromdata`.
    ///
    /// It is the one way into OpenSSL that leaves no copy of a private key in the ordinary heap:
    /// the readers of PEM and DER do, and do not cleanse them.
    private static func build(
        _ selection: Int32,
        publicPoint: [UInt8],
        adding addPrivatePart: (OpaquePointer) -> Bool
    ) throws(KeyError) -> OpaquePointer {
        KeyError.clearOpenSSLQueue()
        guard let builder = unsafe OSSL_PARAM_BLD_new() else { throw KeyError(openSSL: "OSSL_PARAM_BLD_new") }
        defer { unsafe OSSL_PARAM_BLD_free(builder) }
        // The builder keeps pointers to all it is given, until it copies the values in OSSL_PARAM_BLD_to_param.
        let parameters = unsafe publicPoint.withUnsafeBufferPointer { point in
            let (group, curve) = unsafe (COPENSSL_PARAMETER_GROUP, COPENSSL_CURVE_P256)
            let publicKey = unsafe COPENSSL_PARAMETER_PUBLIC_KEY
            guard unsafe OSSL_PARAM_BLD_push_utf8_string(builder, group, curve, 0) == 1,
                unsafe OSSL_PARAM_BLD_push_octet_string(builder, publicKey, point.baseAddress, point.count) == 1,
                unsafe addPrivatePart(builder)
            else { return unsafe nil as UnsafeMutablePointer<OSSL_PARAM>? }
            return unsafe OSSL_PARAM_BLD_to_param(builder)
        }
        guard let parameters = unsafe parameters else { throw KeyError(openSSL: "OSSL_PARAM_BLD") }
        // Cleanses the part that is in the secure heap.
        defer { unsafe OSSL_PARAM_free(parameters) }
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
            throw KeyError(openSSL: "EVP_PKEY_CTX_new_from_name")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_fromdata_init(context) == 1,
            unsafe EVP_PKEY_fromdata(context, &key, selection, parameters) == 1,
            let key = unsafe key
        else { throw KeyError(openSSL: "EVP_PKEY_fromdata") }
        return unsafe key
    }
}

extension P256Key {
    /// Whether a signature (DER) over the message is by this key; false as well when OpenSSL could not tell.
    func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        defer { KeyError.clearOpenSSLQueue() }
        guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1 else { return false }
        return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

/// The two halves of a key as they come from a file, shown to belong together.
struct KeyPair {
    /// The key with its private number, in the secure heap.
    let privateKey: P256Key
    /// The public half alone, as everybody else sees it: the judge of what the private key signs.
    let publicKey: P256Key
    /// The public key as the DER of a SubjectPublicKeyInfo.
    let publicKeySPKI: [UInt8]
    /// The SHA-256 of ``publicKeySPKI``.
    let fingerprint: [UInt8]

    init(pkcs8 der: Span<UInt8>) throws(KeyError) {
        let info = try PrivateKeyInfo(parsing: der)
        let scalar = try PrivateScalar(bigEndian: der.extracting(info.scalar))
        // The point is public: it may be an array.
        let publicPoint = try scalar.publicPoint()
        if let known = info.publicPoint {
            let isCompressed = known.count < P256.pointLength
            let expected = isCompressed ? [0x02 | publicPoint[64] & 1] + publicPoint[1...32] : publicPoint
            guard known.map({ der[$0] }) == expected else {
                throw KeyError(
                    .foreignPublicPoint,
                    "holds a public point that is not its private number's, but of another key"
                )
            }
        }
        publicKeySPKI = P256.subjectPublicKeyInfo(of: publicPoint)
        publicKey = try P256Key(publicPoint: publicPoint)
        privateKey = try P256Key(scalar: scalar, publicPoint: publicPoint)
        fingerprint = try SHA256.digest(of: publicKeySPKI)
    }
}

/// The curve of every key here: NIST P-256, also named prime256v1 and secp256r1.
enum P256 {
    static let name = "P-256"
    /// The length of a private number, in bytes.
    static let scalarLength = 32
    /// The length of a public point, in bytes: `04 x y` (SEC 1 §2.3.3).
    static let pointLength = 65
    /// The longest signature, in bytes: a SEQUENCE of two INTEGERs of 33 bytes (RFC 3279 §2.2.3).
    static let longestSignature = 72

    /// The DER of a SubjectPublicKeyInfo (RFC 5480 §2).
    static func subjectPublicKeyInfo(of point: [UInt8]) -> [UInt8] {
        let header: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
            0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        return header + point
    }
}

/// SHA-256 (FIPS 180-4).
enum SHA256 {
    /// The digest of some public bytes, for the paths that are not hot.
    static func digest(of bytes: [UInt8]) throws(KeyError) -> [UInt8] {
        KeyError.clearOpenSSLQueue()
        var digest = [UInt8](repeating: 0, count: 32)
        guard unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else {
            throw KeyError(openSSL: "EVP_Digest")
        }
        return digest
    }
}
