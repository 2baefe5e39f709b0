import Foundation
import OfferSignerClient

let environment = ProcessInfo.processInfo.environment
let receiptResponse = try Data(contentsOf: URL(filePath: "keys.example/receipt-responses/lapsed.json"))

let answer: SignatureAnswer
do throws(OfferSignerError) {
    let offers = try OfferSigner(url: environment["OFFERS_URL"] ?? "", token: environment["OFFERS_TOKEN"] ?? "")
    answer = try await offers.signatures(
        SignatureRequest(
            account: .applicationUsername("Reader-4711"),
            evidence: .receiptResponse(Array(receiptResponse)),
            offers: [RequestedOffer(productId: "com.example.reader.pro.monthly", offerId: "comeback50")]
        )
    )
} catch .problem(let problem) {
    print("\(problem.code) \(problem.pointer ?? ""): \(problem.detail)")  // problem.code is what to branch on
    exit(1)
} catch {
    print(error)  // nobody answered, or another server did: go on without an offer
    exit(1)
}
for decision in answer.decisions {
    if let discount = decision.discount {
        print(String(decoding: try JSONEncoder().encode(discount), as: UTF8.self))  // for the app, as it is
    } else {
        print("\(decision.reason): \(decision.detail)")
    }
}
