import NIOCore
import OfferService
import Offers

/// The calls of a tick that are each about a customer, by their kind.
struct CustomerCalls {
    /// The calls of one kind, each with its request.
    typealias OfKind<Call> = [(request: Request, call: Call)]

    var promotional: OfKind<SignatureRequest> = []
    var introductory: OfKind<IntroductorySignatureRequest> = []
    var eligibility: OfKind<EligibilityRequest> = []

    /// All of them, one kind after another.
    var all: [any CustomerRequest] {
        var all: [any CustomerRequest] = promotional.map(\.call)
        all += introductory.map { $0.call as any CustomerRequest }
        all += eligibility.map { $0.call as any CustomerRequest }
        return all
    }

    /// Their requests, in the same order.
    var requests: [Request] { promotional.map(\.request) + introductory.map(\.request) + eligibility.map(\.request) }
}

extension PublicEndpoints {
    /// Answers calls, with one look at what is held of all their customers.
    ///
    /// If the store of states has to be asked, that is one question, one task and one wake of the event loop.
    func answer(_ calls: CustomerCalls, on loop: any EventLoop) {
        switch signOffers.customers(of: calls.all) {
        case .now(let customers): answer(calls, customers, on: loop)
        case .later(let work):
            for request in calls.requests { request.waitElsewhere() }
            let bound = NIOLoopBound(calls, eventLoop: loop)
            Task {
                let customers = await work()
                loop.execute { self.answer(bound.value, customers, on: loop) }
            }
        }
    }

    private func answer(_ calls: CustomerCalls, _ customers: [CustomerStep], on loop: any EventLoop) {
        var rest = customers[...]
        func take(_ count: Int) -> ArraySlice<CustomerStep> {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        sign(calls.promotional, for: take(calls.promotional.count), on: loop)
        sign(calls.introductory, for: take(calls.introductory.count), on: loop)
        answer(calls.eligibility, for: rest)
    }

    /// The same work, with its faults as problems.
    static func work<Value>(
        evidence kind: EvidenceKind?,
        _ work: @escaping @Sendable () async throws(SignatureFault) -> Value
    ) -> @Sendable () async throws(Problem) -> Value {
        { () async throws(Problem) in
            do throws(SignatureFault) {
                return try await work()
            } catch {
                throw Problem(error, evidence: kind)
            }
        }
    }
}
