import Offers
import StrictJSON

/// Asks the App Store Server API for a customer's subscriptions (Get All Subscription Statuses), and for what was before
/// their newest transactions (Get Transaction History).
struct ServerAPIClient: Sendable {
    var apple: AppStoreConnection
    let verifier: SignedDataVerifier
    /// The histories that are not read to their end yet; `nil` where none are kept.
    var underWay: HistoriesUnderWay? = HistoriesUnderWay()

    /// Asks production first, and the Sandbox where production does not know the transaction.
    ///
    /// The whole history (Get Transaction History) is asked for within the same deadline: where it passes before the last
    /// page, the next question goes on there.
    func history(
        ofTransaction transactionId: String,
        of app: AppStoreApp,
        isWhole: Bool = false
    ) async throws(EvidenceFault) -> Book {
        let start = ContinuousClock.now
        let key = QuestionKey(.transactionId(transactionId), of: app.bundleId, needsWholeHistory: isWhole)
        var known: HistoryUnderWay
        if let begun = underWay?.removeHistory(for: key, at: start) {
            known = begun
        } else {
            known = try await statuses(ofTransaction: transactionId, of: app)
        }
        let needsHistory = isWhole || known.lacksRunningPeriod(of: app)
        while needsHistory, known.hasSubscriptions, !known.isWhole {
            let page: HistoryResponse
            do throws(EvidenceFault) {
                let end = start + apple.deadline
                page = try await self.page(after: known, ofCustomer: transactionId, of: app, until: end)
            } catch {
                guard known.pages > 0, case .unavailable = error.kind else { throw error }
                underWay?.store(known, for: key, at: .now)
                throw error.after(pages: known.pages)
            }
            try add(page, to: &known)
        }
        do throws(SignedDataFault) {
            return try known.history()
        } catch {
            throw notGenuine(error)
        }
    }

    private func statuses(
        ofTransaction transactionId: String,
        of app: AppStoreApp
    ) async throws(EvidenceFault) -> HistoryUnderWay {
        var attempts = AppStoreAttempts<HistoryUnderWay>(startingIn: app.firstEnvironment, deadline: apple.deadline)
        return try await attempts.run { environment, timeout in
            let path = "/inApps/v1/subscriptions/\(transactionId)"
            // What happens while Apple is asked may be missing in the answer: it is as old as the question.
            let asked = apple.now()
            return await ask(path, of: app, in: environment, timeout: timeout) { body in
                read(body, for: app, in: environment, asOf: asked)
            }
        }
    }

    private func add(_ page: HistoryResponse, to known: inout HistoryUnderWay) throws(EvidenceFault) {
        do throws(SignedDataFault) {
            try known.add(page, verifiedBy: verifier)
        } catch {
            throw notGenuine(error)
        }
    }

    func ask<Answer>(
        _ path: String,
        of app: AppStoreApp,
        in environment: AppStoreEnvironment,
        timeout: Duration,
        _ success: ([UInt8]) -> AppStoreOutcome<Answer>
    ) async -> AppStoreOutcome<Answer> {
        guard let credentials = app.serverAPI else { return .refusal(.issuerUnknown) }
        let token: String
        do throws(SigningFailure) {
            token = try await credentials.bearerToken(at: apple.now())
        } catch {
            apple.log.error("the App Store Server API cannot be asked", ["fault": "\(error)"])
            return .unavailable(error.isUnavailability ? .signingUnavailable : .appStoreCredentials)
        }
        let request = OutgoingRequest(
            method: .get,
            service: .serverAPI,
            host: apple.urls.serverAPI(in: environment),
            path: path,
            bundleId: app.bundleId,
            environment: environment,
            bearerToken: token
        )
        return await apple.send(request, timeout: timeout) { outcome(of: $0, in: environment, for: app, success) }
    }

    private func outcome<Answer>(
        of response: IncomingResponse,
        in environment: AppStoreEnvironment,
        for app: AppStoreApp,
        _ success: ([UInt8]) -> AppStoreOutcome<Answer>
    ) -> AppStoreOutcome<Answer> {
        let seconds = RetryAfter.seconds(after: response, at: apple.now()) ?? 5
        switch response.status {
        case 200: return success(response.body)
        case 401, 403:
            // A token says when it was made: by a clock that is wrong, Apple refuses every one.
            if let fault = response.clockFault(at: apple.now()) {
                log("the App Store Server API refuses the token: \(fault)", response, app)
                // Or Apple's is, at that one of its servers: another may say otherwise.
                return .temporary(.clockWrong(fault))
            }
            log("the App Store Server API refuses the key: is it the app's, and is the app released?", response, app)
            // An app that is not on the App Store yet gets a 401 in production, too, in words that are no JSON: its
            // testers are in the Sandbox.
            let isUnreleased = environment == .production && ServerAPIError(json: response.body) == nil
            return isUnreleased && app.environments.contains(.sandbox)
                ? .otherEnvironment(.appStoreCredentials) : .unavailable(.appStoreCredentials)
        case 429:
            return .unavailable(
                .appStoreUnavailable("The App Store Server API asks for patience.", retryAfterSeconds: seconds)
            )
        default: break
        }
        let failure = EvidenceFault.appStoreUnavailable(
            "The App Store Server API has a fault (HTTP \(response.status)).",
            retryAfterSeconds: seconds
        )
        switch ServerAPIError(json: response.body)?.meaning {
        case .notHere: return .otherEnvironment(.transactionNotFound)
        case .unknown: return .refusal(.transactionUnknown)
        case .familyShared: return .refusal(.transactionFamilyShared)
        case .unknownApp:
            log("the App Store knows no app of this bundle identifier", response, app)
            return .refusal(.appNotFound)
        case .temporary: return .temporary(failure)
        case nil where (500...599).contains(response.status): return .temporary(failure)
        case .unexpected, nil:
            log("the App Store Server API's answer is none that it documents", response, app)
            return .unavailable(failure)
        }
    }

    private func read(
        _ body: [UInt8],
        for app: AppStoreApp,
        in environment: AppStoreEnvironment,
        asOf: Timestamp
    ) -> AppStoreOutcome<HistoryUnderWay> {
        guard let answer = try? StatusResponse(json: body) else {
            return .temporary(.appStoreUnavailable("The App Store Server API's answer cannot be read."))
        }
        if answer.environment == .production, let expected = app.appAppleId, let answered = answer.appAppleId,
            answered != expected
        {
            apple.log.error(
                "the catalog's appAppleId is not the one that Apple names",
                ["bundleId": "\(app.bundleId)", "appAppleId": "\(answered)"]
            )
            return .unavailable(.otherAppAppleId)
        }
        do throws(SignedDataFault) {
            let known = try HistoryUnderWay(answer, verifiedBy: verifier, in: environment, asOf: asOf)
            _ = try known.history()
            return .answer(known)
        } catch {
            return .unavailable(notGenuine(error))
        }
    }

    private func notGenuine(_ fault: SignedDataFault) -> EvidenceFault {
        apple.log.error("the App Store Server API's answer is not genuine", ["fault": "\(fault.detail)"])
        return .appStoreUnavailable("The App Store Server API's answer is not genuine.")
    }

    private func log(_ message: String, _ response: IncomingResponse, _ app: AppStoreApp) {
        let code = ServerAPIError(json: response.body).map { "\($0.code)" } ?? "none"
        apple.log.error(
            message,
            ["bundleId": "\(app.bundleId)", "status": "\(response.status)", "errorCode": "\(code)"],
            cause: "\(response.status) \(code) \(app.bundleId)"
        )
    }
}

extension ServerAPIClient {
    /// How many pages of a history are read at most: Apple puts 20 transactions on a page, so that they are as many as
    /// verifyReceipt may tell of.
    ///
    /// A customer who pays each week fills ten in four years; one of the Sandbox, whose months take minutes, a hundred in
    /// weeks.
    static let mostPages = VerifyReceiptResponse.maximumTransactions / 20

    /// Asks for the next page of all transactions of a customer's subscriptions (Get Transaction History, version 2).
    ///
    /// One customer's pages are asked for one after the other, so that others wait for one of them at most. The page's
    /// transactions are not verified yet.
    func page(
        after known: HistoryUnderWay,
        ofCustomer transactionId: String,
        of app: AppStoreApp,
        until deadline: ContinuousClock.Instant
    ) async throws(EvidenceFault) -> HistoryResponse {
        guard known.pages < Self.mostPages else {
            throw .appStoreUnavailable("The customer's history has more than \(Self.mostPages) pages.")
        }
        let after = known.revision.map { "&revision=\($0.percentEncoded)" } ?? ""
        let path = "/inApps/v2/history/\(transactionId)?productType=AUTO_RENEWABLE\(after)"
        var attempts = AppStoreAttempts<HistoryResponse>(
            startingIn: known.environment,
            deadline: ContinuousClock.now.duration(to: deadline)
        )
        let page = try await attempts.run { environment, timeout in
            // The environment is known by now: who says otherwise has a fault.
            switch await ask(path, of: app, in: environment, timeout: timeout, Self.page) {
            case .otherEnvironment(let fault): .refusal(fault)
            case let outcome: outcome
            }
        }
        guard page.hasMore else { return page }
        guard let next = page.revision, next != known.revision else {
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
    func after(pages: Int) -> EvidenceFault {
        EvidenceFault(
            kind,
            code: code,
            detail: "\(detail) Of the customer's history \(pages) pages were read, and are kept for the next question."
        )
    }
}

extension String {
    /// The text as a piece of a path, or as the value of a query's parameter (RFC 3986 §2.1): all but the unreserved
    /// characters are encoded.
    var percentEncoded: String {
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
