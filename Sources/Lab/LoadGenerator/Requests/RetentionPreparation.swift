package import AppStoreSimulator
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
    package var signer: AppStoreSigner
    package var customers = 100
    /// About how many calls there will be: so many are signed ahead of time.
    package var expectedRequests = 0
    package var timeoutSeconds = 10.0

    package init(
        for address: ServiceAddress,
        bundleId: String,
        appAppleId: Int64,
        productIds: [String],
        signer: AppStoreSigner
    ) {
        self.address = address
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.productIds = productIds
        self.signer = signer
    }

    /// Calls about customers who are shown an offer; where nobody is, about those who are shown anything.
    package func deck() async throws(LoadFault) -> RequestDeck {
        let first = AnswerLine.now * 1000
        var answers: [String] = []
        var second: (customer: MadeUpCustomer, answer: RetentionAnswer)?
        // Each call that is tried has an identifier of its own.
        var tried = first - 1
        for state in [CustomerState.active, .activeAutoRenewOff, .billingRetry, .gracePeriod] {
            for productId in productIds {
                let customer = customer(tried, productId, state)
                try await show(customer)
                for attempt in 0..<5 {
                    if attempt > 0 { try? await Task.sleep(for: .milliseconds(100)) }
                    let call = customer.retentionCall(RequestBody.account(of: "trial \(tried) \(attempt)"))
                    let (status, body) = try await post(Self.path, signer.jws(call))
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
        of customer: MadeUpCustomer,
        _ answer: RetentionAnswer,
        from first: Int64
    ) async throws(LoadFault) -> RequestDeck {
        let offer = answer.signature.flatMap { ES256JWS($0)?.offer }
        let (productId, state) = (customer.productId, customer.state)
        _ = try await forEachCustomer(of: customers) { (place) async throws(LoadFault) in
            try await show(self.customer(first + Int64(place), productId, state))
        }
        let call = self.customer(MadeUpRequests.identifierMark, productId, state)
        var requests = MadeUpRequests(
            .number(customers),
            from: first,
            expecting: ExpectedAnswer(bundleId: bundleId, account: "", offers: offer.map { [$0] } ?? []),
            areCalls: true,
            body: Self.body(MadeUpRequests.signedMark(0)),
            payloads: [call.retentionCall(MadeUpRequests.accountMark)],
            signer: signer
        ) { HTTPRequestBytes.head(Self.path, host: address.authority, token: nil, bodyLength: $0) }
        try await requests.prepare(expectedRequests)
        let shown = offer.map { "\($0.productId) \($0.offerId)" } ?? answer.kind.rawValue
        let hand = RequestDeck.Hand(
            name: "retention",
            weight: 1,
            requests: .madeUp(requests),
            description: "retention calls: \(customers) customers, \(state.rawValue): \(shown)"
        )
        return RequestDeck(
            [hand],
            offersPerRequest: offer == nil ? 0 : 1,
            signatureMember: "\"promotionalOfferSignatureV2\""
        )
    }

    private static let path = "/v1/retention-messages"

    private func customer(_ id: Int64, _ productId: String, _ state: CustomerState) -> MadeUpCustomer {
        MadeUpCustomer(
            id,
            of: bundleId,
            appAppleId: appAppleId,
            productId: productId,
            state,
            atMilliseconds: AnswerLine.now
        )
    }

    /// Makes a customer known, by a notification of the newest purchase.
    private func show(_ customer: MadeUpCustomer) async throws(LoadFault) {
        let path = "/v1/notifications"
        let (status, body) = try await post(path, customer.notification(signer))
        guard status == 200 else {
            throw LoadFault("POST \(address)\(path): \(status) \(String(decoding: body.prefix(500), as: UTF8.self))")
        }
    }

    private static func body(_ signedPayload: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 16_384)
        writer.object { $0.member("signedPayload", signedPayload) }
        return writer.bytes
    }

    private func post(
        _ path: String,
        _ signedPayload: String
    ) async throws(LoadFault) -> (status: Int, body: [UInt8]) {
        let question = HTTPQuestion(address: address, timeoutSeconds: timeoutSeconds)
        return try await question.ask("POST", path, body: Self.body(signedPayload))
    }
}
