import ChildProcess
import Foundation
import Testing

/// The built `offer-lab`, playing the App Store of an installation's app.
final class RunningAppStore: Sendable {
    static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"

    let address: Connection.Address
    /// The path of its root, as it says it.
    let root: String
    let directory: TemporaryDirectory

    private let process: ChildProcess

    /// Starts the simulator of an installation's app, with a YAML list of customers, or with one who is lapsed.
    convenience init(
        for installation: Installation,
        customers: String = "[{ name: lapsed, subscriptions: [{ product: pro.monthly, state: lapsed }] }]"
    ) throws {
        try self.init(
            in: try TemporaryDirectory(),
            scenario: """
                apps:
                  - bundleId: \(Installation.bundleId)
                    issuerId: \(Self.issuerId)
                    keys: [{ id: TESTKEY001, publicKeyFile: \(installation.publicKey) }]
                    subscriptionGroups:
                      - id: "20900001"
                        products:
                          - id: pro.monthly
                            introductoryOffer: { mode: freeTrial, period: P1W }
                            offers: [{ id: once, periods: 3 }, { id: anyone }]
                            retentionOffers: [{ id: keep, periods: 3 }]
                          - { id: pro.yearly, level: 1, period: P1Y, price: 99.99, monthlyPrice: 9.49 }
                customers: \(customers)
                """
        )
    }

    /// Starts the simulator, with the scenario that it makes or with this one, and waits for the line that says where it is.
    init(in directory: TemporaryDirectory, scenario: String? = nil, storeKitFile: String? = nil) throws {
        self.directory = directory
        if let scenario { try directory.write("app-store.yaml", scenario) }
        process = try ChildProcess(
            Executable.lab,
            ["app-store", "--port", "0", "--directory", directory.url.path]
                + (storeKitFile.map { ["--storekit", $0] } ?? [])
        )
        var output = ""
        try waitUntil(seconds: 120) { [process] in
            output = try String(contentsOf: process.outputFile, encoding: .utf8)
            return output.contains("\n") || process.hasEnded
        }
        guard let match = output.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+), root (\S+)\n/), let port = UInt16(match.1)
        else {
            let log = try String(contentsOf: process.errorFile, encoding: .utf8)
            throw Failure(text: "no address in \"\(output)\"; \(log)")
        }
        root = String(match.2)
        address = Connection.Address(port: port)
    }

    func signal(_ signal: Int32) { process.send(signal) }

    func wait() -> Int32 { process.wait() }

    /// Sends a request, with a body if it is a POST.
    func ask(_ method: String, _ path: String, _ body: String = "") throws -> Response {
        try Connection(to: address).request(method, path, headers: [], body: body)
    }

    /// The original transaction identifier of a customer's first subscription.
    func originalId(of customer: String) throws -> String {
        let view = try ask("GET", "/simulator/customers/\(customer)").json
        let subscription = (view["subscriptions"] as? [[String: Any]])?.first
        return try #require(subscription?["originalTransactionId"] as? String, "\(view)")
    }

    func show(fault: String) throws { #expect(try ask("POST", "/simulator/faults", fault).status == 200) }

    /// Has Apple's notifications, or its calls of another kind, come to a service.
    func call(_ service: RunningService, for kind: String = "notification", at path: String = "notifications") throws {
        let port = try #require(service.notifications?.port)
        let body = #"{"bundleId":"\#(Installation.bundleId)","url":"http://127.0.0.1:\#(port)/v1/\#(path)"}"#
        #expect(try ask("POST", "/simulator/\(kind)-url", body).status == 200)
    }

    /// The answer of verifyReceipt for a customer's receipt of this moment, as a backend fetches it.
    func receiptResponse(of customer: String) throws -> String {
        let receipt = try ask("GET", "/simulator/customers/\(customer)").json["receipt"] as? String ?? ""
        let answer = try ask("POST", "/verifyReceipt", #"{"receipt-data":"\#(receipt)","password":"secret"}"#)
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// Buys as a client would, with what the service answered.
    func buy(as customer: String, _ discount: [String: Any], account: String) throws -> Response {
        try buy(as: customer, ["productId": "pro.monthly", "appAccountToken": account, "discount": discount])
    }

    /// Buys as a client would.
    func buy(as customer: String, _ purchase: [String: Any]) throws -> Response {
        let body = purchase.merging(["customer": customer]) { $1 }
        let json = try JSONSerialization.data(withJSONObject: body)
        return try ask("POST", "/simulator/purchases", String(decoding: json, as: UTF8.self))
    }
}
