import Foundation
import Offers
import Synchronization

@testable import AppStore

/// App Store Connect as a table of paths, without their parameters, and what it was asked.
final class ScriptedConnect: HTTPTransport {
    private let answers: [String: String]
    private let state = Mutex<[OutgoingRequest]>([])

    init(_ answers: [String: String]) { self.answers = answers }

    var paths: [String] { state.withLock { $0.map(\.path) } }

    func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse {
        state.withLock { $0.append(request) }
        let known = answers[request.path] ?? answers[String(request.path.prefix { $0 != "?" })]
        let missing = #"{"errors":[{"status":"404","code":"NOT_FOUND","title":"t","detail":"d"}]}"#
        return IncomingResponse(status: known == nil ? 404 : 200, body: Array((known ?? missing).utf8))
    }

    func shutdown() async {}

    /// One app with one group; each product is a resource's JSON, and so is what comes along.
    static func app(products: [String], included: [String] = [], more: [String: String] = [:]) -> ScriptedConnect {
        let table = [
            "/v1/apps": #"{"data":[{"type":"apps","id":"77","attributes":{"bundleId":"b","name":"App"}}]}"#,
            "/v1/apps/77/subscriptionGroups":
                #"{"data":[{"type":"subscriptionGroups","id":"100","attributes":{"referenceName":"Pro"}}]}"#,
            "/v1/subscriptionGroups/100/subscriptions":
                #"{"data":[\#(products.joined(separator: ","))],"included":[\#(included.joined(separator: ","))]}"#,
        ]
        return ScriptedConnect(table.merging(more) { $1 })
    }

    /// A product, with the identifiers of its offers' resources.
    static func product(
        _ id: String,
        state: String? = "APPROVED",
        level: Int = 1,
        period: String = "ONE_MONTH",
        isShared: Bool = false,
        offers: [String] = [],
        winBacks: [String] = [],
        total: Int? = nil
    ) -> String {
        func list(_ type: String, _ ids: [String], _ total: Int?) -> String {
            let names = ids.map { #"{"type":"\#(type)","id":"\#($0)"}"# }.joined(separator: ",")
            return #"{"data":[\#(names)],"meta":{"paging":{"total":\#(total ?? ids.count),"limit":50}}}"#
        }
        let promotional = list("subscriptionPromotionalOffers", offers, total)
        let state = state.map { #""state":"\#($0)","# } ?? ""
        return #"""
            {"type":"subscriptions","id":"r-\#(id)","attributes":{\#(state)"productId":"\#(id)","name":"\#(id)",
            "familySharable":\#(isShared),"subscriptionPeriod":"\#(period)","groupLevel":\#(level)},
            "relationships":{"promotionalOffers":\#(promotional),
            "winBackOffers":\#(list("winBackOffers", winBacks, nil))}}
            """#
    }

    static func offer(_ id: String, resource: String, mode: String = "PAY_AS_YOU_GO", plan: String? = nil) -> String {
        let plan = plan.map { #","targetSubscriptionPlanType":"\#($0)""# } ?? ""
        return #"""
            {"type":"subscriptionPromotionalOffers","id":"\#(resource)","attributes":{"offerCode":"\#(id)",
            "name":"\#(id)","duration":"ONE_MONTH","offerMode":"\#(mode)","numberOfPeriods":3\#(plan)}}
            """#
    }

    static func winBack(_ id: String, resource: String, end: String? = nil) -> String {
        let end = end.map { #","endDate":"\#($0)""# } ?? ""
        return #"{"type":"winBackOffers","id":"\#(resource)","attributes":{"offerId":"\#(id)"\#(end)}}"#
    }

    /// A page of resources of one type.
    static func list(_ resources: [String], next: String? = nil) -> String {
        let next = next.map { #","links":{"next":"\#($0)"}"# } ?? ""
        return #"{"data":[\#(resources.joined(separator: ","))]\#(next)}"#
    }
}

extension AppStoreConnect {
    /// Asks at `https://connect`, and waits for nothing.
    init(
        over transport: any HTTPTransport,
        issuerId: String? = "issuer",
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(
            key: KeySigner(),
            issuerId: issuerId,
            address: "https://connect",
            transport: transport,
            now: { .testNow },
            wait: { report("\($0) s: \($1)") }
        )
    }
}
