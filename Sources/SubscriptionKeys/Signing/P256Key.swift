import COpenSSL

/// A P-256 key within OpenSSL: an `EVP_PKEY`, public or with its private number, which is in the secure heap then.
///
/// Owned by this object and freed with it. It does not change once built.
// `@unchecked Sendable`: OpenSSL allows an EVP_PKEY that nobody changes to be used by many threads at once
// (openssl-threads(7)); each thread brings a context of its own.
@safe final class P256Key: @unchecked Sendable {
    /// The `EVP_PKEY`, owned by this object: who takes a context from it adds a reference of its own.
    @unsafe let pointer: OpaquePointer

    /// Builds a public key.
    ///
    /// - Parameter publicPoint: 65 bytes, `04 x y`.
    /// - Throws: ``OpenSSLFailure``, as a rule because the point is not on the curve.
    init(publicPoint: [UInt8]) throws(OpenSSLFailure) {
        unsafe pointer = try Self.build(COPENSSL_PUBLIC_KEY, publicPoint: publicPoint) { _ in true }
    }

    /// Builds a key pair: whether its halves belong together is a question for ``isConsistentPair()``.
    ///
    /// - Parameters:
    ///   - scalar: The private number. Copied within the secure heap.
    ///   - publicPoint: 65 bytes, `04 x y`.
    /// - Throws: ``OpenSSLFailure``.
    init(scalar: borrowing PrivateScalar, publicPoint: [UInt8]) throws(OpenSSLFailure) {
        unsafe pointer = try Self.build(COPENSSL_KEYPAIR, publicPoint: publicPoint) { builder in
            unsafe scalar.push(to: builder)
        }
    }

    deinit {
        // Cleanses the private number.
        unsafe EVP_PKEY_free(pointer)
    }

    /// Builds a key with `EVP_PKEY_fromdata`.
    ///
    /// It is the one way into OpenSSL that leaves no copy of a private key in the ordinary heap:
    /// the readers of PEM and DER do, and do not cleanse them.
    ///
    /// - Parameters:
    ///   - selection: Which parts the key has.
    ///   - publicPoint: 65 bytes, `04 x y`.
    ///   - addPrivatePart: Adds to an `OSSL_PARAM_BLD`, and says whether OpenSSL took it.
    /// - Returns: An `EVP_PKEY`, owned by the caller.
    /// - Throws: ``OpenSSLFailure``.
    private static func build(
        _ selection: Int32,
        publicPoint: [UInt8],
        adding addPrivatePart: (OpaquePointer) -> Bool
    ) throws(OpenSSLFailure) -> OpaquePointer {
        OpenSSLFailure.clearQueue()
        guard let builder = unsafe OSSL_PARAM_BLD_new() else { throw OpenSSLFailure(after: "OSSL_PARAM_BLD_new") }
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
        guard let parameters = unsafe parameters else { throw OpenSSLFailure(after: "OSSL_PARAM_BLD") }
        // Cleanses the part that is in the secure heap.
        defer { unsafe OSSL_PARAM_free(parameters) }
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
            throw OpenSSLFailure(after: "EVP_PKEY_CTX_new_from_name")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_fromdata_init(context) == 1,
            unsafe EVP_PKEY_fromdata(context, &key, selection, parameters) == 1,
            let key = unsafe key
        else { throw OpenSSLFailure(after: "EVP_PKEY_fromdata") }
        return unsafe key
    }
}
