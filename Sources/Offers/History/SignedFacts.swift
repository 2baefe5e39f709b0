/// The bundle of subscriptions that a transaction came with, as far as Apple says (StoreKit 27, `bundleTransactionID` and
/// the like).
///
/// A component of a bundle is not paid for by itself. What Apple's server says of bundles is not published: nothing is
/// concluded from it but that there is a bundle, and whether it runs.
package indirect enum SubscriptionBundle: Equatable, Sendable {
    case of(originalTransactionId: String?, transactionId: String?, productId: String?)

    package var originalTransactionId: String? { if case .of(let id, _, _) = self { id } else { nil } }
    package var transactionId: String? { if case .of(_, let id, _) = self { id } else { nil } }
    package var productId: String? { if case .of(_, _, let id) = self { id } else { nil } }

    var text: String { [originalTransactionId, transactionId, productId].map { $0 ?? "" }.joined(separator: " ") }

    /// Whether a transaction is the bundle's own.
    func isNamed(by transaction: Transaction) -> Bool {
        transaction.originalTransactionId == originalTransactionId
            || transactionId != nil && transaction.transactionId == transactionId
    }
}

/// Why a subscription ended, as far as Apple says (`expirationIntent`); the names are those of `catalog.yaml`.
package enum LapseReason: String, CaseIterable, Sendable {
    /// The customer cancelled.
    case voluntary
    /// The payment failed until Apple gave up.
    case billing
    /// The customer did not accept a higher price.
    case priceIncrease
    /// The product was not for sale at the renewal.
    case unavailable

    /// Reads Apple's number; `nil` for any other, such as 5 (another reason).
    package init?(intent: Int64) {
        switch intent {
        case 1: self = .voluntary
        case 2: self = .billing
        case 3: self = .priceIncrease
        case 4: self = .unavailable
        default: return nil
        }
    }

    package var intent: Int64 {
        switch self {
        case .voluntary: 1
        case .billing: 2
        case .priceIncrease: 3
        case .unavailable: 4
        }
    }
}

/// A price increase that a subscription is going to have (`priceIncreaseStatus`); the raw values are kept in storage.
package enum PriceIncrease: Int64, Sendable {
    case notDue = 0
    /// Asked, and not answered.
    case pending = 1
    /// The customer has accepted, or need not answer.
    case accepted = 2
    /// Another number than Apple's, or one that was not stored.
    case unknown = 3

    /// Reads Apple's number, as text; `nil` where there is none.
    package init(_ status: String?) {
        self =
            switch status {
            case nil: .notDue
            case "0": .pending
            case "1": .accepted
            default: .unknown
            }
    }
}
