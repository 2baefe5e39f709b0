import Testing

@testable import Offers

@Suite("The budget of the search for mistakes")
struct MistakeSearchTests {
    /// As many products and offers as are looked at, so that two mistakes together are a million.
    private static let app = App(
        bundleId: "com.example.reader",
        subscriptionGroups: [
            SubscriptionGroup(
                id: "1",
                products: (0..<500).map { Product(id: "product\($0)", offers: [PromotionalOffer(id: "offer\($0)")]) }
            )
        ]
    )

    private static func search(_ verifiers: [any SignatureVerifier], key: String) -> MistakeSearch {
        let report = SignatureReport(
            bundleId: "com.example.reader",
            keyIdentifier: key,
            productId: "product1",
            offerId: "offer1",
            account: .applicationUsername("led-1"),
            nonce: "0f4c2b1a-9d3e-4f6a-8b7c-1d2e3f4a5b6c",
            timestamp: clock.millisecondsSince1970 / 1000,
            signature: ""
        )
        return MistakeSearch(
            of: .der([]),
            in: Mistake.Situation(
                report: report,
                app: app,
                keys: verifiers,
                otherBundleIds: ["com.example.other"],
                otherKeys: [:]
            )
        )
    }

    @Test("is bounded, whichever key is named and however many there are", arguments: ["KEY0", "NOBODYS"], [0, 1, 9])
    func bounded(key: String, count: Int) {
        let verifiers = (0..<count).map { CountingVerifier("KEY\($0)") }
        var search = Self.search(verifiers, key: key)
        #expect(search.signedGuess() == nil)
        #expect(search.tries <= MistakeSearch.maximumTries)
        #expect(verifiers.reduce(0) { $0 + $1.verifications } <= search.tries)
    }

    @Test("counts every key that a guess is tried with, and the key is one of two mistakes where none is the one named")
    func unknownKey() {
        let verifier = CountingVerifier("KEY0")
        var search = Self.search([verifier], key: "NOBODYS")
        #expect(search.signedGuess() == nil)
        #expect(search.tries == verifier.verifications)
        #expect(search.tries > 1)
    }

    @Test("ends when its caller has gone")
    func cancelled() async {
        let verifier = CountingVerifier("FIRST")
        let tries = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var search = Self.search([verifier], key: "FIRST")
            _ = search.signedGuess()
            return search.tries
        }.value
        #expect(tries == 0)
        #expect(verifier.verifications == 0)
    }
}
