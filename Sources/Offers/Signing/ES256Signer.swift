/// A key that can sign offers, requests to Apple and the ledger's checkpoints: the port to the room where keys live.
///
/// The signature is ECDSA over P-256 and SHA-256, as Apple asks for promotional offers; RFC 7518 §3.4 names it ES256.
/// A file's key signs on the caller's thread: a signature takes tens of microseconds, less than a thread hop. A key in a
/// token may take as long as a call over a network, and has threads of its own.
package protocol ES256Signer: Sendable {
    /// The key's identifier in App Store Connect, ten characters: the `keyIdentifier` of an `SKPaymentDiscount`.
    var keyIdentifier: String { get }

    /// Signs the SHA-256 of a message, which is given whole and unhashed.
    ///
    /// The signature is ASN.1 DER (RFC 3279 §2.2.3, `ECDSA-Sig-Value`), 70 to 72 bytes as a rule. When it throws,
    /// nothing was signed.
    ///
    /// It waits for a token, so an event loop asks ``work(_:)``.
    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8]

    /// Whether it signs on threads of its own.
    var hasThreads: Bool { get }

    /// Begins work that signs: done at once, or on a thread of the key's, with a signer for that thread.
    func work<Value: Sendable>(
        _ work: @escaping @Sendable (any ES256Signer) throws(SigningFailure) -> Value
    ) throws(SigningFailure) -> Step<Value, SigningFailure>
}

extension ES256Signer {
    package var hasThreads: Bool { false }

    package func work<Value: Sendable>(
        _ work: @escaping @Sendable (any ES256Signer) throws(SigningFailure) -> Value
    ) throws(SigningFailure) -> Step<Value, SigningFailure> { .now(try work(self)) }

    /// Signs as ``derSignature(over:)``, in the form that JWS takes: r and s, big-endian, 32 bytes each (RFC 7518
    /// §3.4).
    package func rawSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        guard let raw = RawSignature(der: try derSignature(over: message)) else {
            throw SigningFailure(keyIdentifier: keyIdentifier, detail: "the signature is no ECDSA-Sig-Value of P-256")
        }
        return raw.bytes
    }
}

/// A signer that can prove itself again while it is in use.
package protocol SelfTestingSigner: ES256Signer {
    /// Signs random bytes, and verifies the signature with the public key; after a failure the key must not be used any
    /// more.
    func selfTest() throws(SigningFailure)

    /// Whether a signature (DER) over a message is by this signer's key.
    func verifies(_ signature: [UInt8], over message: Span<UInt8>) -> Bool
}

/// r and s of P-256 side by side.
struct RawSignature {
    /// 64 bytes.
    let bytes: [UInt8]

    private static let numberLength = 32

    /// As `ECDSA-Sig-Value`, each number as short as it can be.
    var der: [UInt8] {
        let numbers = [bytes.prefix(Self.numberLength), bytes.suffix(Self.numberLength)].flatMap { number in
            let digits = number.drop { $0 == 0 }
            let sign: [UInt8] = digits.first.map { $0 < 0x80 } ?? false ? [] : [0]
            return [0x02, UInt8(sign.count + digits.count)] + sign + digits
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }

    /// Reads `ECDSA-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3), as the service's own key made
    /// it.
    ///
    /// Anything else gives `nil`.
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

/// The raw values are those of a request's `formats`.
package enum SignatureFormat: String, CaseIterable, Sendable {
    /// For `SKPaymentDiscount` and StoreKit 2's `promotionalOffer` with five arguments.
    case discount
    /// For StoreKit 2's `compactJWS` arguments.
    case jws
}

/// A key could not sign; the text names the key and the step that failed, never key material.
package struct SigningFailure: Error, Equatable, CustomStringConvertible {
    /// The key that was asked.
    package let keyIdentifier: String
    /// The failure for a log: one sentence without secrets.
    package let detail: String
    /// Whether the key's token does not answer, which may end by itself.
    package let isUnavailability: Bool

    package init(keyIdentifier: String, detail: String, isUnavailability: Bool = false) {
        self.keyIdentifier = keyIdentifier
        self.detail = detail
        self.isUnavailability = isUnavailability
    }

    package var description: String { "key \(keyIdentifier): \(detail)" }
}
