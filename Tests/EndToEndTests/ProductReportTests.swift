import Foundation
import PostgreSQLServer
import Testing

@Suite("Product reports over a socket")
struct ProductReportTests {
    private let service: RunningService

    init() throws { service = try RunningService() }

    private func report(_ price: String, country: String = "DEU") -> String {
        #"""
        {"product_id":"pro.monthly","price":\#(price),"country_code":"\#(country)","currency_code":"EUR","symbol":"€",
        "promotion":[{"promotion_price":"4.99","promotion_period":2,"discount_type":1,"promotion_type":0,
        "promotion_code":"anyone","promotion_time":3},{"promotion_price":0,"promotion_period":1,"discount_type":0,
        "promotion_type":2,"promotion_code":"","promotion_time":1}]}
        """#
    }

    @Test("A landing page can ask for clients' reports")
    func reportsAndProducts() throws {
        let connection = try Connection(to: service.server)
        let taken = try connection.request(
            "POST",
            "/v1/product-reports?bundleId=\(Installation.bundleId)",
            body: "[\(report("9.99")),\(report("-1")),\(report("11.99", country: "FR"))]"
        )
        #expect(taken.status == 202)
        #expect(taken.json["accepted"] as? Int == 2)
        let rejected = try #require(taken.json["rejected"] as? [[String: Any]])
        #expect(rejected.map { $0["index"] as? Int } == [1])
        #expect(rejected.map { $0["code"] as? String } == ["invalid_value"])

        let answer = try connection.request(
            "GET",
            "/v1/products?bundleId=com%2Eexample.reader&countryCode=DE&productId=pro.monthly&productId=pro.weekly"
        )
        #expect(answer.status == 200)
        let product = try #require((answer.json["products"] as? [[String: Any]])?.first)
        #expect(product["price"] as? String == "9.99")
        #expect(product["currencyCode"] as? String == "EUR")
        let offers = try #require(product["offers"] as? [[String: Any]])
        #expect(offers.map { $0["type"] as? String } == ["introductory", "promotional"])
        #expect(offers.map { ($0["saved"] as? [String: Any])?["percent"] as? Int } == [100, 50])
        #expect(answer.json["unknownProducts"] as? [String] == ["pro.weekly"])
        let neverSeen = try #require(answer.json["offersNeverSeen"] as? [[String: String]])
        #expect(neverSeen == [["productId": "pro.monthly", "offerId": "comeback50"]])
    }

    @Test("A report that no database could keep is rejected, and the others are taken", arguments: [false, true])
    func unkeepable(inPostgreSQL: Bool) throws {
        let server = inPostgreSQL ? try PostgreSQLServer() : nil
        let installation = try Installation()
        if let server { try installation.keepLedger(in: server.url()) }
        let service = try RunningService(installation)
        let report = report("9.99")
        let strange = [
            report.replacing("pro.monthly", with: #"pro\u0000"#), report.replacing("anyone", with: #"any\u0000"#),
            report.replacing("€", with: #"\u0000"#),
        ]
        let taken = try Connection(to: service.server).request(
            "POST",
            "/v1/product-reports?bundleId=\(Installation.bundleId)",
            body: "[\(strange.joined(separator: ",")),\(report)]"
        )
        #expect(taken.status == 202)
        #expect(taken.json["accepted"] as? Int == 1)
        let rejected = try #require(taken.json["rejected"] as? [[String: Any]])
        #expect(rejected.map { $0["index"] as? Int } == [0, 1, 2])
    }

    @Test("Faults of the call itself are problems")
    func faults() throws {
        let connection = try Connection(to: service.server)
        #expect(try connection.request("POST", "/v1/product-reports", body: "[").status == 400)
        #expect(try connection.request("POST", "/v1/product-reports?bundleId=other", body: "[]").status == 403)
        #expect(try connection.request("GET", "/v1/products").json["code"] as? String == "invalid_parameter")
        #expect(try connection.request("GET", "/v1/products?countryCode=DE&countryCode=FR").status == 400)
        #expect(try connection.request("GET", "/v1/products?countryCode=DE&colour=red").status == 400)
        let wrong = try connection.request("POST", "/v1/products?countryCode=DE")
        #expect(wrong.status == 405)
        #expect(wrong.headers["allow"] == "GET, HEAD")
        let stranger = try connection.request(
            "GET",
            "/v1/products?countryCode=DE",
            headers: ["Authorization: Bearer x"]
        )
        #expect(stranger.status == 401)
    }
}
