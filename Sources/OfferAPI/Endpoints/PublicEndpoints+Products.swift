import OfferService
import Offers
import StrictJSON

/// `POST /v1/product-reports` and `GET /v1/products`.
extension PublicEndpoints {
    func reports(_ request: Request, _ client: Client) throws(Problem) -> Step<Reply, Problem> {
        let parameters = try request.parameters()
        let bundleId = try client.app(namedIn: parameters)
        let call: ProductReportsCall
        do {
            call = try ProductReportsCall(json: request.body)
        } catch {
            throw Problem(error)
        }
        return .later { [productReports] () async throws(Problem) in
            let kept = try await Self.answer(about: bundleId) { () async throws(StorageFailure) in
                try await productReports.save(call.reports.map(\.report), of: bundleId)
            }
            let full = zip(call.reports, kept).filter { !$0.1 }.map { report, _ in
                RejectedReport(
                    index: report.index,
                    code: "no_room",
                    detail: "The service keeps no more products of this app."
                )
            }
            let json = Self.json(
                accepted: call.reports.count - full.count,
                rejected: (call.rejected + full).sorted { $0.index < $1.index }
            )
            return Reply(json, status: 202)
        }
    }

    func products(_ request: Request, _ client: Client) throws(Problem) -> Step<Reply, Problem> {
        let parameters = try request.parameters()
        let bundleId = try client.app(namedIn: parameters)
        guard let code = try parameters.value(of: "countryCode") else {
            throw .invalidParameter("The parameter countryCode is missing: name a country of ISO 3166-1, such as DE.")
        }
        guard let country = CountryCode(code) else {
            throw .invalidParameter("The countryCode is no country of ISO 3166-1, such as DE or DEU.")
        }
        let products = parameters.values(of: "productId")
        return .later { [productReports] () async throws(Problem) in
            let overview = try await Self.answer(about: bundleId) { () async throws(StorageFailure) in
                try await productReports.products(of: bundleId, in: country, productIds: products)
            }
            return Reply(overview.json)
        }
    }

    /// The answer about an app; there is none about an app outside the catalog.
    private static func answer<Answer: Sendable>(
        about bundleId: String,
        _ ask: () async throws(StorageFailure) -> Answer?
    ) async throws(Problem) -> Answer {
        let answer: Answer?
        do throws(StorageFailure) {
            answer = try await ask()
        } catch {
            throw .storeUnavailable
        }
        guard let answer else { throw .appNotAllowed }
        return answer
    }

    private static func json(accepted: Int, rejected: [RejectedReport]) -> [UInt8] {
        JSONWriter.text { answer in
            answer.member("accepted", Int64(accepted))
            answer.objects("rejected", rejected) { report, members in
                members.member("index", Int64(report.index))
                members.member("code", report.code)
                members.member("detail", report.detail)
            }
        }
    }
}
