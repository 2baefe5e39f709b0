import Offers

/// A call of the App Store Server API that came to nothing: why, and the fix.
package struct ServerAPIFault: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    init(_ fault: TransportFault) { self.init(fault.sentence(about: "the App Store Server API")) }

    static func noIssuer(of bundleId: String) -> ServerAPIFault {
        ServerAPIFault("Apple wants the issuer of the key: write issuerId on the app \(bundleId) in the catalog")
    }

    init(_ response: IncomingResponse, for bundleId: String, at now: Timestamp) {
        let error = ServerAPIError(json: response.body)
        if let code = error?.code, let meaning = Self.meaning(of: code) {
            self.init("\(meaning) (\(code))")
            return
        }
        switch response.status {
        case 401: self.init(Self.unauthenticated(response, bundleId, at: now))
        case 404 where error == nil:
            self.init(
                "Apple answers 404 without a word: it knows no such path, or \(bundleId) has no access to it. Apple grants "
                    + "access to the Retention Messaging API on request; see \"Request access to the Retention Messaging "
                    + "API\" in Apple's documentation"
            )
        case 429:
            let seconds = RetryAfter.seconds(after: response, at: now)
            self.init("Apple was asked too often (429); ask again \(seconds.map { "in \($0) s" } ?? "later")")
        case 500...599: self.init("the App Store Server API has a fault (HTTP \(response.status)); try again later")
        default:
            let code = error.map { ", errorCode \($0.code)" } ?? ""
            self.init("the App Store Server API refuses it (HTTP \(response.status)\(code))")
        }
    }

    /// The sentence about an answer that does not take the key or its token.
    static func unauthenticated(_ response: IncomingResponse, _ bundleId: String, at now: Timestamp) -> String {
        if response.status == 401, let fault = response.clockFault(at: now) {
            return "Apple refuses the token (401): \(fault)"
        }
        return "Apple refuses the key (\(response.status)): is it the In-App Purchase key of \(bundleId), with its "
            + "issuerId, and for Production, is the app released?"
    }

    /// What Apple's codes mean ("Error codes" of the App Store Server API and the Retention Messaging API), with the fix.
    ///
    /// A code whose `errorMessage` says as much has no row.
    private static func meaning(of code: Int64) -> String? {
        switch code {
        case 4_000_161: "this is no image that Apple takes: a PNG is expected, sent from a file whose name ends in .png"
        case 4_000_164: "Apple knows no such locale; write one of App Store Connect, such as en-US"
        case 4_000_211: "Apple cannot test with this; GET /inApps/v1/messaging/realtime/url shows the address, if any"
        case 4_000_213: "a test is under way; wait for its result"
        case 4_000_215: "Apple does not take this address: https, and 256 characters at most"
        case 4_000_006, 4_000_008, 4_000_048: "Apple takes this for no transaction's identifier here"
        case 4_000_187: "this is not the original transaction of a subscription; name that one"
        case 4_000_185: "the subscription is shared within a family; name one that the customer bought"
        case 4_030_014, 4_030_016: "Apple keeps no more of them for this app; delete one that is not used"
        case 4_030_017: "the message is not approved; GET /inApps/v1/messaging/message/list shows its state"
        case 4_030_018: "an image of the message is not approved; GET /inApps/v1/messaging/image/list shows its state"
        case 4_030_019: "a message has the image; delete the message first"
        case 4_030_026:
            "in Production, Apple takes no address before a performance test has passed, which asks the address of the "
                + "Sandbox: POST /inApps/v1/messaging/performanceTest with --environment Sandbox"
        case 4_040_001, 4_040_005, 4_040_010: "Apple knows no such transaction in this environment"
        case 4_040_003: "Apple knows no app of this bundle identifier; compare it with App Store Connect"
        case 4_040_007: "no notification URL is set for this environment in App Store Connect"
        case 4_040_014: "Apple has no image of that identifier in this environment; upload it first"
        case 4_040_015: "Apple has no message of that identifier in this environment; upload it first"
        case 4_040_020: "no default message is set for this product and locale"
        case 4_040_021: "no address is set in this environment; PUT /inApps/v1/messaging/realtime/url sets one"
        case 4_090_000, 4_090_001: "Apple has one of that identifier; delete it, or upload under another identifier"
        default: nil
        }
    }
}
