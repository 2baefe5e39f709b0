internal import FoundationEssentials
import NIOCore
import NIOPosix
import StrictJSON

/// Makes customers known to a service, finds out what it would show them as they are about to cancel, and makes the calls.
///
/// All of it goes over the listener that Apple asks: notifications make the customers known.
package struct RetentionPreparation: Sendable {
    /// How old a call may be that a service answers, in seconds.
    package static let longestRunSeconds = 240.0

    package var address: ServiceAddress
    package var bundleId: String
    package var appAppleId: Int64
    /// The products that customers have: the first for which an offer is signed.
    package var productIds: [String]
    package var signer: StandInSigner
    package var customers = 100
    /// About how many calls there will be: so many are signed ahead of time.
    package var expectedRequests = 0
    package var timeoutSeconds = 10.0

    package init(
        for address: ServiceAddress,
        bundleId: String,
        appAppleId: Int64,
        productIds: [String],
        signer: StandInSigner
    ) {
        self.address = address
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.productIds = productIds
        self.signer = signer
    }

    /// Calls about customers who are shown an offer; where nobody is, about those who are shown anything.
    package func deck() async throws(LoadFault) -> RequestDeck {
        let first = Int64(Date().timeIntervalSince1970 * 1000) * 1000
        var answers: [String] = []
        var second: (customer: SyntheticCustomer, answer: RetentionAnswer)?
        // Each call that is tried has an identifier of its own.
        var tried = first - 1
        for state in [SyntheticCustomer.State.active, .activeAutoRenewOff, .billingRetry, .gracePeriod] {
            for productId in productIds {
                let customer = customer(productId, state)
                try await show(customer, tried)
                for attempt in 0..<5 {
                    if attempt > 0 { try? await Task.sleep(for: .milliseconds(100)) }
                    let (status, body) = try await ask(about: customer, tried, attempt)
                    guard status == 200, let answer = RetentionAnswer(json: body) else {
                        answers.append("\(status)")
                        continue
                    }
                    if answer.signature != nil { return try await deck(of: customer, answer, from: first) }
                    answers.append(answer.kind.rawValue)
                    second = second ?? (customer, answer)
                }
                tried -= 1
            }
        }
        if let second { return try await deck(of: second.customer, second.answer, from: first) }
        throw LoadFault(
            "no customer of \(bundleId) is shown anything by POST \(address)/v1/retention-messages; it said "
                + Set(answers).sorted().joined(separator: ", ")
        )
    }

    private func deck(
        of customer: SyntheticCustomer,
        _ answer: RetentionAnswer,
        from first: Int64
    ) async throws(LoadFault) -> RequestDeck {
        let offer = answer.signature.flatMap { OfferJWS($0).offer }
        try await show(customer, from: first)
        var requests = RetentionRequests(
            of: customers,
            from: first,
            expecting: ExpectedAnswer(bundleId: bundleId, account: "", offers: offer.map { [$0] } ?? []),
            payload: payload(about: customer, MadeUpRequests.identifierMark, MadeUpRequests.accountMark),
            signer: signer
        ) { HTTPRequestBytes.head("POST", Self.path, host: address.authority, token: nil, bodyLength: $0) }
        try await requests.prepare(expectedRequests)
        let shown = offer.map { "\($0.productId) \($0.offerId)" } ?? answer.kind.rawValue
        let hand = RequestDeck.Hand(
            name: "retention",
            weight: 1,
            requests: .retention(requests),
            description: "retention calls: \(customers) customers, \(customer.state.rawValue): \(shown)"
        )
        return RequestDeck(
            [hand],
            offersPerRequest: offer == nil ? 0 : 1,
            signatureMember: "\"promotionalOfferSignatureV2\""
        )
    }

    private static let path = "/v1/retention-messages"

    private func customer(_ productId: String, _ state: SyntheticCustomer.State) -> SyntheticCustomer {
        SyntheticCustomer(
            bundleId: bundleId,
            productId: productId,
            state: state,
            environment: "Production",
            originalTransactionId: MadeUpRequests.identifierMark,
            date: Date()
        )
    }

    /// The payload of a call (`DecodedRealtimeRequestBody`).
    private func payload(about customer: SyntheticCustomer, _ id: String, _ requestIdentifier: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.object { json in
            json.member("originalTransactionId", id)
            json.member("appAppleId", appAppleId)
            json.member("productId", customer.productId)
            json.member("userLocale", "en-US")
            json.member("requestIdentifier", requestIdentifier)
            json.member("environment", customer.environment)
            json.member("signedDate", Int64(Date().timeIntervalSince1970 * 1000))
        }
        return writer.bytes
    }

    private func ask(
        about customer: SyntheticCustomer,
        _ id: Int64,
        _ attempt: Int
    ) async throws(LoadFault) -> (status: Int, body: [UInt8]) {
        let call = payload(about: customer, String(id), RequestBody.account(of: "trial \(id) \(attempt)"))
        return try await post(Self.path, call)
    }

    private func show(_ customer: SyntheticCustomer, from first: Int64) async throws(LoadFault) {
        let workers = min(16, customers)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<workers {
                    group.addTask {
                        for place in stride(from: worker, to: customers, by: workers) {
                            try await show(customer, first + Int64(place))
                        }
                    }
                }
                try await group.waitForAll()
            }
        } catch {
            throw error as? LoadFault ?? LoadFault("\(error)")
        }
    }

    /// Makes a customer known, by a notification of the newest purchase.
    private func show(_ customer: SyntheticCustomer, _ id: Int64) async throws(LoadFault) {
        let customer = SyntheticCustomer(
            bundleId: customer.bundleId,
            productId: customer.productId,
            state: customer.state,
            environment: customer.environment,
            originalTransactionId: String(id),
            date: customer.date
        )
        let transaction = signer.jws(customer.signedTransaction)
        let renewal = signer.jws(customer.signedRenewalInfo)
        var writer = JSONWriter(capacity: 12_288)
        writer.object { json in
            json.member("notificationType", "SUBSCRIBED")
            json.member("subtype", "INITIAL_BUY")
            json.member("notificationUUID", RequestBody.account(of: "notification \(id)"))
            json.member("version", "2.0")
            json.member("signedDate", Int64(customer.date.timeIntervalSince1970 * 1000))
            json.member("data")
            json.object { json in
                json.member("appAppleId", appAppleId)
                json.member("bundleId", bundleId)
                json.member("environment", customer.environment)
                json.member("signedTransactionInfo", transaction)
                json.member("signedRenewalInfo", renewal)
            }
        }
        let (status, body) = try await post("/v1/notifications", writer.bytes)
        guard status == 200 else {
            throw LoadFault(
                "POST \(address)/v1/notifications: \(status) \(String(decoding: body.prefix(500), as: UTF8.self))"
            )
        }
    }

    private func post(_ path: String, _ payload: [UInt8]) async throws(LoadFault) -> (status: Int, body: [UInt8]) {
        var writer = JSONWriter(capacity: 16_384)
        writer.object { $0.member("signedPayload", signer.jws(payload)) }
        // One that stays: who gives up leaves questions behind that are still on their way.
        let question = HTTPQuestion(
            address: address,
            group: MultiThreadedEventLoopGroup.singleton,
            timeoutSeconds: timeoutSeconds
        )
        return try await question.ask("POST", path, body: writer.bytes)
    }
}
