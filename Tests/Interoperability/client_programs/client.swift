// Asks with the client that openapi-generator made for Swift 6.
import Foundation

/// What an ask came to, as the test reads it.
struct Told: Encodable {
    var bundleId, environment, productId, reason, begins, code: String?
    var account: Account?
    var verdict: Verdict?
    var discount: Discount?
    var status: Int?
}

@main
enum Client {
    static func main() async throws {
        let (account, product, offer) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])
        var asks = CommandLine.arguments[4...]
        while let address = asks.popFirst(), let token = asks.popFirst(), let evidence = asks.popFirst() {
            let configuration = OpenAPIClientAPIConfiguration(
                basePath: address,
                customHeaders: ["Authorization": "Bearer \(token)"]
            )
            let receiptResponse = try JSONDecoder().decode(
                JSONValue.self,
                from: Data(contentsOf: URL(filePath: evidence))
            )
            let request = SignatureRequest(
                appAccountToken: UUID(uuidString: account),
                evidence: Evidence(receiptResponse: receiptResponse),
                offers: [RequestedOffer(productId: product, offerId: offer)]
            )
            var told = Told()
            do {
                let answer = try await OffersAPI.signOffers(signatureRequest: request, apiConfiguration: configuration)
                let decision = answer.decisions[0]
                told = Told(
                    bundleId: answer.bundleId,
                    environment: answer.environment,
                    productId: decision.productId,
                    reason: decision.reason,
                    begins: decision.begins,
                    account: answer.account,
                    verdict: decision.verdict,
                    discount: decision.discount
                )
            } catch ErrorResponse.error(_, let body?, _, _) {
                let problem = try JSONDecoder().decode(Problem.self, from: body)
                (told.status, told.code) = (problem.status, problem.code)
            }
            print(String(decoding: try JSONEncoder().encode(told), as: UTF8.self))
        }
    }
}
