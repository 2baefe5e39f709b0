import Offers
import SignedDataFixtures

@testable import AppStore

/// The answers of the App Store Server API about one subscription, with a signer of their own.
struct SignedAnswers {
    typealias Reply = Result<IncomingResponse, TransportFault>

    let signer: TestSigner
    let verifier: SignedDataVerifier

    init() throws {
        let authority = try TestAuthority()
        signer = try authority.signer()
        verifier = SignedDataVerifier(additionalRoots: [try TrustedRoot(contents: authority.rootDER)])
    }

    static let credentials = ServerAPICredentials(bundleId: "b", issuerId: "issuer", signer: KeySigner())

    /// A transaction of the subscription: its number is the day of its purchase.
    static func transaction(
        _ number: Int64,
        of bundleId: String = "b",
        offer: String? = nil,
        environment: String = "Production",
        type: String = "Auto-Renewable Subscription"
    ) -> String {
        let bought = 1_794_000_000_000 + number * 86_400_000
        let under = offer.map { #""offerType":2,"offerIdentifier":"\#($0)","# } ?? ""
        return #"""
            {"transactionId":"\#(number)","originalTransactionId":"1","bundleId":"\#(bundleId)","productId":"p",\#(under)
            "purchaseDate":\#(bought),"expiresDate":\#(bought + 86_400_000),"type":"\#(type)",
            "inAppOwnershipType":"PURCHASED","environment":"\#(environment)","signedDate":1795262300000}
            """#
    }

    /// The answer of Get All Subscription Statuses; `transaction` is the newest, signed.
    static func statuses(
        _ status: Int,
        _ transaction: String,
        environment: String = "Production",
        _ more: String = ""
    ) -> Reply {
        .reply(
            #"""
            {"environment":"\#(environment)","bundleId":"b","appAppleId":42,"data":[{"subscriptionGroupIdentifier":"1",
            "lastTransactions":[{"status":\#(status),"originalTransactionId":"1","signedTransactionInfo":"\#(transaction)"
            \#(more)}]}]}
            """#
        )
    }

    /// A page of Get Transaction History, of signed transactions.
    static func page(_ transactions: [String], next: String? = nil) -> Reply {
        let revision = next.map { #""revision":"\#($0)","# } ?? ""
        let list = transactions.map { "\"\($0)\"" }.joined(separator: ",")
        return .reply(#"{\#(revision)"hasMore":\#(next != nil),"bundleId":"b","signedTransactions":[\#(list)]}"#)
    }

    static func error(_ code: Int, status: Int, retryAfter: String? = nil) -> Reply {
        .reply(#"{"errorCode":\#(code),"errorMessage":"m"}"#, status: status, retryAfter: retryAfter)
    }
}
