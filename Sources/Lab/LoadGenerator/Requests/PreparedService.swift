import StrictJSON

/// The service that is asked before the measurement begins.
struct PreparedService {
    let question: HTTPQuestion
    let token: String

    // Any account will do to ask which offers there are.
    private static let nobody = "00000000-0000-4000-8000-000000000000"

    /// The app, `nil` for the client's only one, and its offers, one or more; `nil` takes any product or offer.
    func offers(
        bundleId: String?,
        productId: String?,
        offerId: String?
    ) async throws(LoadFault) -> (bundleId: String, offers: [ExpectedAnswer.Offer]) {
        let body = RequestBody.make(bundleId: bundleId, account: Self.nobody, evidence: nil, offers: nil)
        let answer = try await answer("/v1/eligibility", body)
        let all = answer.decisions.map { ExpectedAnswer.Offer(productId: $0.productId, offerId: $0.offerId) }
        let offers = all.filter { $0.productId == productId ?? $0.productId && $0.offerId == offerId ?? $0.offerId }
        guard !offers.isEmpty else {
            let names = all.map { "\($0.productId) \($0.offerId)" }.joined(separator: ", ")
            throw LoadFault(
                all.isEmpty
                    ? "the catalog has no offer of \(answer.bundleId)"
                    : "the catalog has no such offer of \(answer.bundleId); it has \(names)"
            )
        }
        return (answer.bundleId, offers)
    }

    func eligible(
        among offers: [ExpectedAnswer.Offer],
        reasons: inout [String],
        _ body: ([ExpectedAnswer.Offer]) -> [UInt8]
    ) async throws(LoadFault) -> [ExpectedAnswer.Offer] {
        var eligible: [ExpectedAnswer.Offer] = []
        // A request may ask about a hundred of them.
        for start in stride(from: 0, to: offers.count, by: 100) {
            let some = Array(offers[start..<min(start + 100, offers.count)])
            let answer = try await answer("/v1/eligibility", body(some))
            for (decision, offer) in zip(answer.decisions, some) {
                if decision.verdict == "eligible" { eligible.append(offer) } else { reasons.append(decision.reason) }
            }
        }
        return eligible
    }

    func sign(_ body: [UInt8]) async throws(LoadFault) -> SignedAnswer {
        try await answer("/v1/signatures", body)
    }

    private func answer(_ path: String, _ body: [UInt8]) async throws(LoadFault) -> SignedAnswer {
        let (status, body) = try await question.ask("POST", path, token: token, body: body)
        guard status == 200 else {
            let problem = Problem(json: body)
            let code = problem.code.isEmpty ? "" : " \(problem.code)"
            let detail = problem.detail.isEmpty ? "" : ": \(problem.detail)"
            throw LoadFault("POST \(question.address)\(path): \(status)\(code)\(detail)")
        }
        do throws(JSONFault) {
            let answer = try SignedAnswer(json: body)
            guard !answer.bundleId.isEmpty else { throw JSONFault(.missingMember, "There is no bundleId.") }
            return answer
        } catch {
            throw LoadFault("POST \(question.address)\(path) is not answered by Offer Signer: \(error.detail)")
        }
    }
}

/// The problem details of a refusal (RFC 9457), as far as they are there.
struct Problem {
    private(set) var code = ""
    private(set) var detail = ""

    init(json: [UInt8]) {
        var reader = JSONReader(json)
        try? reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "code": code = try reader.readString()
            case "detail": detail = try reader.readString()
            default: try reader.skipValue()
            }
        }
    }
}
