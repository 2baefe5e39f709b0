package import Offers

/// The answer to Apple: on durable storage, as is the signature in it.
package struct RetentionReply: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case message
        case alternateProduct
        case promotionalOffer
    }

    package let body: [UInt8]
    package let kind: Kind
    /// The offer in it; `nil` for none, and where the answer is an earlier one.
    package let offer: OfferRequest?
    /// Whether the call was answered before.
    package let isRepeated: Bool

    init(body: [UInt8], kind: Kind, offer: OfferRequest?) {
        self.body = body
        self.kind = kind
        self.offer = offer
        isRepeated = false
    }

    /// An answer that was given before.
    init(repeating body: [UInt8]) {
        self.body = body
        // It begins with its kind: {"message":…
        kind = Kind.allCases.first { body.starts(with: Array("{\"\($0.rawValue)\"".utf8)) } ?? .message
        offer = nil
        isRepeated = true
    }
}

/// The reason why a call has no answer: nothing was recorded.
package enum RetentionRefusal: Error, Equatable, Sendable {
    /// It is not Apple's, or not for an app of the catalog.
    case notTaken(SignedDataFault)
    case tooOld(signedDate: Timestamp)
    /// It is dated ahead of the clock.
    case inFuture(signedDate: Timestamp)
    /// No rule of the app fits.
    case noRule
    /// There was no answer within the limit.
    case tooSlow
    /// The limit of calls under way is reached.
    case tooMany
    /// The state of the customer cannot be read.
    case state(String)
    /// The answer cannot be recorded.
    case ledger(StorageFailure)
    case signing(SigningFailure)

    var outcome: RetentionMetrics.Outcome {
        switch self {
        case .notTaken(let fault): fault.code == .otherApp ? .notInCatalog : .notApples
        case .tooOld: .tooOld
        case .inFuture: .inFuture
        case .noRule: .noRule
        case .tooSlow: .tooSlow
        case .tooMany: .full
        case .state: .state
        case .ledger(let failure): failure.code == .tooSlow ? .tooSlow : .ledger
        case .signing: .signing
        }
    }
}
