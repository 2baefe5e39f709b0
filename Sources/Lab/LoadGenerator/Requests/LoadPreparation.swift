package import AppStoreSimulator
internal import FoundationEssentials
import StrictJSON

/// Finds out what can be asked of a service, and makes the requests.
///
/// The service says which offers there are (`POST /v1/eligibility` without `offers` names them all), and which of them
/// the customers that are tried may have.
package struct LoadPreparation: Sendable {
    package var address: ServiceAddress
    package var token: String
    /// The app; `nil` where the client has one alone.
    package var bundleId: String?
    /// The product and the offer that are asked for; `nil` for any.
    package var productId: String?
    package var offerId: String?
    /// How many offers each request asks for, 1 to 100.
    package var offersPerRequest = 1
    package var customers = CustomerCount.number(100)
    /// About how many requests there will be: for so many new customers is signed ahead of time.
    package var expectedRequests = 0
    package var mix = EvidenceMix.receiptResponses
    package var timeoutSeconds = 10.0
    /// The App Store simulator that the service asks.
    package var simulator: ServiceAddress?
    /// Signs as the App Store simulator does, which the service trusts.
    package var signer: AppStoreSigner?

    package init(for address: ServiceAddress, token: String) {
        self.address = address
        self.token = token
    }

    /// Makes requests for which the service would sign now; a task that is cancelled gives up.
    package func deck() async throws(LoadFault) -> RequestDeck {
        let question = HTTPQuestion(address: address, timeoutSeconds: timeoutSeconds)
        let service = PreparedService(question: question, token: token)
        let (bundleId, offers) = try await service.offers(bundleId: bundleId, productId: productId, offerId: offerId)
        var hands: [RequestDeck.Hand] = []
        var simulated: [SimulatedCustomer] = []
        for (kind, weight) in mix.weights {
            let found: (requests: RequestDeck.Requests, description: String)
            if kind.isAskedOfSimulator {
                if simulated.isEmpty { simulated = try await simulatedCustomers(of: bundleId) }
                found = try await eligible(simulated, kind, among: offers, of: bundleId, service)
            } else {
                found = try await madeUp(kind, among: offers, of: bundleId, service)
            }
            hands.append(
                .init(name: kind.rawValue, weight: weight, requests: found.requests, description: found.description)
            )
        }
        return RequestDeck(hands, offersPerRequest: offersPerRequest, isShared: customers == .shared)
    }

    // MARK: Customers of the simulator

    private func simulatedCustomers(of bundleId: String) async throws(LoadFault) -> [SimulatedCustomer] {
        guard let simulator else { throw LoadFault("this mix needs the App Store simulator: --simulator URL") }
        let question = HTTPQuestion(address: simulator, timeoutSeconds: timeoutSeconds)
        let answer = try await question.ask("GET", "/simulator/customers")
        guard answer.status == 200,
            let all = try? JSONDecoder().decode(SimulatedCustomer.List.self, from: Data(answer.body)).customers
        else {
            throw LoadFault("\(simulator) is no App Store simulator: \(answer.status) for /simulator/customers")
        }
        let customers = all.filter { $0.bundleId == bundleId && !$0.subscriptions.isEmpty }
        guard !customers.isEmpty else {
            throw LoadFault("the App Store simulator has no customer with a subscription of \(bundleId)")
        }
        return customers
    }

    private func eligible(
        _ all: [SimulatedCustomer],
        _ kind: EvidenceMix.Kind,
        among offers: [ExpectedAnswer.Offer],
        of bundleId: String,
        _ service: PreparedService
    ) async throws(LoadFault) -> (requests: RequestDeck.Requests, description: String) {
        var reasons: [String] = []
        var requests: [LoadRequest] = []
        let most = if case .number(let number) = customers { number } else { Int.max }
        for customer in all where requests.count < most {
            guard let evidence = customer.evidence(kind), let account = customer.account else { continue }
            func body(_ offers: [ExpectedAnswer.Offer]) -> [UInt8] {
                RequestBody.make(bundleId: bundleId, account: account, evidence: evidence, offers: offers)
            }
            let found = try await service.eligible(among: offers, reasons: &reasons, body)
            guard !found.isEmpty else { continue }
            let asked = (0..<offersPerRequest).map { found[$0 % found.count] }
            requests.append(
                LoadRequest(
                    bytes: HTTPRequestBytes.joined(head(body(asked).count), body(asked)),
                    expected: ExpectedAnswer(bundleId: bundleId, account: account, offers: asked)
                )
            )
        }
        guard !requests.isEmpty else {
            throw LoadFault(
                "none of the simulator's customers may have an offer of \(bundleId) by \(kind.rawValue); "
                    + "the service said: \(Set(reasons).sorted().joined(separator: ", "))"
            )
        }
        return (.listed(requests), "\(kind.rawValue): \(requests.count) customers of the App Store simulator")
    }
}

extension LoadPreparation {
    /// Tries states, environments and products until the service would sign an offer, and makes customers like that.
    func madeUp(
        _ kind: EvidenceMix.Kind,
        among offers: [ExpectedAnswer.Offer],
        of bundleId: String,
        _ service: PreparedService
    ) async throws(LoadFault) -> (requests: RequestDeck.Requests, description: String) {
        let now = AnswerLine.now
        // Held evidence was shown before: by this run where it can, and by the filling of the service where it cannot.
        let shown = kind == .held && signer != nil ? EvidenceMix.Kind.signedTransactions : kind
        var reasons: [String] = []
        for inSandbox in [false, true] {
            for state in [CustomerState.lapsed, .activeAutoRenewOff, .active, .billingRetry, .gracePeriod] {
                for productId in Set(offers.map(\.productId)).sorted() {
                    let customer = MadeUpCustomer(
                        MadeUpRequests.identifierMark,
                        of: bundleId,
                        productId: productId,
                        state,
                        inSandbox: inSandbox,
                        atMilliseconds: now
                    )
                    var found = try await service.eligible(among: offers, reasons: &reasons) {
                        requests(of: customer, at: now, shown, $0).body(of: 0)
                    }
                    guard !found.isEmpty else { continue }
                    if kind == .held, kind != shown {
                        found = try await hold(customer, at: now, found, service)
                    }
                    let asked = (0..<offersPerRequest).map { found[$0 % found.count] }
                    var made = requests(of: customer, at: now, kind, asked)
                    try await made.prepare(signedAhead)
                    let names = found.map { "\($0.productId) \($0.offerId)" }.joined(separator: ", ")
                    return (.madeUp(made), "\(kind.rawValue): \(who), \(state.rawValue): \(names)")
                }
            }
            guard reasons.contains("environment_not_allowed") else { break }
        }
        let reason = Set(reasons).sorted().joined(separator: ", ")
        throw LoadFault(
            kind == .held && signer == nil
                ? "held: the service holds nothing of the customers that are made up, which signed transactions of the "
                    + "stand-in App Store would change (--simulator-directory); it said: \(reason)"
                : "none of the customers that were tried may have an offer of \(bundleId); the service said: \(reason)"
        )
    }

    private var who: String {
        switch customers {
        case .number(let number): "\(number) customers"
        case .new: "ever new customers"
        case .shared: "the evidence of one customer for ever more accounts"
        }
    }

    private var signedAhead: Int {
        switch customers {
        case .number(let number): number
        case .new: expectedRequests
        case .shared: 1
        }
    }

    // The customer is what all of them are like, with the mark in the place of the identifier.
    private func requests(
        of customer: MadeUpCustomer,
        at now: Int64,
        _ kind: EvidenceMix.Kind,
        _ offers: [ExpectedAnswer.Offer],
        inOrder: Bool = false
    ) -> MadeUpRequests {
        let isSigned = kind == .signedTransactions
        let evidence: [UInt8]? =
            switch kind {
            case .signedTransactions:
                RequestBody.evidence { evidence in
                    evidence.member("signedTransactions")
                    evidence.array { $0.string(MadeUpRequests.signedMark(0)) }
                    evidence.member("signedRenewalInfos")
                    evidence.array { $0.string(MadeUpRequests.signedMark(1)) }
                }
            case .receiptResponse: RequestBody.evidence("receiptResponse", json: customer.receiptResponse)
            case .receipt, .transactionId, .held: nil
            }
        return MadeUpRequests(
            inOrder ? .new : customers,
            // The clock keeps the customers of this run apart from those of earlier runs.
            from: now * 1000,
            expecting: ExpectedAnswer(bundleId: customer.bundleId, account: "", offers: offers),
            body: RequestBody.make(
                bundleId: customer.bundleId,
                account: MadeUpRequests.accountMark,
                evidence: evidence,
                offers: offers
            ),
            payloads: isSigned ? customer.signedPayloads : [],
            signer: isSigned ? signer : nil,
            head: head
        )
    }

    private func head(_ length: Int) -> [UInt8] {
        HTTPRequestBytes.head("/v1/signatures", host: address.authority, token: token, bodyLength: length)
    }

    /// Shows the service the signed transactions of each customer once, and gives the offers that the customers may
    /// have without evidence from then on.
    private func hold(
        _ customer: MadeUpCustomer,
        at now: Int64,
        _ offers: [ExpectedAnswer.Offer],
        _ service: PreparedService
    ) async throws(LoadFault) -> [ExpectedAnswer.Offer] {
        guard case .number(let number) = customers else {
            throw LoadFault("held: a number of customers is needed, as each is shown to the service first")
        }
        let shown = requests(of: customer, at: now, .signedTransactions, [offers[0]], inOrder: true)
        let found = try await forEachCustomer(of: number) { (place) async throws(LoadFault) in
            _ = try await service.sign(shown.body(of: place))
            return try await held(customer, at: now, place, offers, service)
        }
        return offers.filter { offer in found.allSatisfy { $0.contains(offer) } }
    }

    /// The offers that a customer may have whose evidence the service has just seen.
    private func held(
        _ customer: MadeUpCustomer,
        at now: Int64,
        _ number: Int,
        _ offers: [ExpectedAnswer.Offer],
        _ service: PreparedService
    ) async throws(LoadFault) -> [ExpectedAnswer.Offer] {
        var reasons: [String] = []
        // The service may store evidence a little later than it answers.
        for attempt in 0..<20 {
            if attempt > 0 { try? await Task.sleep(for: .milliseconds(100)) }
            let found = try await service.eligible(among: offers, reasons: &reasons) {
                requests(of: customer, at: now, .held, $0, inOrder: true).body(of: number)
            }
            if !found.isEmpty { return found }
        }
        throw LoadFault(
            "held: the service holds no state of a customer whose signed transactions it has just seen; it said: "
                + Set(reasons).sorted().joined(separator: ", ")
        )
    }
}
