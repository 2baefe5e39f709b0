/// The evidence of what a customer has, as a client sent it: not verified yet.
package enum Evidence: Sendable {
    /// A verifyReceipt answer that the app's backend fetched: the text of one JSON object.
    case receiptResponse(EvidenceText)
    /// StoreKit 2 transactions and renewal infos that the App Store signed: each a compact JWS.
    case signedTransactions([String], renewalInfos: [String])
    /// A question to the App Store.
    case question(AppStoreQuestion)

    /// The kind of the evidence.
    package var kind: EvidenceKind {
        switch self {
        case .receiptResponse: .receiptResponse
        case .signedTransactions: .signedTransactions
        case .question(.receipt): .receipt
        case .question(.transactionId): .transactionId
        }
    }

    /// Makes evidence of a verifyReceipt answer.
    ///
    /// - Parameter json: The text of one JSON object.
    /// - Returns: The evidence.
    package static func receiptResponse(json: [UInt8]) -> Evidence {
        .receiptResponse(EvidenceText(json, in: json.indices))
    }
}

/// Evidence as a range of the request's body, so that it is not copied.
package struct EvidenceText: Sendable {
    /// The body.
    package let bytes: [UInt8]
    /// The evidence's place in it.
    package let range: Range<Int>

    /// Creates a range of a body.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - range: The evidence's place in it.
    package init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }
}

/// The kinds of evidence that a request can carry; the raw values are the members of its `evidence` object.
package enum EvidenceKind: String, CaseIterable, Sendable {
    /// A verifyReceipt answer that the app's backend fetched.
    case receiptResponse
    /// A receipt, for the service to ask verifyReceipt about.
    case receipt
    /// StoreKit 2 transactions signed by the App Store (JWS).
    case signedTransactions
    /// A transaction id, for the service to ask the App Store Server API about.
    case transactionId
}

/// Evidence that is only a question: the App Store has the answer.
package enum AppStoreQuestion: Hashable, Sendable {
    /// An app receipt, or an iOS 6 style transaction receipt, in Base64.
    case receipt(base64: String)
    /// The identifier of any transaction of the customer; a new one was bought just now, so that Apple may not know it yet.
    case transactionId(String, isNew: Bool = false)

    /// Whether it is about a purchase that was made just now.
    package var isNew: Bool { if case .transactionId(_, isNew: true) = self { true } else { false } }
}

/// Turns evidence that is at hand into the history that decisions read: the port to Apple's side that needs no network.
package protocol EvidenceReader: Sendable {
    /// Reads evidence.
    ///
    /// - Parameter evidence: The evidence as it came.
    /// - Returns: What it says of the customer.
    /// - Throws: ``EvidenceFault`` when it cannot be taken, and for a question, which an ``EvidenceFetcher`` asks.
    func history(from evidence: Evidence) throws(EvidenceFault) -> SubscriptionHistory
}

/// Asks the App Store: the port to Apple's side that goes over the network.
package protocol EvidenceFetcher: Sendable {
    /// What Apple said of a customer a short while ago, without asking again.
    ///
    /// - Parameters:
    ///   - question: What would be asked about.
    ///   - bundleId: The app that is asked for.
    ///   - needsWholeHistory: Whether every transaction counts, not the newest ones alone.
    /// - Returns: What Apple said; `nil` when it has to be asked, by ``history(answering:for:needsWholeHistory:)``.
    func keptHistory(
        answering question: AppStoreQuestion,
        for bundleId: String,
        needsWholeHistory: Bool
    ) -> SubscriptionHistory?

    /// Asks about a customer.
    ///
    /// - Parameters:
    ///   - question: What to ask about.
    ///   - bundleId: The app that is asked for, by whose credentials Apple is asked.
    ///   - needsWholeHistory: Whether every transaction counts, not the newest ones alone.
    /// - Returns: What Apple says of the customer.
    /// - Throws: ``EvidenceFault`` when Apple knows no such thing, or gives no answer in time.
    func history(
        answering question: AppStoreQuestion,
        for bundleId: String,
        needsWholeHistory: Bool
    ) async throws(EvidenceFault) -> SubscriptionHistory
}

extension EvidenceFetcher {
    /// Keeps nothing by default.
    package func keptHistory(
        answering question: AppStoreQuestion,
        for bundleId: String,
        needsWholeHistory: Bool
    ) -> SubscriptionHistory? { nil }
}

/// Evidence that cannot be used: it is malformed, it is not genuine, or it cannot be checked now.
package struct EvidenceFault: Error, Equatable {
    /// Whose fault it is.
    package enum Kind: Equatable, Sendable {
        /// The text is not of the form that this kind of evidence has.
        case malformed
        /// The form is right, but Apple refuses it, or Apple cannot have made it.
        case rejected
        /// The catalog lacks a setting that this kind of evidence needs: it is not supported for the app.
        case unsupported
        /// It cannot be checked now: Apple cannot be reached, or refuses the service's own credentials.
        case unavailable(retryAfterSeconds: Int)
    }

    /// Whose fault it is.
    package let kind: Kind
    /// The fault's name in answers, in snake case.
    package let code: String
    /// The fault in a sentence or two.
    package let detail: String
    /// The member of `evidence` that the fault is in; `nil` for the one that names the kind of evidence.
    package let member: String?
    /// The JSON Pointer (RFC 6901) of the value at fault, from the evidence's own value on; empty for all of it.
    package let pointer: String

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - kind: Whose fault it is.
    ///   - code: The fault's name in answers, in snake case.
    ///   - detail: The fault in a sentence or two.
    ///   - member: The member of `evidence` that the fault is in; `nil` for the one that names the kind.
    ///   - pointer: The JSON Pointer of the value at fault, from the evidence's own value on.
    package init(_ kind: Kind, code: String, detail: String, member: String? = nil, pointer: String = "") {
        self.kind = kind
        self.code = code
        self.detail = detail
        self.member = member
        self.pointer = pointer
    }
}
