import Offers
import StrictJSON

extension ServerAPIClient {
    /// How many pages of a history are read at most: Apple puts 20 transactions on a page.
    ///
    /// A customer who pays each week fills ten in four years.
    static let mostPages = 50

    /// Asks for all transactions of a customer's subscriptions (Get Transaction History, version 2), page by page.
    ///
    /// - Parameters:
    ///   - transactionId: The identifier of any transaction of the customer: digits.
    ///   - app: The app that is asked for.
    ///   - environment: The environment that knows the transaction.
    ///   - deadline: When all of it is given up.
    /// - Returns: The transactions, each a JWS that is not verified yet.
    /// - Throws: `EvidenceFault` when there is no whole history in time.
    func transactions(
        ofCustomer transactionId: String,
        of app: AppStoreApp,
        in environment: AppStoreEnvironment,
        until deadline: ContinuousClock.Instant
    ) async throws(EvidenceFault) -> [String] {
        var transactions: [String] = []
        var revision: String?
        for _ in 0..<Self.mostPages {
            let after = revision.map { "&revision=\($0.percentEncoded)" } ?? ""
            let path = "/inApps/v2/history/\(transactionId)?productType=AUTO_RENEWABLE\(after)"
            var course = AppStoreCourse<HistoryResponse>(
                startingIn: environment,
                deadline: ContinuousClock.now.duration(to: deadline)
            )
            let page = try await course.run { _, timeout in
                // The environment is known by now: who says otherwise has a fault.
                switch await ask(path, of: app, in: environment, timeout: timeout, Self.page) {
                case .otherEnvironment(let fault): .refusal(fault)
                case let outcome: outcome
                }
            }
            transactions += page.signedTransactions
            guard page.hasMore else { return transactions }
            guard let next = page.revision, next != revision else {
                throw .appStoreUnavailable("The App Store Server API's history does not go on where it should.")
            }
            revision = next
        }
        throw .appStoreUnavailable("The customer's history has more than \(Self.mostPages) pages.")
    }

    private static func page(_ body: [UInt8]) -> AppStoreOutcome<HistoryResponse> {
        guard let page = try? HistoryResponse(json: body) else {
            return .temporary(.appStoreUnavailable("The App Store Server API's answer cannot be read."))
        }
        return .answer(page)
    }
}

extension String {
    /// The text as the value of a query's parameter (RFC 3986 §2.1): all but the unreserved characters are encoded.
    fileprivate var percentEncoded: String {
        utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%\(digits.count == 1 ? "0" : "")\(digits)"
            }
        }
    }
}
