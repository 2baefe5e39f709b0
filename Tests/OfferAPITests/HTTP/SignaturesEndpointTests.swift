import AppStore
import HTTPTypes
import LedgerFixtures
import OfferService
import Offers
import Testing

@testable import OfferAPI

private struct NoSigner: ES256Signer {
    let keyIdentifier = "EXAMPLE123"

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        throw SigningFailure(keyIdentifier: keyIdentifier, detail: "secret of the log")
    }
}

@Suite("Who may ask for signatures")
struct SignaturesEndpointTests {
    private let abc = Client(
        name: "abc",
        tokenSHA256: [sha256OfAbc],
        apps: ["com.example.reader"],
        evidence: Set(EvidenceKind.allCases)
    )

    private func endpoint(_ client: Client) -> SignaturesEndpoint {
        let group = SubscriptionGroup(id: "1", products: [Product(id: "p", offers: [PromotionalOffer(id: "o")])])
        let apps = ["com.example.reader", "com.example.other"].map { bundleId in
            SigningApp(app: App(bundleId: bundleId, subscriptionGroups: [group]), signer: NoSigner())
        }
        return SignaturesEndpoint(
            clients: ClientDirectory([client]),
            signOffers: SignOffers(
                apps: apps,
                evidenceReader: AppStoreEvidenceReader(),
                maximumEvidenceAgeSeconds: 0,
                ledger: ScriptedLedger(),
                now: { Timestamp(millisecondsSince1970: 1_795_262_400_000) }
            )
        )
    }

    private func head(token: String = "abc", type: String = "application/json") -> HTTPRequest {
        var head = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/v1/signatures")
        head.headerFields[.authorization] = "Bearer \(token)"
        head.headerFields[.contentType] = type
        return head
    }

    private func code(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "fine"
        } catch let problem as Problem {
            return "\(problem.status) \(problem.code) \(problem.pointer ?? "")"
        } catch {
            return "\(error)"
        }
    }

    @Test("The head alone refuses strangers and other types")
    func admission() async {
        let endpoint = endpoint(abc)
        #expect(await code { _ = try endpoint.admit(RequestHead(head())) } == "fine")
        #expect(await code { _ = try endpoint.admit(RequestHead(head(token: "abd"))) } == "401 unauthorized ")
        #expect(
            await code { _ = try endpoint.admit(RequestHead(head(type: "text/plain"))) }
                == "415 unsupported_media_type "
        )
    }

    @Test("A client asks for its own apps, by its own scopes, with the evidence that it may send")
    func permissions() async {
        func answer(_ client: Client, _ members: String) async -> String {
            let body = Array(
                "{\(members)\"applicationUsername\":\"a\",\"offers\":[{\"productId\":\"p\",\"offerId\":\"x\"}]}".utf8
            )
            return await code { _ = try await endpoint(client).answer(body, for: client) }
        }
        #expect(await answer(abc, "") == "fine")
        #expect(await answer(abc, #""bundleId":"com.example.reader","#) == "fine")
        #expect(await answer(abc, #""bundleId":"com.example.other","#) == "403 app_not_allowed /bundleId")
        #expect(await answer(abc, #""bundleId":"com.example.none","#) == "403 app_not_allowed /bundleId")
        let both = Client(
            name: "both",
            tokenSHA256: [sha256OfAbc],
            apps: ["com.example.reader", "com.example.other"],
            scopes: [.report],
            evidence: [.transactionId]
        )
        #expect(await answer(both, "") == "400 missing_member /bundleId")
        #expect(await answer(both, #""bundleId":"com.example.other","#) == "fine")
        #expect(
            await answer(both, #""bundleId":"com.example.other","evidence":{"receiptResponse":{"status":0}},"#)
                == "403 evidence_not_allowed /evidence/receiptResponse"
        )
        #expect(await code { _ = try endpoint(both).admit(RequestHead(head())) } == "403 scope_not_allowed ")
    }

    @Test(
        "A verifyReceipt answer, which a leaked token could forge, is a choice, and its refusal says where to choose it"
    )
    func receiptResponse() async {
        let client = Client(name: "backend", tokenSHA256: [sha256OfAbc], apps: ["com.example.reader"])
        func problem(_ evidence: String) async -> Problem? {
            let body = Array(#"{"evidence":{\#(evidence)},"offers":[{"productId":"p","offerId":"o"}]}"#.utf8)
            do throws(Problem) {
                _ = try await endpoint(client).answer(body, for: client)
                return nil
            } catch {
                return error
            }
        }
        let refusal = await problem(#""receiptResponse":{"status":0}"#)
        #expect(refusal?.status == 403)
        #expect(refusal?.code == "evidence_not_allowed")
        #expect(refusal?.pointer == "/evidence/receiptResponse")
        for part in ["client backend ", "clients.yaml", "evidence: [receiptResponse, receipt, signedTransactions, tra"]
        {
            #expect(refusal?.detail.contains(part) == true, "\(String(describing: refusal?.detail))")
        }
        for evidence in [
            #""receipt":"AAAA""#, #""signedTransactions":["a.b.c"]"#, #""transactionId":"1""#,
        ] {
            #expect(await problem(evidence)?.status != 403, "\(evidence)")
        }
    }

    @Test("Evidence at fault is pointed to within the body; Apple's refusal is 422")
    func evidence() async {
        func answer(_ evidence: String) async -> String {
            let body = Array(
                #"{"evidence":{"receiptResponse":\#(evidence)},"offers":[{"productId":"p","offerId":"o"}]}"#.utf8
            )
            return await code { _ = try await endpoint(abc).answer(body, for: abc) }
        }
        #expect(await answer("{}") == "400 missing_member /evidence/receiptResponse/status")
        #expect(await answer(#"{"status":21003}"#) == "422 receipt_status /evidence/receiptResponse/status")
        #expect(
            await answer(#"{"status":0,"receipt":{"request_date_ms":1795262701000}}"#)
                == "422 evidence_in_future /evidence/receiptResponse"
        )
    }

    @Test("A key that fails is 503 with Retry-After, and its detail stays inside")
    func signingFailure() async {
        let body = Array(
            #"""
            {"evidence":{"receiptResponse":{"status":0,"environment":"Production","receipt":{"bundle_id":
            "com.example.reader","request_date_ms":1795262400000},"pending_renewal_info":[{"product_id":"p"}]}},
            "offers":[{"productId":"p","offerId":"o"}]}
            """#.utf8
        )
        let problem = await #expect(throws: Problem.self) { try await endpoint(abc).answer(body, for: abc) }
        #expect(problem?.status == 503)
        #expect(problem?.retryAfterSeconds == 5)
        #expect(problem?.detail.contains("secret") == false)
    }
}
