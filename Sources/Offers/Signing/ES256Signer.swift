/// A key that can sign offers, requests to Apple and the ledger's checkpoints: the port to the room where keys live.
///
/// The signature is ECDSA over P-256 and SHA-256, as Apple asks for promotional offers; RFC 7518 §3.4 names it ES256.
/// Implementations sign inline, on the caller's thread: a signature takes tens of microseconds, less than a thread hop.
package protocol ES256Signer: Sendable {
    /// The key's identifier in App Store Connect, ten characters: the `keyIdentifier` of an `SKPaymentDiscount`.
    var keyIdentifier: String { get }

    /// Signs the message's SHA-256.
    ///
    /// - Parameter message: The bytes to sign, whole and unhashed.
    /// - Returns: The signature as ASN.1 DER (RFC 3279 §2.2.3, `ECDSA-Sig-Value`), 70 to 72 bytes as a rule.
    /// - Throws: ``SigningFailure`` when the key cannot sign. Nothing was signed then.
    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8]
}

extension ES256Signer {
    /// Signs the message's SHA-256, in the form that JWS takes.
    ///
    /// - Parameter message: The bytes to sign, whole and unhashed.
    /// - Returns: r and s, big-endian, 32 bytes each (RFC 7518 §3.4).
    /// - Throws: ``SigningFailure`` when the key cannot sign. Nothing was signed then.
    package func rawSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        guard let raw = RawSignature(der: try derSignature(over: message)) else {
            throw SigningFailure(keyIdentifier: keyIdentifier, detail: "the signature is no ECDSA-Sig-Value of P-256")
        }
        return raw.bytes
    }
}

/// A signer that can prove itself again while it is in use.
package protocol SelfTestingSigner: ES256Signer {
    /// Signs random bytes, and verifies the signature with the public key.
    ///
    /// - Throws: ``SigningFailure`` when either fails: the key must not be used any more.
    func selfTest() throws(SigningFailure)
}

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

/// The forms that a signed offer can have; the raw values are those of a request's `formats`.
package enum SignatureFormat: String, CaseIterable, Sendable {
    /// The form for `SKPaymentDiscount` and StoreKit 2's `promotionalOffer` with five arguments.
    case discount
    /// The form for StoreKit 2's `compactJWS` arguments.
    case jws
}

/// A key could not sign.
///
/// The text names the key and the step that failed, never key material.
package struct SigningFailure: Error, Equatable, CustomStringConvertible {
    /// The identifier of the key that was asked.
    package let keyIdentifier: String
    /// What failed, for a log: one sentence without secrets.
    package let detail: String

    /// Creates a failure of the named key.
    ///
    /// - Parameters:
    ///   - keyIdentifier: The identifier of the key that was asked.
    ///   - detail: What failed, without secrets.
    package init(keyIdentifier: String, detail: String) {
        self.keyIdentifier = keyIdentifier
        self.detail = detail
    }

    /// The failure in one line.
    package var description: String { "key \(keyIdentifier): \(detail)" }
}
