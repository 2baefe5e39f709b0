internal import FoundationEssentials
import NIOCore
import NIOPosix
import StrictJSON

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
    /// How many customers there are, 1 or more.
    public var customers = 100
    /// The kinds of evidence.
    public var mix = EvidenceMix.receiptResponses
    /// How long an answer may take, in seconds.
    public var timeoutSeconds = 10.0
    /// The App Store simulator that the service asks and trusts.
    public var simulator: ServiceAddress?

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
        var simulated: [SimulatedCustomer]?
        for (index, (kind, weight)) in mix.weights.enumerated() {
            let found: (customers: [EligibleCustomer], description: String)
            if kind.needsSimulator {
                let all: [SimulatedCustomer]
                if let simulated {
                    all = simulated
                } else {
                    all = try await simulatedCustomers(of: bundleId, on: group)
                }
                simulated = all
                found = try await eligible(all, kind, among: offers, of: bundleId, service)
            } else {
                found = try await synthetic(kind, among: offers, of: bundleId, service)
            }
            hands.append(
                RequestDeck.Hand(
                    kind: kind,
                    weight: weight,
                    requests: found.customers.map { request($0, kind: index, bundleId: bundleId) },
                    description: found.description
                )
            )
        }
        return RequestDeck(hands, offersPerRequest: offersPerRequest)
    }

    private func request(_ customer: EligibleCustomer, kind: Int, bundleId: String) -> LoadRequest {
        let offers = (0..<offersPerRequest).map { customer.offers[$0 % customer.offers.count] }
        let body = RequestBody.make(
            bundleId: bundleId,
            account: customer.account,
            evidence: customer.evidence,
            offers: offers
        )
        return LoadRequest(
            bytes: HTTPRequestBytes.make("POST", "/v1/signatures", host: address.authority, token: token, body: body),
            kind: kind,
            expected: ExpectedAnswer(bundleId: bundleId, account: customer.account, offers: offers)
        )
    }

    // MARK: Customers who are made up

    /// Tries states, environments and products until the service would sign an offer, and makes customers like that.
    private func synthetic(
        _ kind: EvidenceMix.Kind,
        among offers: [ExpectedAnswer.Offer],
        of bundleId: String,
        _ service: PreparedService
    ) async throws(PreparationFault) -> (customers: [EligibleCustomer], description: String) {
        let now = Date()
        let first = Int64(now.timeIntervalSince1970 * 1000)
        var reasons: [String] = []
        for environment in ["Production", "Sandbox"] {
            for state in SyntheticReceipt.State.allCases {
                for productId in Set(offers.map(\.productId)).sorted() {
                    func customer(_ index: Int64, _ offers: [ExpectedAnswer.Offer] = []) -> EligibleCustomer {
                        let id = String(first + index)
                        let receipt = SyntheticReceipt(
                            bundleId: bundleId,
                            productId: productId,
                            state: state,
                            environment: environment,
                            originalTransactionId: id,
                            date: now
                        )
                        return EligibleCustomer(
                            account: RequestBody.account(of: id),
                            evidence: RequestBody.evidence("receiptResponse", json: receipt.json),
                            offers: offers
                        )
                    }
                    let found = try await service.eligible(customer(0), offers, bundleId: bundleId, reasons: &reasons)
                    guard !found.isEmpty else { continue }
                    var customers = (0..<Int64(self.customers)).map { customer($0, found) }
                    if kind == .held { customers = try await held(customers, bundleId, service) }
                    let names = found.map { "\($0.productId) \($0.offerId)" }.joined(separator: ", ")
                    return (customers, "\(kind.rawValue): \(customers.count) customers, \(state.rawValue): \(names)")
                }
            }
            guard reasons.contains("environment_not_allowed") else { break }
        }
        throw PreparationFault(
            "none of the customers that were tried may have an offer of \(bundleId); the service said: "
                + Set(reasons).sorted().joined(separator: ", ")
        )
    }

    /// Shows the service each customer once, and leaves the evidence out from then on.
    private func held(
        _ customers: [EligibleCustomer],
        _ bundleId: String,
        _ service: PreparedService
    ) async throws(PreparationFault) -> [EligibleCustomer] {
        var reasons: [String] = []
        var held: [EligibleCustomer] = []
        for var customer in customers {
            _ = try await service.sign(customer, bundleId: bundleId)
            customer.evidence = nil
            var found: [ExpectedAnswer.Offer] = []
            // What is learnt may be stored a little later than it is answered.
            for attempt in 0..<20 where found.isEmpty {
                if attempt > 0 { try? await Task.sleep(for: .milliseconds(100)) }
                found = try await service.eligible(customer, customer.offers, bundleId: bundleId, reasons: &reasons)
            }
            guard !found.isEmpty else {
                throw PreparationFault(
                    "held: the service holds no state of a customer whose evidence it has just seen; it said: "
                        + Set(reasons).sorted().joined(separator: ", ")
                )
            }
            customer.offers = found
            held.append(customer)
        }
        return held
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
    ) async throws(PreparationFault) -> (customers: [EligibleCustomer], description: String) {
        var reasons: [String] = []
        var customers: [EligibleCustomer] = []
        for simulated in all where customers.count < self.customers {
            guard let evidence = simulated.evidence(kind), let account = simulated.account else { continue }
            var customer = EligibleCustomer(account: account, evidence: evidence, offers: [])
            customer.offers = try await service.eligible(customer, offers, bundleId: bundleId, reasons: &reasons)
            if !customer.offers.isEmpty { customers.append(customer) }
        }
        guard !customers.isEmpty else {
            throw PreparationFault(
                "none of the simulator's customers may have an offer of \(bundleId) by \(kind.rawValue); "
                    + "the service said: \(Set(reasons).sorted().joined(separator: ", "))"
            )
        }
        return (customers, "\(kind.rawValue): \(customers.count) customers of the App Store simulator")
    }
}
