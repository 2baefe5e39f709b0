import NIOCore
import OfferService
import Offers

/// A call whose answer is signed, and leaves once the ledger has it.
protocol SigningCall: CustomerRequest {
    associatedtype Decided: Sendable
    associatedtype Answer: Sendable

    /// How many offers it asks to have signed.
    var offerCount: Int { get }

    init(json: [UInt8], from client: Client) throws(Problem)
    func decide(
        for customer: KnownCustomer,
        by signOffers: SignOffers
    ) throws(SignatureFault) -> Step<Decided, SignatureFault>
    static func sign(_ decided: Decided, by signOffers: SignOffers) throws(SignatureFault) -> PreparedAnswer<Answer>
    /// The answer's JSON, once the ledger has answered.
    static func release(
        _ prepared: PreparedAnswer<Answer>,
        by outcomes: [GrantOutcome],
        of signOffers: SignOffers
    ) -> [UInt8]
}

/// `POST /v1/signatures`.
extension SignatureRequest: SigningCall {
    var offerCount: Int { offers.count }

    func decide(
        for customer: KnownCustomer,
        by signOffers: SignOffers
    ) throws(SignatureFault) -> Step<SignOffers.Decided, SignatureFault> {
        try signOffers.decide(self, for: customer)
    }

    static func sign(
        _ decided: SignOffers.Decided,
        by signOffers: SignOffers
    ) throws(SignatureFault) -> PreparedAnswer<SignatureAnswer> {
        try signOffers.sign(decided)
    }

    static func release(
        _ prepared: PreparedAnswer<SignatureAnswer>,
        by outcomes: [GrantOutcome],
        of signOffers: SignOffers
    ) -> [UInt8] {
        let answer = signOffers.release(prepared, by: outcomes)
        return signOffers.metrics.rooms.measure(.encode) { answer.json }
    }
}

/// `POST /v1/introductory-eligibility-signatures`.
extension IntroductorySignatureRequest: SigningCall {
    var offerCount: Int { products.count }

    func decide(
        for customer: KnownCustomer,
        by signOffers: SignOffers
    ) throws(SignatureFault) -> Step<SignOffers.DecidedProducts, SignatureFault> {
        .now(try signOffers.decide(self, for: customer))
    }

    static func sign(
        _ decided: SignOffers.DecidedProducts,
        by signOffers: SignOffers
    ) throws(SignatureFault) -> PreparedAnswer<IntroductorySignatureAnswer> {
        try signOffers.sign(decided)
    }

    static func release(
        _ prepared: PreparedAnswer<IntroductorySignatureAnswer>,
        by outcomes: [GrantOutcome],
        of signOffers: SignOffers
    ) -> [UInt8] {
        let answer = signOffers.release(prepared, by: outcomes)
        return signOffers.metrics.rooms.measure(.encode) { answer.json }
    }
}

/// The calls whose answers are signed.
///
/// Each step is done for all requests of a tick before the next step begins: the code of one step fits into the
/// processor's first-level cache, the code of all steps does not. The signatures of a tick enter the ledger's queue
/// together, and its commit wakes the event loop once. A request that has to ask the App Store or the ledger waits in a
/// task. It is signed on the event loop afterwards, if its client is still connected.
extension PublicEndpoints {
    /// A request whose signatures wait for the ledger.
    private typealias Signed<Call: SigningCall> = (request: Request, prepared: PreparedAnswer<Call.Answer>)

    /// Reads a request, checks that the client may make it and that the queue has a place, and takes its signatures
    /// from the client's rate.
    ///
    /// - Returns: The call; `nil` when it was refused.
    /// - Throws: `Problem` 400, 403 or 429.
    func signingCall<Call: SigningCall>(of request: Request) throws(Problem) -> Call? {
        guard let client = request.client else { throw .tokenMissing }
        let call = try signOffers.metrics.rooms.measure(.decode) { () throws(Problem) in
            try Call(json: request.body, from: client)
        }
        guard request.move(to: .ledger(offers: call.offerCount)) else {
            request.refuse(.overloaded)
            return nil
        }
        try clients.take(signatures: call.offerCount, for: client)
        return call
    }

    /// Answers requests whose customers are known, or will be: some of them later.
    func sign<Call: SigningCall>(
        _ calls: CustomerCalls.OfKind<Call>,
        for customers: ArraySlice<CustomerStep>,
        on loop: any EventLoop
    ) {
        record(sign(decide(calls, for: customers, on: loop), Call.self), on: loop, Call.self)
    }

    /// Decides; a request that has to wait does so in a task.
    private func decide<Call: SigningCall>(
        _ calls: CustomerCalls.OfKind<Call>,
        for customers: ArraySlice<CustomerStep>,
        on loop: any EventLoop
    ) -> [(request: Request, decided: Call.Decided)] {
        var all: [(request: Request, decided: Call.Decided)] = []
        all.reserveCapacity(calls.count)
        for ((request, call), customer) in zip(calls, customers) {
            let kind = call.evidence?.kind
            guard hasPlace(request, offers: call.offerCount) else { continue }
            do throws(SignatureFault) {
                let step = try customer.get().then { [signOffers] (customer) throws(SignatureFault) in
                    try call.decide(for: customer, by: signOffers)
                }
                switch step {
                case .now(let decided): all.append((request, decided))
                case .later(let work):
                    request.wait(for: Self.work(evidence: kind, work)) { [self] request, result in
                        goOn(with: request, call, result, on: loop)
                    }
                }
            } catch {
                request.finish(.failure(Problem(error, evidence: kind)))
            }
        }
        return all
    }

    /// Gives a request that may have waited elsewhere its place before the ledger.
    ///
    /// - Returns: Whether its client still is there: nothing is signed for one that has gone.
    private func hasPlace(_ request: Request, offers count: Int) -> Bool {
        guard request.isWaiting else {
            request.giveUp()
            return false
        }
        return request.move(to: .ledgerAfterWait(offers: count))
    }

    /// Goes on with a request that has waited.
    private func goOn<Call: SigningCall>(
        with request: Request,
        _ call: Call,
        _ result: Result<Call.Decided, Problem>,
        on loop: any EventLoop
    ) {
        switch result {
        case .success(let decided):
            guard hasPlace(request, offers: call.offerCount) else { return }
            record(sign([(request, decided)], Call.self), on: loop, Call.self)
        case .failure(let problem): request.finish(.failure(problem))
        }
    }

    /// Signs; a request of which nothing is signed is answered at once.
    private func sign<Call: SigningCall>(
        _ all: [(request: Request, decided: Call.Decided)],
        _: Call.Type
    ) -> [Signed<Call>] {
        var signed: [Signed<Call>] = []
        signed.reserveCapacity(all.count)
        for (request, decided) in all {
            do throws(SignatureFault) {
                let prepared = try Call.sign(decided, by: signOffers)
                if prepared.entry == nil {
                    request.finish(.success(Reply(Call.release(prepared, by: [], of: signOffers))))
                } else {
                    signed.append((request, prepared))
                }
            } catch {
                request.finish(.failure(Problem(error, evidence: nil)))
            }
        }
        return signed
    }

    /// Has the ledger record the signatures, and gives out those that it took.
    private func record<Call: SigningCall>(_ signed: [Signed<Call>], on loop: any EventLoop, _: Call.Type) {
        guard !signed.isEmpty else { return }
        let bound = NIOLoopBound(signed, eventLoop: loop)
        signOffers.record(signed.compactMap(\.prepared.entry)) { [signOffers] result in
            loop.execute {
                let signed = bound.value
                let replies = signed.enumerated().map { index, one in
                    result.map { outcomes in
                        // A grant without an outcome is not given out.
                        let ofOne = outcomes.indices.contains(index) ? outcomes[index] : []
                        return Reply(Call.release(one.prepared, by: ofOne, of: signOffers))
                    }.mapError { Problem($0, evidence: nil) }
                }
                for (one, reply) in zip(signed, replies) { one.request.finish(reply) }
            }
        }
    }
}
