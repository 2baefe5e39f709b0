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
    ///   - verifier: Tells the App Store's signed data from forgeries.
    public init(apps: [AppStoreApp], verifier: SignedDataVerifier) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.verifier = verifier
    }

    /// Reads a notification.
    ///
    /// - Parameter signedPayload: The `signedPayload` of the body, a JWS.
    /// - Returns: The notification.
    /// - Throws: `NotificationFault` when it is not Apple's, or not for an app of the catalog.
    public func notification(_ signedPayload: String) throws(NotificationFault) -> AppleNotification {
        do throws(SignedDataFault) {
            let verified = try verifier.payload(of: signedPayload)
            let payload: NotificationPayload
            do throws(JSONFault) {
                payload = try NotificationPayload(json: verified.json)
            } catch {
                throw SignedDataFault(
                    .payloadMalformed,
                    "The notification's \(error.pointer) cannot be read: \(error.detail)"
                )
            }
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
            throw NotificationFault(code: error.code.rawValue, detail: found ?? error.detail)
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

    /// What the transaction and renewal info of a notification say; both have to be of its app and environment.
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
