import Offers

/// A call of the Retention Messaging API that came to nothing: why, and the fix.
package struct RetentionFault: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    init(_ fault: TransportFault) { self.init(fault.sentence(about: "the App Store Server API")) }

    init(_ response: IncomingResponse, for bundleId: String, at now: Timestamp) {
        let error = ServerAPIError(json: response.body)
        if let code = error?.code, let meaning = Self.meaning(of: code) {
            self.init("\(meaning) (\(code))")
            return
        }
        switch response.status {
        case 401 where response.clockFault(at: now) != nil:
            self.init("the App Store Server API refuses the token (401): \(response.clockFault(at: now) ?? "")")
        case 401:
            self.init(
                "the App Store Server API refuses the key (401): is it the In-App Purchase key of \(bundleId), with its "
                    + "issuerId, and for Production, is the app released?"
            )
        case 404 where error == nil:
            self.init(
                "Apple answers 404 without a word: \(bundleId) has no access to the Retention Messaging API. Apple grants "
                    + "it on request; see \"Request access to the Retention Messaging API\" in Apple's documentation"
            )
        case 500...599:
            self.init("the App Store Server API has a fault (HTTP \(response.status)); try again later")
        default:
            let code = error.map { ", errorCode \($0.code)" } ?? ""
            self.init("the App Store Server API refuses it (HTTP \(response.status)\(code))")
        }
    }

    /// What Apple's codes mean here ("Error codes" of the Retention Messaging API), with the fix.
    ///
    /// Codes of limits that `MessageUpload` checks have no row.
    private static func meaning(of code: Int64) -> String? {
        switch code {
        case 4_000_164: "Apple knows no such locale; write one of App Store Connect, such as en-US"
        case 4_000_211: "Apple cannot test with this; offer-signer retention url get says whether it has an address"
        case 4_000_212: "this is no test's identifier; offer-signer retention test start prints one"
        case 4_000_213: "a test is under way; wait for its result"
        case 4_000_215: "Apple does not take this address"
        case 4_000_216: "an image has not the size for its place"
        case 4_000_006, 4_000_008, 4_000_048, 4_000_187:
            "this is no original transaction identifier; name that of a subscription of the Sandbox"
        case 4_000_185: "the subscription is shared within a family; name one that the customer bought"
        case 4_030_016: "Apple keeps no more messages of this app; delete one that is not used"
        case 4_030_017: "the message is not approved; offer-signer retention messages list says how it stands"
        case 4_030_018: "an image of the message is not approved"
        case 4_030_026:
            "in Production, Apple takes no address before a performance test has passed: run offer-signer retention test "
                + "start first, which asks the address of the Sandbox"
        case 4_040_001, 4_040_005, 4_040_010: "Apple knows no such subscription in this environment"
        case 4_040_003: "Apple knows no app of this bundle identifier; compare it with App Store Connect"
        case 4_040_014: "Apple has no image of that identifier"
        case 4_040_015: "Apple has no message of that identifier in this environment"
        case 4_040_018: "Apple knows no test of that identifier"
        case 4_040_020: "no default message is set for this product and locale"
        case 4_040_021: "no address is set in this environment; offer-signer retention url set sets one"
        case 4_090_001: "Apple has a message of that identifier; delete it, or upload under another identifier"
        default: nil
        }
    }
}
