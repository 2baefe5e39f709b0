internal import FoundationEssentials
import StrictJSON

extension LoadPreparation {
    /// Tries states, environments and products until the service would sign an offer, and makes customers like that.
    func madeUp(
        _ kind: EvidenceMix.Kind,
        among offers: [ExpectedAnswer.Offer],
        of bundleId: String,
        _ service: PreparedService
    ) async throws(PreparationFault) -> (requests: RequestDeck.Requests, description: String) {
        let now = Date()
        // Held is what was shown before: by this run where it can, and by whoever has filled the service where it cannot.
        let shown = kind == .held && signer != nil ? EvidenceMix.Kind.signedTransactions : kind
        var reasons: [String] = []
        for environment in ["Production", "Sandbox"] {
            for state in SyntheticCustomer.State.allCases {
                for productId in Set(offers.map(\.productId)).sorted() {
                    let customer = SyntheticCustomer(
                        bundleId: bundleId,
                        productId: productId,
                        state: state,
                        environment: environment,
                        originalTransactionId: MadeUpRequests.identifierMark,
                        date: now
                    )
                    var found = try await service.eligible(among: offers, reasons: &reasons) {
                        requests(of: customer, shown, $0).body(of: 0)
                    }
                    guard !found.isEmpty else { continue }
                    if kind == .held, kind != shown {
                        found = try await hold(customer, found, service)
                    }
                    var made = requests(of: customer, kind, (0..<offersPerRequest).map { found[$0 % found.count] })
                    try await made.prepare(signedAhead)
                    let names = found.map { "\($0.productId) \($0.offerId)" }.joined(separator: ", ")
                    return (.madeUp(made), "\(kind.rawValue): \(who), \(state.rawValue): \(names)")
                }
            }
            guard reasons.contains("environment_not_allowed") else { break }
        }
        let reason = Set(reasons).sorted().joined(separator: ", ")
        throw PreparationFault(
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
        of customer: SyntheticCustomer,
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
            // Of this run alone, however many customers one before it had.
            from: Int64(customer.date.timeIntervalSince1970 * 1000) * 1000,
            expecting: ExpectedAnswer(bundleId: customer.bundleId, account: "", offers: offers),
            body: RequestBody.make(
                bundleId: customer.bundleId,
                account: MadeUpRequests.accountMark,
                evidence: evidence,
                offers: offers
            ),
            payloads: isSigned ? [customer.signedTransaction, customer.signedRenewalInfo] : [],
            signer: isSigned ? signer : nil
        ) { length in
            HTTPRequestBytes.head("POST", "/v1/signatures", host: address.authority, token: token, bodyLength: length)
        }
    }

    /// Shows the service the signed transactions of each customer once.
    ///
    /// - Returns: The offers that the customers may have without evidence from then on.
    private func hold(
        _ customer: SyntheticCustomer,
        _ offers: [ExpectedAnswer.Offer],
        _ service: PreparedService
    ) async throws(PreparationFault) -> [ExpectedAnswer.Offer] {
        guard case .number(let number) = customers else {
            throw PreparationFault("held: a number of customers is needed, as each is shown to the service first")
        }
        let shown = requests(of: customer, .signedTransactions, [offers[0]], inOrder: true)
        let workers = min(16, number)
        do {
            return try await withThrowingTaskGroup(of: [ExpectedAnswer.Offer].self) { group in
                for worker in 0..<workers {
                    group.addTask {
                        var found = offers
                        for place in stride(from: worker, to: number, by: workers) {
                            _ = try await service.sign(shown.body(of: place))
                            found = try await held(customer, place, found, service)
                        }
                        return found
                    }
                }
                var found = offers
                for try await offers in group { found.removeAll { !offers.contains($0) } }
                return found
            }
        } catch {
            throw error as? PreparationFault ?? PreparationFault("\(error)")
        }
    }

    /// The offers that a customer may have whose evidence the service has just seen.
    private func held(
        _ customer: SyntheticCustomer,
        _ number: Int,
        _ offers: [ExpectedAnswer.Offer],
        _ service: PreparedService
    ) async throws(PreparationFault) -> [ExpectedAnswer.Offer] {
        var reasons: [String] = []
        // What is remembered may be stored a little later than it is answered.
        for attempt in 0..<20 {
            if attempt > 0 { try? await Task.sleep(for: .milliseconds(100)) }
            let found = try await service.eligible(among: offers, reasons: &reasons) {
                requests(of: customer, .held, $0, inOrder: true).body(of: number)
            }
            if !found.isEmpty { return found }
        }
        throw PreparationFault(
            "held: the service holds no state of a customer whose signed transactions it has just seen; it said: "
                + Set(reasons).sorted().joined(separator: ", ")
        )
    }
}
