import OfferService
import Offers
import StrictJSON

/// `POST /v1/signatures`.
typealias SignaturesEndpoint = OfferEndpoint<SignatureCall>
/// `POST /v1/eligibility`.
typealias EligibilityEndpoint = OfferEndpoint<EligibilityCall>
/// `POST /v1/introductory-eligibility-signatures`.
typealias IntroductorySignaturesEndpoint = OfferEndpoint<IntroductorySignatureCall>

/// A call that the main use case answers, asking the App Store where the evidence is not at hand.
struct OfferEndpoint<Call: OfferCall>: BodyEndpoint {
    private let clients: ClientDirectory
    private let signOffers: SignOffers

    /// Creates the endpoint.
    ///
    /// - Parameters:
    ///   - clients: Who may call.
    ///   - signOffers: The use case behind it.
    init(clients: ClientDirectory, signOffers: SignOffers) {
        self.clients = clients
        self.signOffers = signOffers
    }

    func admit(_ head: RequestHead) throws(Problem) -> Client {
        try clients.admitJSON(head, for: Call.scope)
    }

    func answer(_ body: [UInt8], for client: Client) async throws(Problem) -> [UInt8] {
        let (call, bundleId) = try take(body, from: client)
        do {
            return try await call.answer(for: client, of: bundleId, by: signOffers)
        } catch {
            throw Problem(error, evidence: call.evidence?.kind)
        }
    }

    /// Reads a call, and takes its signatures from the client's rate, when the client may make it.
    ///
    /// - Parameters:
    ///   - body: The request's body.
    ///   - client: The client that calls.
    /// - Returns: The call, and the app that it is for.
    /// - Throws: `Problem` 400, 403 or 429.
    func take(_ body: [UInt8], from client: Client) throws(Problem) -> (Call, bundleId: String) {
        let call: Call
        do {
            call = try signOffers.metrics.rooms.measure(.decode) { () throws(JSONFault) in try Call(json: body) }
        } catch {
            throw Problem(error)
        }
        let bundleId = try client.app(named: call.bundleId)
        if let kind = call.evidence?.kind, !client.evidence.contains(kind) {
            throw .evidenceNotAllowed(kind, for: client)
        }
        if call.signatureCount > 0 { try clients.take(signatures: call.signatureCount, for: client) }
        return (call, bundleId)
    }
}

/// The parts of a call for signatures, for who waits for the ledger without a task.
extension OfferEndpoint where Call == SignatureCall {
    /// Decides, as far as that goes without waiting.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - bundleId: The app that it is for.
    ///   - client: The client that calls.
    /// - Returns: How far it came.
    /// - Throws: `Problem` 400, 422 or 503.
    func begin(
        _ call: SignatureCall,
        of bundleId: String,
        for client: Client
    ) throws(Problem) -> SignOffers.Beginning {
        do {
            return try signOffers.begin(call.request(of: client, for: bundleId))
        } catch {
            throw Problem(error, evidence: call.evidence?.kind)
        }
    }

    /// Signs what was decided.
    ///
    /// - Parameters:
    ///   - decided: What was decided.
    ///   - kind: The kind of the call's evidence.
    /// - Returns: The answer, which has to be on record before it leaves.
    /// - Throws: `Problem` 503.
    func sign(_ decided: SignOffers.Decided, evidence kind: EvidenceKind?) throws(Problem) -> PreparedAnswer {
        do {
            return try signOffers.sign(decided)
        } catch {
            throw Problem(error, evidence: kind)
        }
    }

    /// Waits for whom a call has to wait.
    ///
    /// - Parameters:
    ///   - waiting: How far it came.
    ///   - kind: The kind of the call's evidence.
    /// - Returns: What was decided.
    /// - Throws: `Problem` 400, 422 or 503.
    func goOn(
        with waiting: SignOffers.Waiting,
        evidence kind: EvidenceKind?
    ) async throws(Problem) -> SignOffers.Decided {
        do {
            return try await signOffers.goOn(with: waiting)
        } catch {
            throw Problem(error, evidence: kind)
        }
    }

    /// Queues entries for the ledger.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - completion: Called once, from any thread: for each entry the outcomes of its grants; or why nothing may leave.
    func record(
        _ entries: [LedgerEntry],
        completion: @escaping @Sendable (Result<[[GrantOutcome]], SignatureFault>) -> Void
    ) {
        signOffers.record(entries, completion: completion)
    }

    /// The answer, once the ledger has spoken.
    ///
    /// - Parameters:
    ///   - prepared: What was signed.
    ///   - outcomes: The outcomes of its grants; or why nothing may leave.
    ///   - kind: The kind of the call's evidence.
    /// - Returns: The body of the answer, JSON.
    /// - Throws: `Problem` 503.
    func release(
        _ prepared: PreparedAnswer,
        by outcomes: Result<[GrantOutcome], SignatureFault>,
        evidence kind: EvidenceKind?
    ) throws(Problem) -> [UInt8] {
        do {
            let answer = signOffers.release(prepared, by: try outcomes.get())
            return signOffers.metrics.rooms.measure(.encode) { answer.json }
        } catch {
            throw Problem(error, evidence: kind)
        }
    }
}

/// The parts of a call for eligibility, for who answers without a task.
extension OfferEndpoint where Call == EligibilityCall {
    /// Decides, as far as that goes without waiting.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - bundleId: The app that it is for.
    /// - Returns: How far it came.
    /// - Throws: `Problem` 400, 422 or 503.
    func begin(_ call: EligibilityCall, of bundleId: String) throws(Problem) -> SignOffers.EligibilityBeginning {
        do {
            return try signOffers.begin(call.request(for: bundleId))
        } catch {
            throw Problem(error, evidence: call.evidence?.kind)
        }
    }

    /// How many decisions a call asks for, which may be as many as the catalog has offers.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - bundleId: The app that it is for.
    /// - Returns: The number.
    func decisionCount(of call: EligibilityCall, for bundleId: String) -> Int {
        signOffers.decisionCount(of: call.request(for: bundleId))
    }

    /// Answers a call, and waits where that has to be.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - bundleId: The app that it is for.
    /// - Returns: The body of the answer, JSON.
    /// - Throws: `Problem` 400, 422 or 503.
    func answer(_ call: EligibilityCall, of bundleId: String) async throws(Problem) -> [UInt8] {
        do {
            return encode(try await signOffers.eligibility(call.request(for: bundleId)))
        } catch {
            throw Problem(error, evidence: call.evidence?.kind)
        }
    }

    /// Waits for whom a call has to wait, and answers it.
    ///
    /// - Parameters:
    ///   - undecided: How far it came.
    ///   - kind: The kind of the call's evidence.
    /// - Returns: The body of the answer, JSON.
    /// - Throws: `Problem` 422 or 503.
    func goOn(
        with undecided: SignOffers.UndecidedEligibility,
        evidence kind: EvidenceKind?
    ) async throws(Problem) -> [UInt8] {
        do {
            return encode(try await signOffers.goOn(with: undecided))
        } catch {
            throw Problem(error, evidence: kind)
        }
    }

    /// The body of an answer.
    ///
    /// - Parameter answer: The answer.
    /// - Returns: The body, JSON.
    func encode(_ answer: EligibilityAnswer) -> [UInt8] {
        signOffers.metrics.rooms.measure(.encode) { answer.json }
    }
}
