public import OfferService
import Offers
import StrictJSON

/// `POST /v1/product-reports` and `GET /v1/products`, without the transport.
public struct ProductReportsEndpoint: Sendable {
    private let clients: ClientDirectory
    private let reports: ProductReports

    /// Creates the endpoint.
    ///
    /// - Parameters:
    ///   - clients: Who may call.
    ///   - reports: The use cases behind it.
    public init(clients: ClientDirectory, reports: ProductReports) {
        self.clients = clients
        self.reports = reports
    }

    /// Decides by the head alone whether the body is worth reading.
    ///
    /// - Parameter head: The request's head.
    /// - Returns: The client that calls.
    /// - Throws: `Problem` 401, 403 or 415.
    func admitReport(_ head: RequestHead) throws(Problem) -> Client {
        try clients.admitJSON(head, for: .report)
    }

    /// Decides by the head alone who asks for products.
    ///
    /// - Parameter head: The request's head.
    /// - Returns: The client that calls.
    /// - Throws: `Problem` 401 or 403.
    func admitQuery(_ head: RequestHead) throws(Problem) -> Client {
        try clients.admit(head, for: .report)
    }

    /// Takes reports.
    ///
    /// - Parameters:
    ///   - body: The request's body.
    ///   - parameters: The parameters of the request's URL.
    ///   - client: The client that calls.
    /// - Returns: The body of the answer, JSON.
    /// - Throws: `Problem` 400, 403 or 503.
    func take(_ body: [UInt8], parameters: QueryParameters, for client: Client) async throws(Problem) -> [UInt8] {
        let bundleId = try client.app(namedIn: parameters)
        let call: ProductReportsCall
        do {
            call = try ProductReportsCall(json: body)
        } catch {
            throw Problem(error)
        }
        let kept: [Bool]
        do {
            kept = try await reports.take(call.reports.map(\.report), of: bundleId)
        } catch {
            throw Problem(error)
        }
        let full = zip(call.reports, kept).filter { !$0.1 }.map { report, _ in
            RejectedReport(
                index: report.index,
                code: "no_room",
                detail: "The service keeps no more products of this app."
            )
        }
        return Self.json(
            accepted: call.reports.count - full.count,
            rejected: (call.rejected + full).sorted { $0.index < $1.index }
        )
    }

    /// Tells what is known of products in a country.
    ///
    /// - Parameters:
    ///   - parameters: The parameters of the request's URL.
    ///   - client: The client that calls.
    /// - Returns: The body of the answer, JSON.
    /// - Throws: `Problem` 400, 403 or 503.
    func products(parameters: QueryParameters, for client: Client) async throws(Problem) -> [UInt8] {
        let bundleId = try client.app(namedIn: parameters)
        guard let code = try parameters.value(of: "countryCode") else {
            throw .invalidParameter("The parameter countryCode is missing: name a country of ISO 3166-1, such as DE.")
        }
        guard let country = CountryCode(code) else {
            throw .invalidParameter("The countryCode is no country of ISO 3166-1, such as DE or DEU.")
        }
        do {
            let products = parameters.values(of: "productId")
            return try await reports.products(of: bundleId, in: country, productIds: products).json
        } catch {
            throw Problem(error)
        }
    }

    private static func json(accepted: Int, rejected: [RejectedReport]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { answer in
            answer.member("accepted", Int64(accepted))
            answer.member("rejected")
            answer.array { elements in
                for report in rejected {
                    elements.object { members in
                        members.member("index", Int64(report.index))
                        members.member("code", report.code)
                        members.member("detail", report.detail)
                    }
                }
            }
        }
        return writer.bytes
    }
}
