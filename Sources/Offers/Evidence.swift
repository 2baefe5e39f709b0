/// The evidence of what a customer has, as a client sent it: not verified yet.
package enum Evidence: Sendable {
    case receiptResponse(EvidenceText)
    /// StoreKit 2 transactions and renewal infos: each a compact JWS.
    case signedTransactions([String], renewalInfos: [String])
    /// Evidence that the App Store is asked for.
    case question(AppStoreQuestion)

    package var kind: EvidenceKind {
        switch self {
        case .receiptResponse: .receiptResponse
        case .signedTransactions: .signedTransactions
        case .question(.receipt): .receipt
        case .question(.transactionId): .transactionId
        }
    }

    /// A verifyReceipt answer: the text of one JSON object.
    package static func receiptResponse(json: [UInt8]) -> Evidence {
        .receiptResponse(EvidenceText(json, in: json.indices))
    }
}

/// The kinds of evidence that a request can carry: a row each.
///
/// The raw value is the member of `evidence`, and the name in `clients.yaml` and in the ledger.
package enum EvidenceKind: String, CaseIterable, Sendable {
    /// A verifyReceipt answer that the app's backend fetched: it has no signature, so the backend could have written it.
    case receiptResponse
    /// A receipt, for the service to ask verifyReceipt about.
    case receipt
    /// StoreKit 2 transactions signed by the App Store (JWS).
    case signedTransactions
    /// A transaction id, for the service to ask the App Store Server API about.
    case transactionId

    /// Whether it is Apple's word, signed by Apple or asked of Apple: only such evidence is remembered.
    package var isApplesWord: Bool {
        switch self {
        case .receiptResponse: false
        case .receipt, .signedTransactions, .transactionId: true
        }
    }

    /// Whether a client may send it without being allowed to by name: not what anybody with its token could make up.
    package var isAllowedByDefault: Bool { isApplesWord }
}

/// Evidence as a range of the request's body, so that it is not copied.
package struct EvidenceText: Sendable {
    package let bytes: [UInt8]
    package let range: Range<Int>

    package init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }
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

/// Turns evidence that is at hand into the book that decisions read: the port to Apple's side that needs no network.
package protocol EvidenceReader: Sendable {
    /// Throws for a question, too: an ``EvidenceFetcher`` asks it.
    func book(from evidence: Evidence) throws(EvidenceFault) -> Book
}

/// Asks the App Store: the port to Apple's side that goes over the network.
///
/// `needsWholeHistory` is whether every transaction counts, not the newest ones alone.
package protocol EvidenceFetcher: Sendable {
    /// Apple's answer of a short while ago; `nil` when Apple has to be asked.
    func keptHistory(
        answering question: AppStoreQuestion,
        for bundleId: String,
        needsWholeHistory: Bool
    ) -> Book?

    /// Asks about a customer, by the credentials of the app, for a client; `nil` is the service itself.
    func history(
        answering question: AppStoreQuestion,
        for bundleId: String,
        by client: String?,
        needsWholeHistory: Bool
    ) async throws(EvidenceFault) -> Book
}

extension EvidenceFetcher {
    package func keptHistory(
        answering question: AppStoreQuestion,
        for bundleId: String,
        needsWholeHistory: Bool
    ) -> Book? { nil }
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

    package let kind: Kind
    /// The fault's name in answers, in snake case.
    package let code: String
    /// The fault in a sentence or two.
    package let detail: String
    /// The member of `evidence` that the fault is in; `nil` for the one that names the kind of evidence.
    package let member: String?
    /// The JSON Pointer (RFC 6901) of the value at fault, from the evidence's own value on; empty for all of it.
    package let pointer: String

    package init(_ kind: Kind, code: String, detail: String, member: String? = nil, pointer: String = "") {
        self.kind = kind
        self.code = code
        self.detail = detail
        self.member = member
        self.pointer = pointer
    }
}

extension EvidenceFault {
    /// The fault of what cannot be answered while this machine's clock is not Apple's, with the difference in words.
    package static func clockWrong(_ difference: String) -> EvidenceFault {
        EvidenceFault(
            .unavailable(retryAfterSeconds: 30),
            code: "clock_wrong",
            detail: "Nothing that needs the time of day is answered: \(difference)."
        )
    }
}
