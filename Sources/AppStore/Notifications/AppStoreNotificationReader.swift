import EvidenceRecognition
public import Offers
import StrictJSON

/// Reads App Store Server Notifications V2: Apple's alone, and for an app of the catalog.
public struct AppStoreNotificationReader: NotificationReader {
    private let apps: [String: AppStoreApp]
    private let verifier: SignedDataVerifier

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - apps: The apps of the catalog; of two with one bundle identifier the first counts.
    ///   - verifier: Checks the App Store's signatures.
    public init(apps: [AppStoreApp], verifier: SignedDataVerifier) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.verifier = verifier
    }

    /// Reads a notification.
    ///
    /// - Parameter signedPayload: The `signedPayload` of the body, a JWS.
    /// - Returns: The notification.
    /// - Throws: `SignedDataFault` when it is not Apple's, or not for an app of the catalog.
    public func notification(_ signedPayload: String) throws(SignedDataFault) -> AppleNotification {
        do throws(SignedDataFault) {
            let verified = try verifier.payload(of: signedPayload)
            let payload = try verified.read("notification", NotificationPayload.init(json:))
            guard let id = payload.id, let type = payload.type, let bundleId = payload.bundleId else {
                throw SignedDataFault(.payloadMalformed, "The payload is signed, but not a notification's.")
            }
            return AppleNotification(
                id: id,
                type: type,
                subtype: payload.subtype,
                bundleId: bundleId,
                environment: try environment(of: payload, verified, for: bundleId),
                signedDate: verified.signedDate,
                history: try history(of: payload, signed: verified.signedDate)
            )
        } catch {
            let found = RecognisedContent(signedPayload)?.detail(in: .signedPayload)
            throw SignedDataFault(error.code, found ?? error.detail)
        }
    }

    /// The environment of a notification that is for an app of the catalog.
    private func environment(
        of payload: NotificationPayload,
        _ verified: SignedDataVerifier.Payload,
        for bundleId: String
    ) throws(SignedDataFault) -> AppStoreEnvironment {
        guard let app = apps[bundleId] else {
            throw SignedDataFault(
                .otherApp,
                "The notification is for \(Self.shortened(bundleId)), which is not in the catalog."
            )
        }
        guard let environment = try verified.environment(named: payload.environmentName) else {
            throw SignedDataFault(.otherApp, "The notification is from an environment that is none of Apple's.")
        }
        guard app.environments.contains(environment) else {
            throw SignedDataFault(
                .otherApp,
                "The notification is from \(environment.rawValue), which does not count for \(bundleId) by the catalog."
            )
        }
        if environment == .production, let expected = app.appAppleId, payload.appAppleId != expected {
            throw SignedDataFault(.otherApp, "The notification's appAppleId is not that of \(bundleId) in the catalog.")
        }
        return environment
    }

    /// The history in the transaction and renewal info of a notification; both must be of its app and environment.
    private func history(
        of payload: NotificationPayload,
        signed date: Timestamp
    ) throws(SignedDataFault) -> SubscriptionHistory? {
        guard let text = payload.signedTransaction else { return nil }
        var signed = SignedHistory()
        let transaction = try SignedTransaction(verifier.payload(of: text))
        guard transaction.bundleId == payload.bundleId, transaction.environment?.rawValue == payload.environmentName
        else {
            throw SignedDataFault(.mixed, "The transaction is of another app or environment than the notification.")
        }
        try signed.add(transaction)
        if let text = payload.signedRenewalInfo {
            let renewal = try SignedRenewalInfo(verifier.payload(of: text))
            guard renewal.originalTransactionId == transaction.transaction.originalTransactionId,
                renewal.environment == transaction.environment
            else {
                throw SignedDataFault(.mixed, "The renewal info is of another subscription than the transaction.")
            }
            signed.add(renewal)
        }
        signed.add(status: payload.status, of: transaction.transaction.originalTransactionId, asOf: date)
        return signed.history(coverage: .partial, asOf: date)
    }

    /// A name from outside, short enough for a log.
    private static func shortened(_ name: String) -> String { String(name.prefix(155)) }
}

/// The payload of a notification (`responseBodyV2DecodedPayload`), as far as it is needed.
///
/// What Apple adds is ignored. Which app it is for is in `data`, or in one of the members that stand in its place.
struct NotificationPayload {
    /// `notificationUUID`.
    private(set) var id: String?
    /// `notificationType`.
    private(set) var type: String?
    /// `subtype`.
    private(set) var subtype: String?
    /// The app.
    private(set) var bundleId: String?
    /// The app's Apple ID; the Sandbox leaves it out.
    private(set) var appAppleId: Int64?
    /// The environment, as it is named.
    private(set) var environmentName: String?
    /// What Apple says that the subscription is; `nil` where the notification is about none.
    private(set) var status: Int64?
    /// A signed transaction, a JWS.
    private(set) var signedTransaction: String?
    /// A signed renewal info, a JWS.
    private(set) var signedRenewalInfo: String?

    /// Reads a payload.
    init(json: [UInt8]) throws(JSONFault) {
        var payload = NotificationPayload()
        var reader = JSONReader(json, refusesDuplicates: false)
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "notificationUUID": payload.id = try reader.readAppleIdentifier()
            case "notificationType": payload.type = try reader.readAppleIdentifier()
            case "subtype": payload.subtype = try reader.readAppleIdentifier()
            case "data", "summary", "appData", "externalPurchaseToken": try payload.readData(from: &reader)
            default: try reader.skipValue()
            }
        }
        try reader.readEnd()
        self = payload
    }

    private init() {}

    private mutating func readData(from reader: inout JSONReader) throws(JSONFault) {
        guard try reader.nextType() == .object else {
            try reader.skipValue()
            return
        }
        var data = self
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "bundleId": data.bundleId = try reader.readAppleText()
            case "appAppleId": data.appAppleId = try reader.readAppleInteger()
            case "environment": data.environmentName = try reader.readAppleText()
            case "externalPurchaseId":
                // A token of an external purchase names no environment: its identifier says it.
                let isSandbox = try reader.readAppleText()?.hasPrefix("SANDBOX") ?? false
                let environment = isSandbox ? AppStoreEnvironment.sandbox : .production
                data.environmentName = data.environmentName ?? environment.rawValue
            case "status": data.status = try reader.readAppleInteger()
            case "signedTransactionInfo": data.signedTransaction = try reader.readAppleText()
            case "signedRenewalInfo": data.signedRenewalInfo = try reader.readAppleText()
            default: try reader.skipValue()
            }
        }
        self = data
    }
}
