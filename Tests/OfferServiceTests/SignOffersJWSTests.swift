import AppStore
import LedgerFixtures
import OfferService
import Offers
import PrometheusMetrics
import Testing

@Suite("Signing offers as JWS")
struct SignOffersJWSTests {
    private let now = Timestamp(millisecondsSince1970: 1_795_262_400_999)
    private let signer = KeySigner()
    private let registry = PrometheusRegistry()

    private func useCase(issuerId: String? = "issuer", ledger: ScriptedLedger = ScriptedLedger()) -> SignOffers {
        let groups = [("1", ["monthly", "yearly"]), ("2", ["news"])].map { id, products in
            SubscriptionGroup(
                id: id,
                products: products.map { Product(id: $0, offers: [PromotionalOffer(id: "stay") { $0.scope = .app }]) }
            )
        }
        let app = App(bundleId: "com.example.reader", subscriptionGroups: groups)
        let now = now
        return SignOffers(
            apps: [SigningApp(app: app, signer: signer, issuerId: issuerId)],
            evidenceReader: AppStoreEvidenceReader(),
            maximumEvidenceAgeSeconds: 86400,
            ledger: ledger,
            metrics: ServiceMetrics(factory: registry),
            now: { now }
        )
    }

    private var subscriber: Evidence {
        ReceiptResponse(
            purchases: [
                .init(id: "11", daysAgo: 40), .init(id: "12", product: "yearly"), .init(id: "13", daysAgo: 90),
            ],
            renewals: ["monthly"],
            now: now
        ).evidence
    }

    private func request(
        _ formats: Set<SignatureFormat>,
        product: String = "monthly",
        evidence: Evidence?
    ) -> CustomerRequest {
        CustomerRequest.of(
            .signatures(
                [OfferRequest(productId: product, offerId: "stay"), OfferRequest(productId: product, offerId: "no")],
                formats: formats
            ),
            evidence
        )
    }

    @Test(
        "Exactly the formats asked for are signed, and only for an eligible offer",
        arguments: [[.discount], [.jws], [.discount, .jws]] as [Set<SignatureFormat>]
    )
    func formats(_ formats: Set<SignatureFormat>) async throws {
        let ledger = ScriptedLedger()
        let answer = try await useCase(ledger: ledger).answer(request(formats, evidence: subscriber))
        let (first, second) = (answer.decisions[0], answer.decisions[1])
        #expect((first.discount != nil) == formats.contains(.discount))
        #expect((first.jws != nil) == formats.contains(.jws))
        #expect(second.discount == nil && second.jws == nil && second.expiresAt == nil)
        #expect(first.expiresAt?.rfc3339 == now.adding(seconds: 86400).rfc3339)
        if let discount = first.discount, let jws = first.jws { #expect(discount.nonce != jws.nonce) }
        let recorded = ledger.entries.flatMap(\.grants).flatMap(\.signatures)
        #expect(recorded.map(\.nonce) == [first.discount?.nonce, first.jws?.nonce].compactMap(\.self))
    }

    @Test("Each format is counted by itself, and so is each call")
    func counted() async throws {
        let useCase = useCase()
        for formats in [[.discount], [.jws], [.jws, .discount], [.jws]] as [Set<SignatureFormat>] {
            let request = request(formats, evidence: subscriber)
            let prepared = try await useCase.answer(request)
            #expect(prepared.decisions.count == 2)
        }
        _ = try await useCase.answer(CustomerRequest.of(.eligibility(nil), subscriber))
        let samples = Set(String(decoding: registry.exposition(), as: UTF8.self).split(separator: "\n"))
        let signed = #"offer_signer_signatures_total{app="com.example.reader",offer="stay",key_id="EXAMPLE123",format="#
        #expect(samples.contains(#"\#(signed)"discount"} 2"#))
        #expect(samples.contains(#"\#(signed)"jws"} 3"#))
        for (call, reason, count) in [
            ("signatures", "active_auto_renew_off", 4), ("signatures", "offer_not_in_catalog", 4),
            ("eligibility", "active_auto_renew_off", 3),
            ("eligibility", "offer_not_in_catalog", 0),
        ] {
            let verdict = reason == "offer_not_in_catalog" ? "ineligible" : "eligible"
            let name = #"offer_signer_decisions_total{call="\#(call)",verdict="\#(verdict)",reason="\#(reason)"}"#
            #expect(samples.contains("\(name) \(count)"), "\(name) \(count)")
        }
    }

    @Test("The claims name app, product, offer, and the newest transaction of the product's group")
    func claims() async throws {
        let answer = try await useCase().answer(request([.jws], evidence: subscriber))
        let claims = try signer.claims(try #require(answer.decisions[0].jws).compact)
        #expect(claims["bid"] as? String == "com.example.reader")
        #expect(claims["iss"] as? String == "issuer")
        #expect(claims["aud"] as? String == "promotional-offer")
        #expect(claims["iat"] as? Int == 1_795_262_400)
        #expect(claims["productId"] as? String == "monthly")
        #expect(claims["offerIdentifier"] as? String == "stay")
        #expect(claims["transactionId"] as? String == "12")
        #expect(claims["exp"] == nil)
    }

    @Test("No transaction is named where the evidence has none of the group, or was not read")
    func noTransaction() async throws {
        let other = try await useCase().answer(request([.jws], product: "news", evidence: subscriber))
        #expect(try signer.claims(try #require(other.decisions[0].jws).compact)["transactionId"] == nil)
        let skipped = try await useCase().answer(request([.jws], evidence: subscriber), skippingEligibility: true)
        #expect(try signer.claims(try #require(skipped.decisions[0].jws).compact)["transactionId"] == nil)
    }

    @Test("Without the issuer of the key there is no JWS; a discount needs none")
    func issuer() async throws {
        await #expect(throws: SignatureFault.issuerUnknown(bundleId: "com.example.reader")) {
            try await useCase(issuerId: nil).answer(request([.discount, .jws], evidence: subscriber))
        }
        #expect(
            try await useCase(issuerId: nil).answer(request([.discount], evidence: subscriber)).decisions[0].discount
                != nil
        )
    }
}
