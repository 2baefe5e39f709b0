import Offers

/// The customer of a request, with all that is known: a reference, which is handed on without a copy.
package final class KnownCustomer: Sendable {
    let signing: SigningApp
    /// The customer's purchases; `nil` if nothing is known.
    let history: SharedHistory?
    /// The server's clock when the evidence was there.
    let moment: Timestamp
    /// The subscriptions of which the App Store itself has spoken lately; `nil` where it need not have.
    let confirmed: Set<String>?
    /// The source of the evidence, beside which held state may count.
    let source: EvidenceSource

    init(
        of signing: SigningApp,
        _ history: SharedHistory?,
        from source: EvidenceSource = .client,
        at moment: Timestamp,
        confirmed: Set<String>? = nil
    ) {
        self.signing = signing
        self.source = source
        self.history = history
        self.moment = moment
        self.confirmed = confirmed
    }

    /// The same customer, with more subscriptions of which the App Store has spoken.
    func adding(confirmed others: Set<String>) -> KnownCustomer {
        KnownCustomer(of: signing, history, from: source, at: moment, confirmed: (confirmed ?? []).union(others))
    }
}

/// The customer of a request, as far as is known without a wait.
package enum CustomerStep: Sendable {
    case known(KnownCustomer)
    /// The App Store has to be asked.
    case later(@Sendable () async throws(SignatureFault) -> KnownCustomer)
    case refused(SignatureFault)

    func value() async throws(SignatureFault) -> KnownCustomer {
        switch self {
        case .known(let customer): return customer
        case .later(let work): return try await work()
        case .refused(let fault): throw fault
        }
    }
}

/// The customers of requests that came together, in their order.
///
/// No ``Step`` that never fails: Swift 6.3.1's compiler crashes on one.
package enum Customers: Sendable {
    /// The state held for them was at hand.
    case now([CustomerStep])
    /// The store of states answers later: one question for all of them.
    case later(@Sendable () async -> [CustomerStep])

    package func value() async -> [CustomerStep] {
        switch self {
        case .now(let customers): return customers
        case .later(let work): return await work()
        }
    }
}
