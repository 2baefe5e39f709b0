import Offers
import StrictJSON

extension ServerAPIClient {
    /// How many pages of a history are read at most: Apple puts 20 transactions on a page, so that they are as many as
    /// verifyReceipt may tell of.
    ///
    /// A customer who pays each week fills ten in four years; one of the Sandbox, whose months take minutes, a hundred in
    /// weeks.
    static let mostPages = VerifyReceiptResponse.maximumTransactions / 20

    /// Asks for the next page of all transactions of a customer's subscriptions (Get Transaction History, version 2).
    ///
    /// One customer's pages are asked for one after the other, so that others wait for one of them at most.
    ///
    /// - Parameters:
    ///   - told: What was told so far.
    ///   - transactionId: The identifier of any transaction of the customer: digits.
    ///   - app: The app that is asked for.
    ///   - deadline: When it is given up.
    /// - Returns: The page, whose transactions are not verified yet.
    /// - Throws: `EvidenceFault` when there is none in time.
    func page(
        after told: HistoryUnderWay,
        ofCustomer transactionId: String,
        of app: AppStoreApp,
        until deadline: ContinuousClock.Instant
    ) async throws(EvidenceFault) -> HistoryResponse {
        guard told.pages < Self.mostPages else {
            throw .appStoreUnavailable("The customer's history has more than \(Self.mostPages) pages.")
        }
        let after = told.revision.map { "&revision=\($0.percentEncoded)" } ?? ""
        let path = "/inApps/v2/history/\(transactionId)?productType=AUTO_RENEWABLE\(after)"
        var course = AppStoreCourse<HistoryResponse>(
            startingIn: told.environment,
            deadline: ContinuousClock.now.duration(to: deadline)
        )
        let page = try await course.run { environment, timeout in
            // The environment is known by now: who says otherwise has a fault.
            switch await ask(path, of: app, in: environment, timeout: timeout, Self.page) {
            case .otherEnvironment(let fault): .refusal(fault)
            case let outcome: outcome
            }
        }
        guard page.hasMore else { return page }
        guard let next = page.revision, next != told.revision else {
            throw .appStoreUnavailable("The App Store Server API's history does not go on where it should.")
        }
        return page
    }

    private static func page(_ body: [UInt8]) -> AppStoreOutcome<HistoryResponse> {
        guard let page = try? HistoryResponse(json: body) else {
            return .temporary(.appStoreUnavailable("The App Store Server API's answer cannot be read."))
        }
        return .answer(page)
    }
}

extension EvidenceFault {
    /// The fault of a question that was given up in the midst of a long history.
    ///
    /// - Parameter pages: How many pages were read.
    /// - Returns: The fault, which says so.
    func after(pages: Int) -> EvidenceFault {
        EvidenceFault(
            kind,
            code: code,
            detail: "\(detail) Of the customer's history \(pages) pages were read, and are kept for the next question."
        )
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
