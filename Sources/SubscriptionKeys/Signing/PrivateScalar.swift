import COpenSSL

/// The private number of a key while it is loaded: a BIGNUM whose digits are in the secure heap.
///
/// Owned by this value, cleansed and freed when the value goes.
@safe struct PrivateScalar: ~Copyable {
    private let number: OpaquePointer

    /// Takes the number from its bytes, big-endian, in a ``SecureBuffer``: from 1 to the order of P-256 less 1 (SEC 1
    /// §3.2.1).
    init(bigEndian bytes: Span<UInt8>) throws(KeyError) {
        KeyError.clearOpenSSLQueue()
        guard let number = unsafe BN_secure_new() else { throw KeyError(openSSL: "BN_secure_new") }
        do throws(KeyError) {
            unsafe try Self.fill(number, with: bytes)
            unsafe try Self.requireInRange(number)
        } catch {
            unsafe BN_clear_free(number)
            throw error
        }
        unsafe self.number = number
    }

    deinit {
        unsafe BN_clear_free(number)
    }

    /// Computes the public point that belongs to the number: 65 bytes, `04 x y` (SEC 1 §2.3.3).
    func publicPoint() throws(KeyError) -> [UInt8] {
        unsafe try Self.withCurve { (curve) throws(KeyError) in
            guard let point = unsafe EC_POINT_new(curve) else { throw KeyError(openSSL: "EC_POINT_new") }
            defer { unsafe EC_POINT_free(point) }
            // Intermediate numbers go to the secure heap, too.
            guard let scratch = unsafe BN_CTX_secure_new() else {
                throw KeyError(openSSL: "BN_CTX_secure_new")
            }
            defer { unsafe BN_CTX_free(scratch) }
            guard unsafe EC_POINT_mul(curve, point, number, nil, nil, scratch) == 1 else {
                throw KeyError(openSSL: "EC_POINT_mul")
            }
            var bytes = [UInt8](repeating: 0, count: P256.pointLength)
            let form = POINT_CONVERSION_UNCOMPRESSED
            guard unsafe EC_POINT_point2oct(curve, point, form, &bytes, bytes.count, scratch) == bytes.count else {
                throw KeyError(openSSL: "EC_POINT_point2oct")
            }
            return bytes
        }
    }

    /// Names the number to the builder of a key (`OSSL_PARAM_BLD`), and says whether OpenSSL took it.
    ///
    /// The builder keeps a reference, so it must not outlive this value. The built key holds a copy in the secure
    /// heap, because the number is there.
    @unsafe func push(to builder: OpaquePointer) -> Bool {
        unsafe OSSL_PARAM_BLD_push_BN_pad(builder, COPENSSL_PARAMETER_PRIVATE_KEY, number, P256.scalarLength) == 1
    }

    private static func fill(_ number: OpaquePointer, with bytes: Span<UInt8>) throws(KeyError) {
        let isRead = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe BN_bin2bn(bytes.baseAddress, Int32(bytes.count), number) != nil
        }
        guard isRead else { throw KeyError(openSSL: "BN_bin2bn") }
    }

    private static func requireInRange(_ number: OpaquePointer) throws(KeyError) {
        let isBelowOrder = unsafe try withCurve { curve in unsafe BN_cmp(number, EC_GROUP_get0_order(curve)) < 0 }
        guard unsafe BN_is_zero(number) == 0, isBelowOrder else {
            throw KeyError(.scalarOutOfRange, "holds a private number that is zero or beyond the order of P-256")
        }
    }

    /// Lends the curve as OpenSSL's `EC_GROUP`.
    private static func withCurve<Result>(
        _ body: (OpaquePointer) throws(KeyError) -> Result
    ) throws(KeyError) -> Result {
        guard let curve = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
            throw KeyError(openSSL: "EC_GROUP_new_by_curve_name")
        }
        defer { unsafe EC_GROUP_free(curve) }
        return unsafe try body(curve)
    }
}
