/// A text that was sent in the wrong place, recognised for an error that says where it belongs.
///
/// All readers of requests share it. Nothing of the text is believed, and nothing of it is repeated. Anything uncertain
/// is not recognised.
package struct RecognisedContent: Equatable, Sendable {
    /// The place of a text in a request; the raw values are the members' names.
    package enum Place: String, Sendable {
        case receiptResponse
        case receipt
        case signedTransactions
        case signedRenewalInfos
        case transactionId
        case signedPayload
    }

    package let kind: Kind
    /// Whether it is in Base64, once more than its kind should be.
    let isInBase64: Bool
    /// Whether it is URL-encoded, or was decoded as a form is, in which plus signs are blanks.
    var isURLEncoded = false

    init(_ kind: Kind, isInBase64: Bool = false) {
        self.kind = kind
        self.isInBase64 = isInBase64
    }

    /// The sentences about it in an error; `nil` where it is as it should be.
    package func detail(in place: Place) -> String? {
        let encoding = !isInBase64 ? "" : kind == .receipt ? " in Base64 twice" : " in Base64"
        let what = "This is \(kind.name)\(encoding)\(isURLEncoded ? ", URL-encoded" : "")."
        // A JWS has none of the characters that a URL encodes: its reader names those that do not belong there.
        if isURLEncoded, kind == .otherJWS || kind.home == place && kind != .receipt { return nil }
        // Apple signs the payloads of its calls alone: why it is none of them says its reader.
        if kind == .otherJWS, place == .signedPayload { return nil }
        guard kind.home == place else { return "\(what) \(kind.advice)" }
        if isURLEncoded { return "\(what) Send it as it is, with its plus signs, and without percent signs." }
        return isInBase64 ? "\(what) Send it as it is, without that Base64." : nil
    }
}

extension RecognisedContent {
    /// The kinds of things that are met in the wrong place: a row each.
    package struct Kind: Equatable, Sendable {
        /// Its name with the article.
        let name: String
        /// The place that it belongs to; `nil` where it belongs to none.
        let home: Place?
        /// The place where it belongs, or what to send instead.
        let advice: String

        private init(_ name: String, home: Place? = nil, _ advice: String? = nil) {
            self.name = name
            self.home = home
            self.advice = advice ?? home.map { "It goes into \($0.rawValue) of the evidence." } ?? ""
        }

        static let transaction = Kind("a StoreKit transaction (JWS)", home: .signedTransactions)
        static let renewalInfo = Kind(
            "a renewal info (JWS)",
            home: .signedRenewalInfos,
            "It goes into signedRenewalInfos, beside the transaction of its subscription in signedTransactions."
        )
        static let appTransaction = Kind(
            "an AppTransaction (JWS)",
            "It says nothing of subscriptions: its appTransactionId goes into transactionId of the evidence."
        )
        static let notification = Kind(
            "the signedPayload of an App Store Server Notification (JWS)",
            home: .signedPayload,
            "It goes to POST /v1/notifications, on the listener of notifications."
        )
        package static let retentionRequest = Kind(
            "a retention messaging request of the App Store (JWS)",
            "It goes to POST /v1/retention-messages, on the listener of notifications, and is no evidence."
        )
        static let otherJWS = Kind(
            "a JWS of another kind",
            "Apple's signed transactions count: as evidence in signedTransactions, with renewal infos in signedRenewalInfos."
        )
        static let verifyReceiptAnswer = Kind(
            "a verifyReceipt answer",
            home: .receiptResponse,
            "It goes into receiptResponse of the evidence, as an object."
        )
        static let oldNotification = Kind(
            "an App Store Server Notification of version 1",
            "Choose version 2 in App Store Connect, where the notifications' address is set (App Information, App Store "
                + "Server Notifications): version 1 is not signed."
        )
        static let decoded = Kind(
            "decoded data of StoreKit or the App Store Server API (JSON)",
            "Send it as Apple signed it: transactions in signedTransactions, each a JWS such as StoreKit's "
                + "jwsRepresentation."
        )
        static let unityReceipt = Kind(
            "a receipt of Unity IAP (JSON)",
            "Apple's receipt is the text of its Payload, which goes into receipt of the evidence, or into "
                + "signedTransactions where it is a JWS."
        )
        static let receipt = Kind("a receipt", home: .receipt)
        static let transactionId = Kind("a transaction identifier", home: .transactionId)
        static let uuid = Kind("a UUID", "An account goes into appAccountToken, beside the evidence.")
        static let privateKey = Kind(
            "a private key",
            "It belongs into no request: regard it as known to others, and revoke it in App Store Connect."
        )
    }
}
