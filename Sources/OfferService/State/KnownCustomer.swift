package import Offers

/// The customer of a request, with all that is known: a reference, which is handed on without a copy.
package final class KnownCustomer: Sendable {
    let signing: SigningApp
    let customer: Customer
    /// The server's clock when the evidence was there.
    let moment: Timestamp
    /// The subscriptions of which the App Store itself has spoken lately; `nil` where it need not have.
    let confirmed: Set<String>?
    /// The source of the evidence, beside which held state may count.
    let source: EvidenceSource

    /// The customer's purchases; `nil` if nothing is known.
    var book: Book? { customer.book }

    init(
        of signing: SigningApp,
        _ customer: Customer,
        from source: EvidenceSource,
        at moment: Timestamp,
        confirmed: Set<String>?
    ) {
        self.signing = signing
        self.customer = customer
        self.source = source
        self.moment = moment
        self.confirmed = confirmed
    }

    /// The same customer, with more subscriptions of which the App Store has spoken.
    func adding(confirmed others: Set<String>) -> KnownCustomer {
        let all = (confirmed ?? []).union(others)
        return KnownCustomer(of: signing, customer, from: source, at: moment, confirmed: all)
    }
}

/// The customer of a request: refused, known, or known after the App Store has been asked.
package typealias CustomerStep = Result<Step<KnownCustomer, SignatureFault>, SignatureFault>

/// The customers of requests that came together, in their order; later where the store of states has to be waited for.
package typealias Customers = Step<[CustomerStep], SignatureFault>
