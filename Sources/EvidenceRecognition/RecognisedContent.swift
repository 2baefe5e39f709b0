/// A text that was sent in the wrong place or encoding, recognised for an error that says where it belongs.
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

    /// An encoding of a thing that its place does not undo.
    package enum Encoding: Equatable, Sendable {
        case base64
        case urlSafeBase64
        case unpaddedBase64
        case wrappedBase64
        case formEncoding
        case dataURI
        case pem
        case quotes
        case hexadecimal
        /// A receipt without its Base64, or JSON in a string.
        case plainText
    }

    /// The kind of thing.
    package let kind: Kind
    /// The encodings of it, the outermost first; empty if it is as it should be.
    package let encodings: [Encoding]

    init(_ kind: Kind, _ encodings: [Encoding] = []) {
        self.kind = kind
        self.encodings = encodings
    }

    /// The sentence about it in an error.
    ///
    /// - Parameter place: Where it was sent.
    /// - Returns: What it is, and where or how it is to be sent; `nil` where it is as it should be.
    package func detail(in place: Place) -> String? {
        let what = "This is \(kind.name)\(encodings.map(phrase).joined(separator: ","))."
        guard kind.home == place else { return "\(what) \(kind.advice)" }
        return encodings.isEmpty ? nil : "\(what) \(place.expectation)"
    }

    private func phrase(_ encoding: Encoding) -> String {
        switch encoding {
        case .base64 where kind == .receipt: " in Base64 twice"
        case .base64: " in Base64"
        case .urlSafeBase64: " in URL-safe Base64"
        case .unpaddedBase64: " in Base64 without its padding"
        case .wrappedBase64: " with line breaks or blanks"
        case .formEncoding: " that went through a web form (percent signs, or blanks for plus signs)"
        case .dataURI: " in a data: URI"
        case .pem: " in PEM"
        case .quotes: " in quotation marks or blanks"
        case .hexadecimal: " in hexadecimal digits"
        case .plainText where kind == .receipt: " without Base64"
        case .plainText: " as text"
        }
    }
}

extension RecognisedContent.Place {
    /// How the thing that belongs there is sent.
    fileprivate var expectation: String {
        switch self {
        case .receiptResponse: "Send the JSON object itself, not its text."
        case .receipt: "Send it in Base64 (RFC 4648 §4) once, with its padding and without line breaks."
        case .signedTransactions, .signedRenewalInfos, .signedPayload:
            "Send the JWS as it is: three parts in base64url with dots between them."
        case .transactionId: "Send its digits alone."
        }
    }
}

extension RecognisedContent {
    /// The kinds of things that are met in the wrong place.
    package enum Kind: Sendable, CaseIterable {
        // Signed: a JWS.
        case transaction
        case transactionWithoutBundleId
        case renewalInfo
        case appTransaction
        case notification
        case retentionRequest
        case signedOffer
        case bearerToken
        case otherJWS
        // JSON.
        case verifyReceiptAnswer
        case receiptOfAnswer
        case verifyReceiptRequest
        case notificationBody
        case oldNotification
        case serverAPIAnswer
        case decodedTransaction
        case decodedRenewalInfo
        case decodedAppTransaction
        case otherJSON
        // Other texts.
        case receipt
        case transactionId
        case uuid
        case privateKey
    }
}

extension RecognisedContent.Kind {
    /// The place that it belongs to; `nil` where it belongs to none.
    var home: RecognisedContent.Place? {
        switch self {
        case .transaction: .signedTransactions
        case .renewalInfo: .signedRenewalInfos
        case .notification: .signedPayload
        case .verifyReceiptAnswer: .receiptResponse
        case .receipt: .receipt
        case .transactionId: .transactionId
        default: nil
        }
    }

    /// Its name with the article.
    var name: String {
        switch self {
        case .transaction: "a StoreKit transaction (JWS)"
        case .transactionWithoutBundleId: "a JWS like that of a transaction, but without bundleId"
        case .renewalInfo: "a renewal info (JWS)"
        case .appTransaction: "an AppTransaction (JWS)"
        case .notification: "the signedPayload of an App Store Server Notification (JWS)"
        case .retentionRequest: "a retention messaging request of the App Store (JWS)"
        case .signedOffer: "an offer that was signed for StoreKit (JWS)"
        case .bearerToken: "a token for Apple's server APIs (JWS)"
        case .otherJWS: "a JWS of another kind"
        case .verifyReceiptAnswer: "a verifyReceipt answer"
        case .receiptOfAnswer: "the receipt member of a verifyReceipt answer"
        case .verifyReceiptRequest: "a request to verifyReceipt"
        case .notificationBody: "the body of an App Store Server Notification"
        case .oldNotification: "an App Store Server Notification of version 1"
        case .serverAPIAnswer: "an answer of the App Store Server API"
        case .decodedTransaction: "a decoded transaction (JSON)"
        case .decodedRenewalInfo: "a decoded renewal info (JSON)"
        case .decodedAppTransaction: "a decoded AppTransaction (JSON)"
        case .otherJSON: "JSON"
        case .receipt: "a receipt"
        case .transactionId: "a transaction identifier"
        case .uuid: "a UUID"
        case .privateKey: "a private key"
        }
    }

    /// The place where it belongs, or what to send instead.
    var advice: String {
        switch self {
        case .transaction: "It goes into signedTransactions of the evidence."
        case .transactionWithoutBundleId:
            "Every transaction of the App Store has one: send what StoreKit gives as jwsRepresentation, unchanged, in "
                + "signedTransactions."
        case .renewalInfo:
            "It goes into signedRenewalInfos, beside the transaction of its subscription in signedTransactions."
        case .appTransaction:
            "It says nothing of subscriptions: its appTransactionId goes into transactionId of the evidence, or send "
                + "transactions in signedTransactions."
        case .notification:
            "It goes to POST /v1/notifications, on the listener of notifications; the signedTransactionInfo in its data "
                + "goes into signedTransactions."
        case .retentionRequest:
            "It goes to POST /v1/retention-messages, on the listener of notifications, and is no evidence."
        case .signedOffer:
            "It is for the app's purchase, and no evidence: send what Apple signed, transactions in signedTransactions."
        case .bearerToken: "It is a credential, and belongs into no request here."
        case .otherJWS:
            "As evidence Apple's transactions count, in signedTransactions, with renewal infos in signedRenewalInfos."
        case .verifyReceiptAnswer: "It goes into receiptResponse of the evidence, as an object."
        case .receiptOfAnswer: "Send the whole answer, from its status on, as receiptResponse."
        case .verifyReceiptRequest:
            "Its receipt-data goes into receipt of the evidence; its password, the shared secret, into no request here."
        case .notificationBody:
            "It goes to POST /v1/notifications, on the listener of notifications."
        case .oldNotification:
            "Choose version 2 in App Store Connect, where the notifications' address is set (App Information, App Store "
                + "Server Notifications): version 1 is not signed."
        case .serverAPIAnswer:
            "Its signedTransactionInfo (or signedTransactions) goes into signedTransactions of the evidence, its "
                + "signedRenewalInfo into signedRenewalInfos."
        case .decodedTransaction:
            "Send it as Apple signed it, in signedTransactions: its JWS, such as jwsRepresentation of StoreKit."
        case .decodedRenewalInfo:
            "Send it as Apple signed it, in signedRenewalInfos: its JWS, such as jwsRepresentation of StoreKit."
        case .decodedAppTransaction: "Its appTransactionId goes into transactionId of the evidence."
        case .otherJSON: "It is none of the things that are evidence."
        case .receipt: "It goes into receipt of the evidence."
        case .transactionId: "It goes into transactionId of the evidence."
        case .uuid: "An account goes into appAccountToken, beside the evidence."
        case .privateKey:
            "It belongs into no request: regard it as known to others, and revoke it in App Store Connect."
        }
    }
}
