import COpenSSL
package import Offers

/// A private key that signs offers: loaded from a P8 file, tested, and kept in the secure heap until this object is
/// freed.
///
/// Reading order of this module, for a reviewer, along the path of the private bytes: `SecureHeap`, `SecretMemory` with
/// `SecureBuffer`, and `SigningStack` (the memory), `KeyFile` (reads the file), `PEMArmour` (Base64 to DER),
/// `DERReader` and `PrivateKeyInfo` (find the number), `PrivateScalar`, `P256Key` with `KeyPair` (into OpenSSL),
/// `SigningContext` with `SigningContextPool` (sign), `NewKeyFile` (writes a new key). They never become a Swift array,
/// string or `Data`, and every buffer that held them is cleansed on every path.
package final class SigningKey: SelfTestingSigner {
    /// The key's identifier in App Store Connect, ten characters.
    package let keyIdentifier: String
    /// The public key as the DER of a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), 91 bytes.
    package let publicKeySPKI: [UInt8]
    /// The SHA-256 of ``publicKeySPKI``, 32 bytes: the key's fingerprint.
    package let publicKeySHA256: [UInt8]
    /// The permission bits that the file had when it was read, as `chmod` takes them.
    package let fileMode: UInt32

    private let publicKey: P256Key
    // Owns the private key: nothing else holds it once loading is done.
    private let contexts: SigningContextPool

    /// Loads a P8 file and tests the key: its two halves belong together, and a signature by it verifies.
    ///
    /// Call ``SecureHeap/initialize(size:allowUnlocked:secret:)`` before. The file is PEM with one PKCS#8 `PRIVATE KEY` of P-256,
    /// of at most ``KeyError/maximumSize`` bytes, that root, this user or `owner` owns; without `access`, anybody may read it.
    /// After an error nothing of the key is left in memory.
    package init(
        contentsOf path: String,
        keyIdentifier: String,
        access: FileAccess? = .ownerOnly,
        owner: UInt32? = nil,
        isAppStoreKey: Bool = true
    ) throws(KeyError) {
        // OpenSSL computes with the private number to prove it, and may leave parts of it on the stack.
        defer { copenssl_cleanse_stack() }
        do throws(KeyError) {
            try SecureHeap.requireRoomForKey()
            var file = try KeyFile(path: path, access: access, owner: owner)
            let der = try PEMArmour.decode(&file.text)
            let pair = try der.withBytes { (bytes) throws(KeyError) in try KeyPair(pkcs8: bytes) }

            self.keyIdentifier = keyIdentifier
            fileMode = file.mode
            publicKey = pair.publicKey
            contexts = SigningContextPool(key: pair.privateKey)
            publicKeySPKI = pair.publicKeySPKI
            publicKeySHA256 = pair.fingerprint
        } catch {
            throw error.at(path, access: access, owner: owner, isAppStoreKey: isAppStoreKey)
        }
        // The two halves of the file belong together by now: this tests how this machine signs with the key.
        do {
            try selfTest()
        } catch {
            let fault = KeyError(.selfTestFailed, "holds a key that fails its test: \(error.detail)")
            throw fault.at(path, access: access, owner: owner, isAppStoreKey: isAppStoreKey)
        }
    }

    /// Signs the message's SHA-256 on the caller's thread, in some tens of microseconds.
    ///
    /// Any number of threads at once. The signature is ASN.1 DER (RFC 3279 §2.2.3), at most 72 bytes.
    package func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        do throws(KeyError) {
            let context = try contexts.acquire()
            let signature = try context.sign(message)
            contexts.release(context)
            return signature
        } catch {
            throw SigningFailure(keyIdentifier: keyIdentifier, detail: error.reason)
        }
    }

    /// Signs random bytes and verifies them with the public key that ``publicKeySPKI`` shows: a key that fails must not be
    /// used any more.
    package func selfTest() throws(SigningFailure) {
        var message = [UInt8](repeating: 0, count: 32)
        KeyError.clearOpenSSLQueue()
        guard unsafe RAND_bytes(&message, Int32(message.count)) == 1 else {
            throw SigningFailure(keyIdentifier: keyIdentifier, detail: KeyError(openSSL: "RAND_bytes").reason)
        }
        let signature = try derSignature(over: message.span)
        guard verifies(signature, over: message.span) else {
            throw SigningFailure(keyIdentifier: keyIdentifier, detail: "a signature does not verify")
        }
    }

    package func verifies(_ signature: [UInt8], over message: Span<UInt8>) -> Bool {
        publicKey.verifies(signature, over: message.indices.map { message[$0] })
    }
}
