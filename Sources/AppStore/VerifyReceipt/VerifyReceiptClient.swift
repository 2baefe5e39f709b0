import Offers
import StrictJSON

/// Asks verifyReceipt about a receipt (App Store Receipts documentation, `verifyReceipt`).
struct VerifyReceiptClient: Sendable {
    var apple: AppStoreConnection

    /// Asks production first, and the Sandbox where production says so.
    func history(ofReceipt receipt: String, of app: AppStoreApp) async throws(EvidenceFault) -> Book {
        let body = Self.body(receipt: receipt, secret: app.sharedSecret)
        var attempts = AppStoreAttempts<Book>(startingIn: app.firstEnvironment, deadline: apple.deadline)
        return try await attempts.run { environment, timeout in
            let request = OutgoingRequest(
                method: .post,
                service: .verifyReceipt,
                host: apple.urls.verifyReceipt(in: environment),
                bundleId: app.bundleId,
                environment: environment,
                body: body,
                isOutage: Self.isOutage,
                fault: { Self.fault(of: $0).map(String.init) }
            )
            return await apple.send(request, timeout: timeout) { outcome(of: $0, in: environment, for: app) }
        }
    }

    private static func body(receipt: String, secret: SharedSecret?) -> [UInt8] {
        JSONWriter.text(capacity: receipt.utf8.count + 256) { request in
            request.member("receipt-data", receipt)
            if let secret { request.member("password", secret.text) }
            request.flag("exclude-old-transactions", false)
        }
    }

    /// How many bytes an answer may have that is nothing but a status.
    private static let longestStatus = 4096

    /// Whether an answer says that verifyReceipt is down: it does so with HTTP 200, too, in an answer without a receipt.
    private static func isOutage(_ response: IncomingResponse) -> Bool {
        response.status >= 500 || fault(of: response).map { [21005, 21009].contains($0) } == true
    }

    /// The status by which verifyReceipt says that the fault is its own, in an answer of HTTP 200.
    private static func fault(of response: IncomingResponse) -> Int64? {
        guard response.status == 200, response.body.count <= longestStatus,
            let status = (try? VerifyReceiptResponse(json: response.body))?.status
        else { return nil }
        return status == 21005 || status == 21009 || internalFaults.contains(status) ? status : nil
    }

    private static let internalFaults: ClosedRange<Int64> = 21100...21199

    func outcome(
        of response: IncomingResponse,
        in environment: AppStoreEnvironment,
        for app: AppStoreApp
    ) -> AppStoreOutcome<Book> {
        let seconds = RetryAfter.seconds(after: response, at: apple.now()) ?? 5
        switch response.status {
        case 200: break
        case 429:
            return .unavailable(.appStoreUnavailable("verifyReceipt asks for patience.", retryAfterSeconds: seconds))
        case 500...599:
            return .temporary(
                .appStoreUnavailable(
                    "verifyReceipt has a fault (HTTP \(response.status)).",
                    retryAfterSeconds: seconds
                )
            )
        default:
            apple.log.error("verifyReceipt refuses the request", ["status": "\(response.status)"])
            return .unavailable(.appStoreUnavailable("verifyReceipt answered with HTTP \(response.status)."))
        }
        guard let answer = try? VerifyReceiptResponse(json: response.body) else {
            return .temporary(.appStoreUnavailable("verifyReceipt's answer cannot be read."))
        }
        return outcome(of: answer, in: environment, for: app)
    }

    private func outcome(
        of answer: VerifyReceiptResponse,
        in environment: AppStoreEnvironment,
        for app: AppStoreApp
    ) -> AppStoreOutcome<Book> {
        let meaning = VerifyReceiptResponse.meaning(ofStatus: answer.status)
        let refusal = EvidenceFault(
            .rejected,
            code: "receipt_status",
            detail: "verifyReceipt answered with status \(answer.status): \(meaning)."
        )
        let failure = EvidenceFault.appStoreUnavailable(
            "verifyReceipt answers with status \(answer.status): \(meaning)."
        )
        switch answer.status {
        case 0, 21006:
            var answer = answer
            answer.requestDate = answer.requestDate ?? apple.now()
            answer.environment = answer.environment ?? environment
            guard let book = try? answer.book(by: .answer) else { return .refusal(refusal) }
            return .answer(book)
        case 21002: return .temporaryOnce(.receiptDoubted)
        case 21004:
            apple.log.error("verifyReceipt refuses the shared secret", ["bundleId": "\(app.bundleId)"])
            return .unavailable(.appStoreCredentials)
        case 21005, 21009: return .temporary(failure)
        case 21007 where environment == .production: return .otherEnvironment(refusal)
        case 21008 where environment == .sandbox: return .otherEnvironment(refusal)
        case Self.internalFaults:
            return answer.isRetryable == false ? .refusal(refusal) : .temporary(.internalFault(answer.status, meaning))
        default: return .refusal(refusal)
        }
    }
}

extension EvidenceFault {
    /// verifyReceipt answers with status 21002, which does not say whether the fault is Apple's or the receipt's.
    static var receiptDoubted: EvidenceFault {
        appStoreUnavailable(
            "verifyReceipt answers with status 21002. Apple gives it during a fault of its own, and for a damaged receipt, "
                + "too: if it stays, compare the receipt with the one on the device.",
            retryAfterSeconds: 60
        )
    }

    /// verifyReceipt answers with a status of 21100 to 21199, which may stay: for a receipt, or for good.
    static func internalFault(_ status: Int64, _ meaning: String) -> EvidenceFault {
        appStoreUnavailable(
            "verifyReceipt answers with status \(status): \(meaning). If it stays, send other evidence: a transactionId, "
                + "or StoreKit 2's signedTransactions.",
            retryAfterSeconds: 60
        )
    }
}
