import EvidenceRecognition
package import Offers
import StrictJSON

/// Reads Apple's calls for retention messages: Apple's alone, and for an app of the catalog.
///
/// A call names its app by the Apple ID, and carries no bundle identifier.
package struct AppStoreRetentionCallReader: RetentionCallReader {
    private let apps: [Int64: AppStoreApp]
    private let verifier: SignedDataVerifier

    /// An app without an Apple ID is never found; of two with one the first counts.
    package init(apps: [AppStoreApp], verifier: SignedDataVerifier) {
        self.apps = Dictionary(
            apps.compactMap { app in app.appAppleId.map { ($0, app) } },
            uniquingKeysWith: { first, _ in first }
        )
        self.verifier = verifier
    }

    package func retentionCall(_ signedPayload: String) throws(SignedDataFault) -> RetentionCall {
        do throws(SignedDataFault) {
            let verified = try verifier.payload(of: signedPayload)
            let payload = try verified.read("payload", Payload.init(json:))
            guard let id = payload.originalTransactionId, let appAppleId = payload.appAppleId,
                let productId = payload.productId, let requestIdentifier = payload.requestIdentifier
            else {
                throw SignedDataFault(
                    .payloadMalformed,
                    "The payload is signed, but not a call for a retention message: that has originalTransactionId, "
                        + "appAppleId, productId and requestIdentifier."
                )
            }
            let (app, environment) = try place(of: appAppleId, payload.environmentName, verified)
            return RetentionCall(
                subscription: SubscriptionIdentity(
                    bundleId: app.bundleId,
                    environment: environment,
                    originalTransactionId: id
                ),
                productId: productId,
                locale: payload.userLocale,
                requestIdentifier: requestIdentifier,
                signedDate: verified.signedDate
            )
        } catch {
            let found = RecognisedContent(signedPayload)
            let words = found?.kind == .retentionRequest ? nil : found?.detail(in: .signedPayload)
            throw SignedDataFault(error.code, words ?? error.detail)
        }
    }

    private func place(
        of appAppleId: Int64,
        _ environmentName: String?,
        _ verified: SignedDataVerifier.Payload
    ) throws(SignedDataFault) -> (AppStoreApp, AppStoreEnvironment) {
        guard let app = apps[appAppleId] else {
            throw SignedDataFault(
                .otherApp,
                "The call is for the app \(appAppleId), which is no appAppleId of the catalog."
            )
        }
        guard let environment = try verified.environment(named: environmentName) else {
            throw SignedDataFault(.otherApp, "The call is from an environment that is none of Apple's.")
        }
        guard app.environments.contains(environment) else {
            throw SignedDataFault(
                .otherApp,
                "The call is from \(environment.rawValue), which does not count for \(app.bundleId) by the catalog."
            )
        }
        return (app, environment)
    }
}

/// The payload of a call (`DecodedRealtimeRequestBody`); what Apple adds is ignored.
private struct Payload {
    var originalTransactionId: String?
    var appAppleId: Int64?
    var productId: String?
    var userLocale: String?
    var requestIdentifier: String?
    var environmentName: String?

    init(json: [UInt8]) throws(JSONFault) {
        try JSONReader.membersOfApple(json) { (name, reader) throws(JSONFault) in
            switch name {
            case "originalTransactionId": originalTransactionId = try reader.readAppleIdentifier()
            case "appAppleId": appAppleId = try reader.readAppleInteger()
            case "productId": productId = try reader.readAppleIdentifier()
            case "userLocale": userLocale = try reader.readAppleText()
            case "requestIdentifier": requestIdentifier = try reader.readAppleIdentifier()
            case "environment": environmentName = try reader.readAppleText()
            default: try reader.skipValue()
            }
        }
    }
}
