import COpenSSL
import CSigningMemory
import Glibc
import Synchronization

/// What one thread needs to sign: a hash and a signing context, set up once and used again and again.
///
/// Setting up costs a fifth of a signature. This object owns both C objects and frees them. The signing context holds a
/// reference to the key: the key's memory is only free once all its contexts are.
// `@unchecked Sendable`: moves between threads, but is only ever used by the one that took it from the pool.
@safe final class SigningContext: @unchecked Sendable {
    private let hash: OpaquePointer
    private let signer: OpaquePointer

    /// The key is not copied: the context adds a reference to the `EVP_PKEY`.
    init(key: P256Key) throws(KeyError) {
        KeyError.clearOpenSSLQueue()
        guard let hash = unsafe EVP_MD_CTX_new() else { throw KeyError(openSSL: "EVP_MD_CTX_new") }
        guard let signer = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
            unsafe EVP_MD_CTX_free(hash)
            throw KeyError(openSSL: "EVP_PKEY_CTX_new_from_pkey")
        }
        unsafe self.hash = hash
        unsafe self.signer = signer
        guard unsafe EVP_DigestInit_ex2(hash, EVP_sha256(), nil) == 1 else {
            throw KeyError(openSSL: "EVP_DigestInit_ex2")
        }
        guard unsafe EVP_PKEY_sign_init(signer) == 1,
            unsafe EVP_PKEY_CTX_set_signature_md(signer, EVP_sha256()) == 1
        else { throw KeyError(openSSL: "EVP_PKEY_sign_init") }
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(signer)
        unsafe EVP_MD_CTX_free(hash)
    }

    /// Signs the message's SHA-256.
    ///
    /// The digest is on the stack; the signature is the only allocation here. Nothing remains of the signature's secret
    /// number, which would give the key away. After an error the context is of no use.
    func sign(_ message: Span<UInt8>) throws(KeyError) -> [UInt8] {
        KeyError.clearOpenSSLQueue()
        let digest = try digest(of: message)
        let stack = unsafe SigningStack.ofThisThread()
        return try [UInt8](capacity: P256.longestSignature) { (output) throws(KeyError) in
            var isSigned = false
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                // In: the room there is. Out: the length of the signature.
                var length = buffer.count
                isSigned = unsafe digest.span.withUnsafeBufferPointer { digest in
                    let (start, size) = (digest.baseAddress, digest.count)
                    unsafe csigning_enter(stack.map { unsafe SigningStack.pool(of: $0) })
                    defer { csigning_leave() }
                    return unsafe copenssl_sign(signer, buffer.baseAddress, &length, start, size, stack) == 1
                }
                count = isSigned ? length : 0
            }
            guard isSigned else { throw KeyError(openSSL: "EVP_PKEY_sign") }
        }
    }

    private func digest(of message: Span<UInt8>) throws(KeyError) -> InlineArray<32, UInt8> {
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var span = digest.mutableSpan
        let isHashed = unsafe span.withUnsafeMutableBufferPointer { digest in
            unsafe message.withUnsafeBufferPointer { message in
                // Without an algorithm, the hash begins anew with the one it has.
                unsafe EVP_DigestInit_ex2(hash, nil, nil) == 1
                    && EVP_DigestUpdate(hash, message.baseAddress, message.count) == 1
                    && EVP_DigestFinal_ex(hash, digest.baseAddress, nil) == 1
            }
        }
        guard isHashed else { throw KeyError(openSSL: "EVP_Digest") }
        return digest
    }
}

/// The signing contexts of one key: as many as threads ever signed at the same time.
///
/// It belongs to the key and not to threads, so that a removed key does not stay in idle threads. It has several
/// shelves: a thread mostly finds the context that it used last on its own shelf, still in its processor's cache, and
/// without a wait.
final class SigningContextPool: Sendable {
    /// Idle contexts, the one that was used last at the end.
    private final class Shelf: Sendable {
        let contexts = Mutex<[SigningContext]>([])
    }

    private let key: P256Key
    private let shelves = (0..<16).map { _ in Shelf() }

    init(key: P256Key) {
        self.key = key
    }

    /// Hands out a context, which is the caller's alone until it is released.
    func acquire() throws(KeyError) -> SigningContext {
        if let context = shelf.contexts.withLock({ $0.popLast() }) { return context }
        return try SigningContext(key: key)
    }

    /// Takes a context back for others to use; one that has failed is let go instead.
    func release(_ context: SigningContext) {
        shelf.contexts.withLock { $0.append(context) }
    }

    /// The current thread's shelf; some threads may share one.
    private var shelf: Shelf {
        // Identifiers of threads are addresses at even distances: multiplied by 2^64 divided by the golden ratio, their
        // first digits are spread well (Knuth, The Art of Computer Programming, volume 3, section 6.4).
        shelves[Int(truncatingIfNeeded: (UInt64(pthread_self()) &* 0x9E37_79B9_7F4A_7C15) >> 60) % shelves.count]
    }
}
