package import Offers

/// A request about one customer of an app.
package protocol CustomerRequest: Sendable {
    /// The app's bundle identifier.
    var bundleId: String { get }
    /// The customer's account.
    var account: Account { get }
    /// What shows what the customer has; `nil` to decide by the state that the service holds.
    var evidence: Evidence? { get }
    /// Whether every transaction counts, not the newest ones alone.
    var needsWholeHistory: Bool { get }
}

extension SignatureRequest: CustomerRequest {
    /// The newest transactions are enough.
    package var needsWholeHistory: Bool { false }
}

extension IntroductorySignatureRequest: CustomerRequest {
    /// A refusal is signed whatever the customer had.
    package var needsWholeHistory: Bool { allowIntroductoryOffer }
}

extension EligibilityRequest: CustomerRequest {
    /// An introductory offer is for customers who never had one.
    package var needsWholeHistory: Bool { !products.isEmpty }
}

/// The customer of a request, with all that is known: a reference, which is handed on without a copy.
package final class KnownCustomer: Sendable {
    /// The app that was asked for, with its key.
    let signing: SigningApp
    /// The purchases of the customer; `nil` if nothing is known.
    let history: SharedHistory?
    /// The server's clock when the evidence was there.
    let moment: Timestamp
    /// The subscriptions of which the App Store itself has spoken lately; `nil` where that need not be so.
    let told: Set<String>?

    init(of signing: SigningApp, _ history: SharedHistory?, at moment: Timestamp, told: Set<String>? = nil) {
        self.signing = signing
        self.history = history
        self.moment = moment
        self.told = told
    }

    /// The same customer, with more subscriptions of which the App Store has spoken.
    func adding(told others: Set<String>) -> KnownCustomer {
        KnownCustomer(of: signing, history, at: moment, told: (told ?? []).union(others))
    }
}

/// The customer of a request: known, or after a wait for the App Store; or why the request has no answer.
package typealias CustomerStep = Result<Step<KnownCustomer, SignatureFault>, SignatureFault>

/// The customers of requests that came together, in their order.
package enum Customers: Sendable {
    /// The state held for them was at hand.
    case now([CustomerStep])
    /// The store of states has to be waited for: one question for all of them.
    case later(@Sendable () async -> [CustomerStep])

    /// The customers, waiting where that has to be.
    ///
    /// - Returns: The customers.
    package func value() async -> [CustomerStep] {
        switch self {
        case .now(let customers): return customers
        case .later(let work): return await work()
        }
    }
}
