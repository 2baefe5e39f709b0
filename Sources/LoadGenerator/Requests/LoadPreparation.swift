import NIOCore
import NIOPosix

/// Finds out what can be asked of a service, and makes the requests.
///
/// The service says which offers there are (`POST /v1/eligibility` without `offers` names them all), and which of them
/// the customers that are tried may have.
public struct LoadPreparation: Sendable {
    /// Where the service listens.
    public var address: ServiceAddress
    /// The client's token.
    public var token: String
    /// The app; `nil` where the client has one alone.
    public var bundleId: String?
    /// The product whose offers are asked for; `nil` for any.
    public var productId: String?
    /// The offer that is asked for; `nil` for any.
    public var offerId: String?
    /// How many offers each request asks for, 1 to 100.
    public var offersPerRequest = 1
    /// Who asks.
    public var customers = CustomerCount.number(100)
    /// About how many requests there will be: for so many new customers is signed ahead of time.
    public var expectedRequests = 0
    /// The kinds of evidence.
    public var mix = EvidenceMix.receiptResponses
    /// How long an answer may take, in seconds.
    public var timeoutSeconds = 10.0
    /// The App Store simulator that the service asks.
    public var simulator: ServiceAddress?
    /// Signs as the App Store simulator does, which the service trusts.
    public var signer: StandInSigner?

    /// Creates a preparation with the defaults.
    ///
    /// - Parameters:
    ///   - address: Where the service listens.
    ///   - token: The client's token.
    public init(for address: ServiceAddress, token: String) {
        self.address = address
        self.token = token
    }

    /// Makes the requests; a task that is cancelled gives up.
    ///
    /// - Returns: The requests of the mix, each of which the service would sign for now.
    /// - Throws: ``PreparationFault`` when there is nothing to ask, with what the service said.
    public func deck() async throws(PreparationFault) -> RequestDeck {
        // One that stays: who gives up leaves questions behind that are still on their way.
        let group = MultiThreadedEventLoopGroup.singleton
        let question = HTTPQuestion(address: address, group: group, timeoutSeconds: timeoutSeconds)
        let service = PreparedService(question: question, token: token)
        let (bundleId, offers) = try await service.offers(bundleId: bundleId, productId: productId, offerId: offerId)
        var hands: [RequestDeck.Hand] = []
        var simulated: [SimulatedCustomer] = []
        for (kind, weight) in mix.weights {
            let found: (requests: RequestDeck.Requests, description: String)
            if kind.isAskedOfSimulator {
                if simulated.isEmpty { simulated = try await simulatedCustomers(of: bundleId, on: group) }
                found = try await eligible(simulated, kind, among: offers, of: bundleId, service)
            } else {
                found = try await madeUp(kind, among: offers, of: bundleId, service)
            }
            hands.append(.init(kind: kind, weight: weight, requests: found.requests, description: found.description))
        }
        return RequestDeck(hands, offersPerRequest: offersPerRequest, isShared: customers == .shared)
    }

    // MARK: Customers of the simulator

    private func simulatedCustomers(
        of bundleId: String,
        on group: any EventLoopGroup
    ) async throws(PreparationFault) -> [SimulatedCustomer] {
        guard let simulator else { throw PreparationFault("this mix needs the App Store simulator: --simulator URL") }
        let question = HTTPQuestion(address: simulator, group: group, timeoutSeconds: timeoutSeconds)
        let answer = try await question.ask("GET", "/simulator/customers")
        guard answer.status == 200, let all = try? SimulatedCustomer.list(json: answer.body) else {
            throw PreparationFault("\(simulator) is no App Store simulator: \(answer.status) for /simulator/customers")
        }
        let customers = all.filter { $0.bundleId == bundleId && !$0.subscriptions.isEmpty }
        guard !customers.isEmpty else {
            throw PreparationFault("the App Store simulator has no customer with a subscription of \(bundleId)")
        }
        return customers
    }

    private func eligible(
        _ all: [SimulatedCustomer],
        _ kind: EvidenceMix.Kind,
        among offers: [ExpectedAnswer.Offer],
        of bundleId: String,
        _ service: PreparedService
    ) async throws(PreparationFault) -> (requests: RequestDeck.Requests, description: String) {
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
                    bytes: HTTPRequestBytes.make(
                        "POST",
                        "/v1/signatures",
                        host: address.authority,
                        token: token,
                        body: body(asked)
                    ),
                    expected: ExpectedAnswer(bundleId: bundleId, account: account, offers: asked)
                )
            )
        }
        guard !requests.isEmpty else {
            throw PreparationFault(
                "none of the simulator's customers may have an offer of \(bundleId) by \(kind.rawValue); "
                    + "the service said: \(Set(reasons).sorted().joined(separator: ", "))"
            )
        }
        return (.listed(requests), "\(kind.rawValue): \(requests.count) customers of the App Store simulator")
    }
}
