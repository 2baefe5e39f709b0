import EvidenceRecognition
package import Offers
import StrictJSON

/// Reads App Store Server Notifications V2: Apple's alone.
package struct AppStoreNotificationReader: NotificationReader {
    private let apps: [String: AppStoreApp]
    private let verifier: SignedDataVerifier

    /// Of two apps with one bundle identifier the first counts.
    package init(apps: [AppStoreApp], verifier: SignedDataVerifier) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.verifier = verifier
    }

    package func notification(_ signedPayload: String) throws(SignedDataFault) -> GenuineNotification {
        do throws(SignedDataFault) {
            let verified = try verifier.payload(of: signedPayload)
            let payload = try verified.read("notification", NotificationPayload.init(json:))
            guard let id = payload.id, let type = payload.type else {
                throw SignedDataFault(.payloadMalformed, "The payload is signed, but not a notification's.")
            }
            let environment = try verified.environment(named: payload.environmentName)
            guard let bundleId = payload.bundleId else { return .ofNobody(type: type) }
            guard let app = apps[bundleId] else {
                return .ofOtherApp(bundleId: Self.shortened(bundleId), type: type)
            }
            let parts = try parts(of: payload)
            guard let environment else { return .ofNobody(type: type) }
            try Self.check(environment, payload.appAppleId, of: app)
            let book = try parts.isUnderstood ? book(of: parts, in: payload, at: verified.signedDate) : nil
            return .ours(
                AppleNotification(
                    id: id,
                    type: type,
                    subtype: payload.subtype,
                    bundleId: bundleId,
                    environment: environment,
                    signedDate: verified.signedDate,
                    book: book,
                    isUnderstood: parts.isUnderstood
                )
            )
        } catch {
            let found = RecognisedContent(signedPayload)?.detail(in: .signedPayload)
            throw SignedDataFault(error.code, found ?? error.detail)
        }
    }

    /// Refuses an environment that the catalog does not list for the app, and another app's Apple ID.
    private static func check(
        _ environment: AppStoreEnvironment,
        _ appAppleId: Int64?,
        of app: AppStoreApp
    ) throws(SignedDataFault) {
        guard app.environments.contains(environment) else {
            throw SignedDataFault(
                .otherApp,
                "The notification is from \(environment.rawValue), which does not count for \(app.bundleId) by the "
                    + "catalog."
            )
        }
        if environment == .production, let expected = app.appAppleId, appAppleId != expected {
            throw SignedDataFault(
                .otherApp,
                "The notification's appAppleId is not that of \(app.bundleId) in the catalog."
            )
        }
    }

    /// The parts of a notification about a subscription, with good signatures.
    private struct Parts {
        var transaction: SignedTransaction?
        var renewalInfo: SignedRenewalInfo?
        var isUnderstood: Bool
    }

    private func parts(of payload: NotificationPayload) throws(SignedDataFault) -> Parts {
        var parts = Parts(isUnderstood: payload.isUnderstood)
        if let text = payload.signedTransaction {
            parts.transaction = try part(text, SignedTransaction.init)
            parts.isUnderstood = parts.isUnderstood && parts.transaction?.environment != nil
        }
        if let text = payload.signedRenewalInfo {
            parts.renewalInfo = try part(text, SignedRenewalInfo.init)
            parts.isUnderstood = parts.isUnderstood && parts.renewalInfo?.environment != nil
        }
        return parts
    }

    /// Reads a part; refuses one that Apple did not sign, and gives `nil` for one that it signed and that cannot be read.
    private func part<Part>(
        _ text: String,
        _ read: (SignedDataVerifier.Payload) throws(SignedDataFault) -> Part
    ) throws(SignedDataFault) -> Part? {
        do throws(SignedDataFault) {
            return try read(verifier.payload(of: text))
        } catch {
            guard error.code == .payloadMalformed else { throw error }
            return nil
        }
    }

    /// The book of the transaction and renewal info of a notification; both must be of its app and environment.
    ///
    /// They count from when the newer of them was signed: the notification itself may be signed again for another attempt.
    /// Its status is as of its own date (App Store Server Notifications, `data.status`).
    private func book(
        of parts: Parts,
        in payload: NotificationPayload,
        at date: Timestamp
    ) throws(SignedDataFault) -> Book? {
        guard let transaction = parts.transaction else { return nil }
        var signed = SignedBook()
        var newest = transaction.signedDate
        guard transaction.bundleId == payload.bundleId, transaction.environment?.rawValue == payload.environmentName
        else {
            throw SignedDataFault(.mixed, "The transaction is of another app or environment than the notification.")
        }
        try signed.add(transaction)
        if let renewal = parts.renewalInfo {
            guard renewal.originalTransactionId == transaction.transaction.originalTransactionId,
                renewal.environment == transaction.environment
            else {
                throw SignedDataFault(.mixed, "The renewal info is of another subscription than the transaction.")
            }
            signed.add(renewal)
            newest = max(newest, renewal.signedDate)
        }
        signed.add(status: payload.status, of: transaction.transaction.originalTransactionId, asOf: date)
        return signed.book(coverage: .partial, asOf: newest)
    }

    /// A name from outside, short enough for a log.
    private static func shortened(_ name: String) -> String { String(name.prefix(155)) }
}

/// The payload of a notification (`responseBodyV2DecodedPayload`), as far as it is needed.
///
/// What Apple adds is ignored. Which app it is for is in `data`, or in one of the members that stand in its place.
struct NotificationPayload {
    private(set) var id: String?
    private(set) var type: String?
    private(set) var subtype: String?
    private(set) var bundleId: String?
    private(set) var appAppleId: Int64?
    /// The environment, as it is named.
    private(set) var environmentName: String?
    /// What Apple says that the subscription is; `nil` where the notification is about none.
    private(set) var status: Int64?
    private(set) var signedTransaction: String?
    private(set) var signedRenewalInfo: String?
    /// Whether each member that is read here has the form that Apple documents.
    private(set) var isUnderstood = true

    init(json: [UInt8]) throws(JSONFault) {
        try JSONReader.membersOfApple(json) { (name, reader) throws(JSONFault) in
            switch name {
            case "notificationUUID": id = try reader.readAppleIdentifier()
            case "notificationType": type = try reader.readAppleIdentifier()
            case "subtype": subtype = try text(from: &reader)
            case "data", "summary", "appData", "externalPurchaseToken": try readData(from: &reader)
            default: try reader.skipValue()
            }
        }
        // It is kept: what a database could not give back as it was must not get there.
        if let text = subtype,
            text.utf8.count > JSONReader.longestIdentifier || ControlCharacter.isFound(in: text)
        {
            subtype = nil
            isUnderstood = false
        }
    }

    /// Reads text; anything but plain values leaves the contents unknown.
    private mutating func text(from reader: inout JSONReader) throws(JSONFault) -> String? {
        switch try reader.nextType() {
        case .object, .array:
            isUnderstood = false
            try reader.skipValue()
            return nil
        default: return try reader.readAppleText()
        }
    }

    /// Reads a whole number; anything else leaves the contents unknown.
    private mutating func number(from reader: inout JSONReader) throws(JSONFault) -> Int64? {
        guard let text = try text(from: &reader) else { return nil }
        let number = Int64(text)
        if number == nil { isUnderstood = false }
        return number
    }

    private mutating func readData(from reader: inout JSONReader) throws(JSONFault) {
        guard try reader.nextType() == .object else {
            isUnderstood = false
            try reader.skipValue()
            return
        }
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "bundleId": bundleId = try text(from: &reader)
            case "appAppleId": appAppleId = try number(from: &reader)
            case "environment": environmentName = try text(from: &reader)
            case "externalPurchaseId":
                // A token of an external purchase names no environment: its identifier says it.
                let isSandbox = try text(from: &reader)?.hasPrefix("SANDBOX") ?? false
                let environment = isSandbox ? AppStoreEnvironment.sandbox : .production
                environmentName = environmentName ?? environment.rawValue
            case "status": status = try number(from: &reader)
            case "signedTransactionInfo": signedTransaction = try text(from: &reader)
            case "signedRenewalInfo": signedRenewalInfo = try text(from: &reader)
            default: try reader.skipValue()
            }
        }
    }
}
