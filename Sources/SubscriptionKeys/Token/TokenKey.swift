import Dispatch
package import Offers
import Synchronization

/// A key that stays in a token: the token signs, on threads of its own, and this process never has its private number.
///
/// Each signature is verified before it leaves.
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

    private struct State {
        /// Why sessions do not sign, by the place of their thread.
        var faults: [Int: TokenFault] = [:]
        /// The wrong signature after which nothing is signed until every session has proved itself.
        var bar: TokenFault?
    }

    /// How long a session may take to open at a load.
    private static let patience = Duration.seconds(10)

    private let object: TokenObject
    private let publicKey: P256Key
    private let state = Mutex(State())
    private var module: TokenModule { object.module }
    private var threads: TokenThreads { object.module.threads }

    /// Finds the key, opens all sessions, and proves that it signs in each.
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
        let module = try modules.module(at: modulePath)
        let object = TokenObject(uri, in: module, pin: pin)
        do throws(TokenFault) {
            let found: FoundKey
            do throws(TokenFault) {
                found = try object.find(publicPoint: publicPoint, within: Self.patience)
            } catch {
                guard error.isMiss, module.reinitialiseOnce() else { throw error }
                found = try object.find(publicPoint: publicPoint, within: Self.patience)
            }
            description = found.description
            publicKey = found.publicKey
            publicKeySPKI = P256.subjectPublicKeyInfo(of: found.point)
            publicKeySHA256 = try TokenSession.digest(of: publicKeySPKI)
        } catch {
            throw KeyError(.token, error.detail)
        }
        self.keyIdentifier = keyIdentifier
        self.object = object
        for place in module.threads.places {
            do throws(TokenFault) {
                try prove(at: place, opening: Self.patience)
            } catch {
                let which =
                    place == 0 ? "" : " in session \(place + 1) of \(module.threads.places.count) (pkcs11.sessions)"
                throw KeyError(.token, "the key fails its test\(which): \(error.detail)")
            }
        }
        module.add(self)
    }

    // MARK: Signing

    package var hasThreads: Bool { true }

    package func work<Value: Sendable>(
        _ work: @escaping @Sendable (any ES256Signer) throws(SigningFailure) -> Value
    ) throws(SigningFailure) -> Step<Value, SigningFailure> {
        if let refusal { throw refusal }
        let (results, result) = AsyncStream.makeStream(of: Result<Value, SigningFailure>.self)
        begin(work, sessionsLeft: threads.places.count) { result.yield($0) }
        return .later { [self] () throws(SigningFailure) in
            for await result in results { return try result.get() }
            throw unavailable("nobody waits for the token any more")
        }
    }

    /// Does work in a session, and where that one does not sign, in another.
    private func begin<Value: Sendable>(
        _ work: @escaping @Sendable (any ES256Signer) throws(SigningFailure) -> Value,
        sessionsLeft: Int,
        completion: @escaping @Sendable (Result<Value, SigningFailure>) -> Void
    ) {
        threads.run(on: fits) { [self] lane in
            let outcome = Result { () throws(SigningFailure) in try work(LaneSigner(key: self, lane: lane)) }
            guard case .failure = outcome, state.withLock({ $0.faults[lane.place] != nil }), fault == nil else {
                return (outcome, isToBeRepeated: false)
            }
            return (outcome, isToBeRepeated: sessionsLeft > 1)
        } orGiveUp: { [self] fault in
            module.count(fault.name)
            module.recover()
            return (.failure(unavailable(fault.detail)), isToBeRepeated: false)
        } completion: { [self] outcome, isToBeRepeated in
            guard isToBeRepeated else { return completion(outcome) }
            begin(work, sessionsLeft: sessionsLeft - 1, completion: completion)
        }
    }

    /// Signs on a thread of the module, and waits for it: for commands, and not on an event loop.
    package func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        if let refusal { throw refusal }
        let bytes = message.indices.map { message[$0] }
        let done = DispatchSemaphore(value: 0)
        let signature = Mutex<Result<[UInt8], SigningFailure>?>(nil)
        let work = { @Sendable (signer: any ES256Signer) throws(SigningFailure) in
            try signer.derSignature(over: bytes.span)
        }
        begin(work, sessionsLeft: threads.places.count) { result in
            signature.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        return try (signature.withLock { $0 } ?? .failure(unavailable(threads.lateness.detail))).get()
    }

    /// A session that does not sign gets no work, unless none does: then it is refused at once.
    private var fits: @Sendable (Int) -> Bool {
        { [self] place in
            state.withLock { $0.bar != nil || $0.faults[place] == nil || $0.faults.count == threads.places.count }
        }
    }

    private struct LaneSigner: ES256Signer {
        let key: TokenKey
        let lane: TokenThreads.Lane
        var keyIdentifier: String { key.keyIdentifier }

        func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
            if let refusal = key.refusal { throw refusal }
            do throws(TokenFault) {
                return try key.signature(over: message.indices.map { message[$0] }, on: lane)
            } catch {
                throw key.unavailable(error.detail)
            }
        }
    }

    /// The signature, with a second try in a new session where the first gave none.
    private func signature(over message: [UInt8], on lane: TokenThreads.Lane) throws(TokenFault) -> [UInt8] {
        do throws(TokenFault) {
            return try signatureAtOnce(over: message, on: lane)
        } catch {
            // Work that was given up is counted.
            guard error.name != "timeout" else { throw error }
            module.count(error.name)
            guard error.name != TokenFault.wrongSignature else { throw record(error, at: lane.place) }
        }
        do throws(TokenFault) {
            return try signatureAtOnce(over: message, on: lane)
        } catch {
            module.count(error.name)
            throw record(error, at: lane.place)
        }
    }

    /// ASN.1 DER, with one try, verified.
    private func signatureAtOnce(
        over message: [UInt8],
        on lane: TokenThreads.Lane,
        opening limit: Duration? = nil
    ) throws(TokenFault) -> [UInt8] {
        do throws(TokenFault) {
            let session = try lane.session(of: object, within: limit ?? threads.timeout * TokenThreads.patience)
            try threads.beginCall(on: lane, within: threads.timeout)
            let signature = try session.signature(over: message)
            guard publicKey.verifies(signature, over: message) else {
                throw TokenFault(
                    TokenFault.wrongSignature,
                    "the token gave a signature that the public key does not verify (\(TokenFault.wrongSignature)), and signs "
                        + "no more until every session has proved itself"
                )
            }
            return signature
        } catch {
            lane.dropSession(of: object)
            throw error
        }
    }

    // MARK: Its state

    /// A token's fault may end by itself: ``unavailability`` has it.
    package var failure: SigningFailure? { nil }

    package var unavailability: String? {
        fault.map { $0.detail + ($0.isFinal ? "" : "; it is asked again by itself") }
    }

    /// Why nothing is signed now.
    private var fault: TokenFault? {
        let hung = threads.hung
        return state.withLock { state in
            if let bar = state.bar { return bar }
            guard threads.places.allSatisfy({ state.faults[$0] != nil || hung.contains($0) }) else { return nil }
            return state.faults.values.first(where: \.isFinal) ?? state.faults.values.first ?? threads.lateness
        }
    }

    /// Whether sessions do not sign that may sign again.
    var isToBeTriedAgain: Bool {
        let isHung = !threads.hung.isEmpty
        return state.withLock { state in
            (isHung || !state.faults.isEmpty) && !state.faults.values.contains(where: \.isFinal)
        }
    }

    /// Whether the token answers nothing.
    var isCutOff: Bool { fault != nil && state.withLock { $0.bar == nil } }

    private var refusal: SigningFailure? { fault.map { unavailable($0.detail) } }

    private func unavailable(_ detail: String) -> SigningFailure {
        SigningFailure(keyIdentifier: keyIdentifier, detail: detail, isUnavailability: true)
    }

    /// Has a session prove itself; a fault is found in ``unavailability``.
    package func selfTest() async -> SigningFailure? {
        let step = try? work { [self] (signer) throws(SigningFailure) in
            guard let signer = signer as? LaneSigner else { return }
            do throws(TokenFault) {
                try prove(on: signer.lane)
            } catch {
                module.count(error.name)
                _ = record(error, at: signer.lane.place)
            }
        }
        _ = try? await step?.value()
        return nil
    }

    /// Takes a session out of use, or after a wrong signature all, until they have proved themselves; returns the fault.
    private func record(_ fault: TokenFault, at place: Int) -> TokenFault {
        state.withLock { state in
            state.faults[place] = fault
            guard fault.name == TokenFault.wrongSignature else { return }
            state.bar = fault
            for place in threads.places { state.faults[place] = fault }
        }
        module.recover()
        return fault
    }

    /// Has each session sign, those that did not in a new one, until one hangs; waits for that.
    func proveSessions() {
        let hung = threads.hung
        state.withLock { state in for place in hung { state.faults[place] = state.faults[place] ?? threads.lateness } }
        for place in threads.places {
            let isNew = state.withLock { $0.faults[place] != nil }
            do throws(TokenFault) {
                try prove(at: place, inNewSession: isNew)
                state.withLock { state in
                    state.faults[place] = nil
                    if state.faults.isEmpty { state.bar = nil }
                }
            } catch {
                module.count(error.name)
                _ = record(error, at: place)
                // One try a round is enough to find out whether calls still hang, or the PIN is locked.
                if error.isFinal || ["timeout", "CKR_PIN_LOCKED"].contains(error.name) { return }
            }
        }
    }

    private func prove(
        at place: Int,
        inNewSession isNew: Bool = false,
        opening limit: Duration? = nil
    ) throws(TokenFault) {
        guard threads.replaceHung(place) else { throw threads.lateness }
        try module.wait(on: { $0 == place }) { [self] (lane) throws(TokenFault) in
            if isNew { lane.dropSession(of: object) }
            try prove(on: lane, opening: limit)
        }
    }

    /// Signs random bytes, and verifies the signature.
    private func prove(on lane: TokenThreads.Lane, opening limit: Duration? = nil) throws(TokenFault) {
        _ = try signatureAtOnce(over: try TokenSession.randomBytes(), on: lane, opening: limit)
    }
}
