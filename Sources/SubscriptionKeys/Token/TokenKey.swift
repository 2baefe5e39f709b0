import COpenSSL
import CPKCS11
package import Offers
import Synchronization

/// A key that stays in a token: the token signs, on threads of its own, and this process never has its private number.
package final class TokenKey: ES256Signer {
    /// A token's own description of a key.
    package struct Description: Equatable, Sendable {
        /// The token's label.
        package let token: String
        /// The key's label, where it has one.
        package let label: String
        /// Whether the token never shows it, and whether it can leave it; `nil` where the token does not say.
        package let isSensitive: Bool?
        package let isExtractable: Bool?
    }

    package let keyIdentifier: String
    package let description: Description
    package let publicKeySPKI: [UInt8]
    package let publicKeySHA256: [UInt8]

    private enum State {
        case working
        /// It is tried again by itself, but for a final fault.
        case down(TokenFault)
        /// It has made a signature that does not verify.
        case failed(SigningFailure)
    }

    /// How long a session may take to open, and the key to be found, at a load.
    private static let patience = Duration.seconds(10)

    private let object: TokenObject
    private let publicKey: P256Key
    private let state = Mutex(State.working)
    private var module: TokenModule { object.module }

    /// Finds the key, and proves that it signs.
    ///
    /// `modulePath` is the URI's, as an absolute path; `publicPoint` is the one of a file, 65 bytes, where there is one.
    package init(
        _ uri: TokenURI,
        modulePath: String?,
        in modules: TokenModules,
        keyIdentifier: String,
        pin: TokenPIN?,
        publicPoint: [UInt8]?
    ) throws(KeyError) {
        let object = TokenObject(uri, in: try modules.module(at: modulePath), pin: pin)
        do throws(TokenFault) {
            let found = try object.module.wait { (lane) throws(TokenFault) in
                try Self.look(at: try lane.session(of: object, within: Self.patience), publicPoint: publicPoint)
            }
            description = found.description
            do throws(KeyError) {
                publicKey = try P256Key(publicPoint: found.point)
                publicKeySPKI = P256.subjectPublicKeyInfo(of: found.point)
                publicKeySHA256 = try SHA256.digest(of: publicKeySPKI)
            } catch {
                throw TokenFault("other_curve", "the key's public point is not on P-256")
            }
        } catch {
            throw KeyError(.token, error.detail)
        }
        self.keyIdentifier = keyIdentifier
        self.object = object
        do throws(TokenFault) {
            try object.module.wait { [self] (lane) throws(TokenFault) in
                try prove(on: lane)
            }
        } catch {
            throw KeyError(.token, "the key fails its test: \(error.detail)")
        }
        object.module.add(self)
    }

    // MARK: Signing

    package var hasThreads: Bool { true }

    package func work<Value: Sendable>(
        _ work: @escaping @Sendable (any ES256Signer) throws(SigningFailure) -> Value
    ) throws(SigningFailure) -> Step<Value, SigningFailure> {
        if let refusal { throw refusal }
        let (results, result) = AsyncStream.makeStream(of: Result<Value, SigningFailure>.self)
        module.threads.run { [self] lane in
            Result { () throws(SigningFailure) in try work(LaneSigner(key: self, lane: lane)) }
        } orGiveUp: { [self] fault in
            module.count(fault.name)
            return .failure(unavailable(fault.detail))
        } completion: {
            result.yield($0)
        }
        return .later { [self] () throws(SigningFailure) in
            for await result in results { return try result.get() }
            throw unavailable("nobody waits for the token any more")
        }
    }

    /// Signs on a thread of the module, and waits for it: for commands, and not on an event loop.
    package func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        if let refusal { throw refusal }
        let bytes = message.indices.map { message[$0] }
        do throws(TokenFault) {
            return try module.wait { [self] (lane) throws(TokenFault) in try signature(over: bytes.span, on: lane) }
        } catch {
            throw unavailable(error.detail)
        }
    }

    private struct LaneSigner: ES256Signer {
        let key: TokenKey
        let lane: TokenThreads.Lane
        var keyIdentifier: String { key.keyIdentifier }

        func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
            if let refusal = key.refusal { throw refusal }
            do throws(TokenFault) {
                return try key.signature(over: message, on: lane)
            } catch {
                throw key.unavailable(error.detail)
            }
        }
    }

    /// The signature, with a second try in a new session: nothing was signed by the first.
    private func signature(over message: Span<UInt8>, on lane: TokenThreads.Lane) throws(TokenFault) -> [UInt8] {
        do throws(TokenFault) {
            return try signatureAtOnce(over: message, on: lane)
        } catch {
            // Work that was given up is counted, and its key may sign on other threads.
            guard error.name != "timeout" else { throw error }
            module.count(error.name)
        }
        do throws(TokenFault) {
            return try signatureAtOnce(over: message, on: lane)
        } catch {
            module.count(error.name)
            state.withLock { state in
                if case .working = state { state = .down(error) }
            }
            module.recover()
            throw error
        }
    }

    /// ASN.1 DER, with one try.
    private func signatureAtOnce(
        over message: Span<UInt8>,
        on lane: TokenThreads.Lane
    ) throws(TokenFault) -> [UInt8] {
        do throws(TokenFault) {
            let digest: [UInt8]
            do throws(KeyError) {
                digest = try SHA256.digest(of: message.indices.map { message[$0] })
            } catch {
                throw TokenFault("digest", error.reason)
            }
            let timeout = module.threads.timeout
            let session = try lane.session(of: object, within: timeout * TokenThreads.patience)
            try module.threads.beginCall(on: lane, within: timeout)
            return Self.der(try session.sign(digest))
        } catch {
            lane.dropSession(of: object)
            throw error
        }
    }

    /// `ECDSA-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3) of r and s side by side.
    private static func der(_ raw: [UInt8]) -> [UInt8] {
        var body: [UInt8] = []
        for number in [raw[..<32], raw[32...]] {
            var digits = Array(number.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            body += [0x02, UInt8(digits.count)] + digits
        }
        return [0x30, UInt8(body.count)] + body
    }

    // MARK: Its state

    package var failure: SigningFailure? {
        if case .failed(let failure) = state.withLock({ $0 }) { failure } else { nil }
    }

    package var unavailability: String? {
        if case .down(let fault) = state.withLock({ $0 }) {
            return fault.detail + (fault.isFinal ? "" : "; it is asked again by itself")
        }
        return module.threads.hang?.detail
    }

    var isToBeTriedAgain: Bool {
        if case .down(let fault) = state.withLock({ $0 }) { !fault.isFinal } else { false }
    }

    private var refusal: SigningFailure? {
        switch state.withLock({ $0 }) {
        case .working: nil
        case .down(let fault): unavailable(fault.detail)
        case .failed(let failure): failure
        }
    }

    private func unavailable(_ detail: String) -> SigningFailure {
        SigningFailure(keyIdentifier: keyIdentifier, detail: detail, isUnavailability: true)
    }

    package func selfTest() async -> SigningFailure? {
        let step = try? work { [self] (signer) throws(SigningFailure) in
            guard let signer = signer as? LaneSigner else { return }
            do throws(TokenFault) {
                try prove(on: signer.lane)
            } catch {
                goDown(error)
            }
        }
        _ = try? await step?.value()
        return failure
    }

    /// Has a key that does not answer prove itself, in a new session.
    func tryAgain(on lane: TokenThreads.Lane) {
        guard isToBeTriedAgain else { return }
        do throws(TokenFault) {
            try prove(on: lane)
            state.withLock { state in
                if case .down = state { state = .working }
            }
        } catch {
            goDown(error)
        }
    }

    private func goDown(_ fault: TokenFault) {
        module.count(fault.name)
        state.withLock { state in
            if case .failed = state { return }
            state = .down(fault)
        }
        if !fault.isFinal { module.recover() }
    }

    /// Signs random bytes, and verifies the signature; a key that signs wrongly signs no more.
    private func prove(on lane: TokenThreads.Lane) throws(TokenFault) {
        var message = [UInt8](repeating: 0, count: 32)
        guard unsafe RAND_bytes(&message, Int32(message.count)) == 1 else { return }
        let signature = try signatureAtOnce(over: message.span, on: lane)
        guard publicKey.verifies(signature, over: message) else {
            let detail = "self-test failed: a signature does not verify"
            state.withLock { $0 = .failed(SigningFailure(keyIdentifier: keyIdentifier, detail: detail)) }
            throw TokenFault("wrong_signature", "a signature does not verify")
        }
    }

    // MARK: Loading

    private static func look(
        at session: TokenSession,
        publicPoint: [UInt8]?
    ) throws(TokenFault) -> (point: [UInt8], description: Description) {
        let label = session.attribute(CKA_LABEL, of: session.key) ?? []
        let description = Description(
            token: session.token,
            label: String(decoding: label, as: UTF8.self),
            isSensitive: session.attribute(CKA_SENSITIVE, of: session.key)?.first.map { $0 != 0 },
            isExtractable: session.attribute(CKA_EXTRACTABLE, of: session.key)?.first.map { $0 != 0 }
        )
        if let curve = session.attribute(CKA_EC_PARAMS, of: session.key), !curve.isEmpty, curve != p256 {
            throw TokenFault("other_curve", "the key \"\(description.label)\" is no EC key on P-256")
        }
        if let publicPoint { return (publicPoint, description) }
        // A token may have several public objects of one label, or none.
        let id = session.attribute(CKA_ID, of: session.key).flatMap { $0.isEmpty ? nil : $0 }
        let name = id == nil ? description.label : nil
        let objects = try session.objects(CKO_PUBLIC_KEY, label: name, id: id) + [session.key]
        for object in objects {
            if let point = session.attribute(CKA_EC_POINT, of: object).flatMap(point) { return (point, description) }
        }
        throw TokenFault(
            "no_public_key",
            "the token \"\(session.token)\" has no public object of the key \"\(description.label)\": name a file with its "
                + "public key, publicKeyFile"
        )
    }

    /// The OBJECT IDENTIFIER of P-256, in DER, which `CKA_EC_PARAMS` holds.
    private static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// The point `04 x y` of a `CKA_EC_POINT`, which is in an OCTET STRING by the standard, and by some modules is not.
    private static func point(_ value: [UInt8]) -> [UInt8]? {
        let point = value.starts(with: [0x04, 0x41]) && value.count == 67 ? Array(value.dropFirst(2)) : value
        return point.count == P256.pointLength && point.first == 0x04 ? point : nil
    }
}
