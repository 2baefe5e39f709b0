import Foundation
import OfferSignerClient

/// What the app sends to this backend: a transaction id, or StoreKit 2's signed data; and a name for the purchase.
struct Sent: Decodable {
    let transactionId: String?
    let signedTransactions: [String]?
    let signedRenewalInfos: [String]?
    let idempotencyKey: String?

    var evidence: Evidence {
        if let transactionId { return .transactionId(transactionId) }
        return .signedTransactions(signedTransactions ?? [], renewalInfos: signedRenewalInfos ?? [])
    }
}

let environment = ProcessInfo.processInfo.environment
let sent = try JSONDecoder().decode(Sent.self, from: FileHandle.standardInput.readDataToEndOfFile())
let customer = UUID(uuidString: "5d3c2c64-8c1e-4f0e-9a57-0a7c6a1b4711")  // whom this backend has signed in

let answer: SignatureAnswer
do throws(OfferSignerError) {
    let offers = try OfferSigner(url: environment["OFFERS_URL"] ?? "", token: environment["OFFERS_TOKEN"] ?? "")
    answer = try await offers.signatures(
        SignatureRequest(
            account: customer.map(Account.appAccountToken) ?? Account.none,
            evidence: sent.evidence,
            offers: [RequestedOffer(productId: "com.example.reader.pro.monthly", offerId: "comeback50")]
        ),
        idempotencyKey: sent.idempotencyKey
    )
} catch .problem(let problem) {
    print("\(problem.code) \(problem.pointer ?? ""): \(problem.detail)")  // branch on problem.code
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
