import ChildProcess
import Foundation
import OfferSignerClient
import Testing

extension SharedServiceTests {
    @Suite("The client for backends, against the service")
    struct BackendClientTests {
        private let service: RunningService
        private let offers: OfferSigner

        init() throws {
            service = try PlainScene.running().service
            offers = try OfferSigner(url: "http://127.0.0.1:\(service.server.port)", token: Installation.token)
        }

        private func json(_ value: some Encodable) throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? [String: Any] ?? [:]
        }

        @Test("Signatures come typed and unchanged, so that openssl verifies a backend's JSON")
        func signatures() async throws {
            let token = try #require(UUID(uuidString: "7E3FB20B-4CDB-47CC-936D-99D65F608138"))
            let accounts: [(Account, String)] = [
                (.appAccountToken(token), "7e3fb20b-4cdb-47cc-936d-99d65f608138"),
                (.applicationUsername("Zoë-Ω"), "Zoë-Ω"),
                (.none, ""),
            ]
            let lapsed = Customers.lapsed(Customers.transaction())
            for (account, field) in accounts {
                let answer = try await offers.signatures(
                    SignatureRequest(
                        bundleId: Installation.bundleId,
                        account: account,
                        evidence: .receiptResponse(Array(lapsed.utf8)),
                        offers: [offer("comeback50"), offer("nope")],
                        explain: true
                    )
                )
                #expect(answer.bundleId == Installation.bundleId)
                #expect(answer.environment == .production)
                #expect(answer.account == account)
                #expect(answer.decisions.map(\.verdict) == [.eligible, .ineligible])
                #expect(answer.decisions.map(\.reason) == ["lapsed", "offer_not_in_catalog"])
                let signed = try #require(answer.decisions.first)
                #expect(signed.begins == .now)
                #expect(signed.explanation?.isEmpty == false)
                let discount = try #require(signed.discount)
                let expiry = try #require(signed.expiresAt).timeIntervalSince1970
                #expect(Int64(expiry) == discount.timestamp / 1000 + 86400)
                #expect(try service.installation.verifies(json(discount), account: field))
                #expect(answer.decisions.last?.discount == nil)
            }
        }

        @Test("Eligibility of every offer of the catalog, and of introductory ones")
        func eligibility() async throws {
            let answer = try await offers.eligibility(
                EligibilityRequest(
                    evidence: .receiptResponse(Array(Customers.neverSubscribed.utf8)),
                    products: ["pro.monthly"],
                    explain: true
                )
            )
            #expect(answer.decisions.map(\.offerId) == ["anyone", "comeback50"])
            #expect(answer.decisions.allSatisfy { $0.reason == "never_subscribed" && $0.discount == nil })
            #expect(answer.products.map(\.introductoryOffer.verdict) == [.eligible])
            #expect(answer.products.first?.introductoryOffer.reason == "never_used")
        }

        @Test("A discount that went wrong on its way to StoreKit is diagnosed")
        func diagnoses() async throws {
            let account = Account.applicationUsername("Reader-4711")
            let answer = try await offers.signatures(
                SignatureRequest(
                    account: account,
                    evidence: .receiptResponse(Array(Customers.active(Customers.transaction()).utf8)),
                    offers: [offer("anyone")]
                )
            )
            let discount = try #require(answer.decisions.first?.discount)
            var report = SignatureReport(
                keyIdentifier: discount.keyIdentifier,
                productId: "pro.monthly",
                offerId: discount.identifier,
                account: account,
                nonce: discount.nonce,
                timestamp: discount.timestamp,
                signature: discount.signature,
                storeKitError: 12
            )
            #expect(try await offers.diagnose(report).valid)
            report.timestamp /= 1000
            let diagnosis = try await offers.diagnose(report)
            #expect(!diagnosis.valid)
            #expect(diagnosis.causes.map(\.code).contains("timestamp_in_seconds"))
        }

        @Test("Faults are typed, with code and pointer")
        func problems() async throws {
            let request = SignatureRequest(evidence: .receipt(base64: "x"), offers: [offer("anyone")])
            let error = await #expect(throws: OfferSignerError.self) { try await offers.signatures(request) }
            guard case .problem(let problem) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(problem.status == 400)
            #expect(problem.code == "invalid_value")
            #expect(problem.pointer == "/evidence/receipt")
        }
    }
}

@Suite("The client for backends, against a service whose catalog and reports change")
struct ChangingBackendClientTests {
    private let service: RunningService
    private let offers: OfferSigner

    init() throws {
        service = try RunningService()
        offers = try OfferSigner(url: "http://127.0.0.1:\(service.server.port)", token: Installation.token)
    }

    @Test("Both formats in one answer, and introductory eligibility as a JWS")
    func jws() async throws {
        try service.installation.nameIssuer()
        try service.reload()
        let answer = try await offers.signatures(
            SignatureRequest(
                evidence: .receiptResponse(Array(Customers.active.utf8)),
                offers: [offer("anyone")],
                formats: [.discount, .jws]
            )
        )
        let decision = try #require(answer.decisions.first)
        #expect(decision.discount?.identifier == "anyone")
        #expect(decision.jws?.split(separator: ".").count == 3)

        // Apple takes the signature for any transaction of the customer, also for one that is no subscription's.
        let coins = #""in_app":[{"product_id":"coins","transaction_id":"704289572311513293"}]"#
        let newcomer = Customers.neverSubscribed.replacing(#""in_app":[]"#, with: coins)
        let introductory = try await offers.introductoryEligibilitySignatures(
            IntroductorySignatureRequest(
                evidence: .receiptResponse(Array(newcomer.utf8)),
                products: ["pro.monthly"],
                transactionId: "704289572311513293"
            )
        )
        let product = try #require(introductory.products.first)
        #expect(product.introductoryOffer.reason == "never_used")
        #expect(product.allowIntroductoryOffer == true)
        #expect(product.jws?.split(separator: ".").count == 3)
        #expect(product.expiresAt != nil)
    }

    @Test("Prices that clients report come back for the landing page")
    func products() async throws {
        let report = ProductReport(
            productId: "pro.monthly",
            price: "9.99",
            countryCode: "DEU",
            currencyCode: "EUR",
            symbol: "€",
            offers: [
                ReportedOffer(offerId: nil, price: "0", paymentMode: .freeTrial, unit: .week, numberOfPeriods: 1),
                ReportedOffer(
                    offerId: "comeback50",
                    price: "4.99",
                    paymentMode: .payAsYouGo,
                    unit: .month,
                    numberOfPeriods: 3
                ),
            ]
        )
        var wrong = report
        wrong.countryCode = "GER"
        var dearer = report
        dearer.price = "10.99"
        let taken = try await offers.report([report, wrong, dearer], bundleId: Installation.bundleId)
        #expect(taken.accepted == 2)
        #expect(taken.rejected.map(\.index) == [1])
        #expect(taken.rejected.first?.detail.hasPrefix("/country_code: ") == true)

        let overview = try await offers.products(["pro.monthly", "other"], countryCode: "DE")
        #expect(overview.unknownProducts == ["other"])
        #expect(overview.offersNeverSeen == [offer("anyone")])
        let product = try #require(overview.products.first)
        #expect(product.price == "10.99")
        #expect(product.olderPrices.map(\.price) == ["9.99"])
        #expect(Set(product.offers.map(\.type)) == ["introductory", "promotional"])
        #expect(Set(product.offers.map(\.price)) == ["0", "4.99"])
    }
}

private func offer(_ id: String) -> RequestedOffer { RequestedOffer(productId: "pro.monthly", offerId: id) }
