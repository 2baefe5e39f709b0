import OfferService
import Offers
import Testing

@testable import OfferAPI

@Suite("The body of a call for signatures")
struct SignatureRequestTests {
    private static let offers = #""offers":[{"productId":"p","offerId":"o"}]"#
    private static let evidence = #""evidence":{"receiptResponse":{"status":0}}"#
    private static let token = "7E3FB20B-4CDB-47CC-936D-99D65F608138"

    private static let client = Client(
        name: "abc",
        tokenSHA256: [],
        apps: ["b"],
        evidence: Set(EvidenceKind.allCases),
        environments: [.sandbox]
    )

    private func read(_ members: String...) throws(Problem) -> CustomerRequest {
        try CustomerRequest(json: Array("{\(members.joined(separator: ","))}".utf8), of: .signatures, from: Self.client)
    }

    @Test("Everything that a call can say")
    func full() throws {
        let call = try read(
            #""bundleId":"b","appAccountToken":"\#(Self.token)""#,
            #""evidence":{"receiptResponse": {"status" : 0} },"formats":["discount","discount"],"explain":true"#,
            #""offers":[{"productId":"p","offerId":"o"},{"offerId":"o2","productId":"p2"}]"#
        )
        #expect(call.bundleId == "b")
        #expect(call.account == AppAccountToken(Self.token).map(Account.appAccountToken))
        #expect(call.explain && call.environments == [.sandbox])
        guard case .signatures(let offers, _) = call.kind, case .receiptResponse(let text) = call.evidence else {
            Issue.record("no evidence")
            return
        }
        #expect(offers == [OfferRequest(productId: "p", offerId: "o"), OfferRequest(productId: "p2", offerId: "o2")])
        #expect(String(decoding: text.bytes[text.range], as: UTF8.self) == #"{"status" : 0}"#)
    }

    @Test("Evidence or an account is enough, and a username is kept verbatim")
    func least() throws {
        #expect(try read(Self.offers, Self.evidence).account == .none)
        let named = try read(Self.offers, #""applicationUsername":"Zo\u00eb""#)
        #expect(named.account == .applicationUsername("Zoë"))
        #expect(named.evidence == nil)
    }

    @Test("The empty lists that StoreKit gives of somebody who never bought are evidence")
    func emptyLists() throws {
        for lists in [#""signedTransactions":[],"signedRenewalInfos":[]"#, #""signedTransactions":[]"#] {
            let call = try read(Self.offers, #""evidence":{\#(lists)}"#)
            guard case .signedTransactions(let transactions, let renewalInfos) = call.evidence else {
                Issue.record("no evidence of \(lists)")
                continue
            }
            #expect(transactions.isEmpty && renewalInfos.isEmpty)
        }
    }

    @Test("A transaction was bought just now where the call says so alone")
    func newTransaction() throws {
        for (more, isNew) in [("", false), (#","isNew":false"#, false), (#","isNew":true"#, true)] {
            let call = try read(Self.offers, #""evidence":{"transactionId":"7"\#(more)}"#)
            guard case .question(.transactionId("7", isNew: let isSaid)) = call.evidence else {
                Issue.record("no question by \(more)")
                continue
            }
            #expect(isSaid == isNew, "\(more)")
        }
    }

    @Test("Lists that a generated client sends empty beside the evidence count as left out, wherever they are")
    func emptyListsBeside() throws {
        let lists = #""signedTransactions":[],"signedRenewalInfos":[]"#
        for members in [#"\#(lists),"transactionId":"7","isNew":true"#, #""transactionId":"7","isNew":true,\#(lists)"#]
        {
            let evidence = try read(Self.offers, #""evidence":{\#(members)}"#).evidence
            guard case .question(.transactionId("7", isNew: true)) = evidence else {
                Issue.record("\(members)")
                continue
            }
        }
        guard case .receiptResponse = try read(Self.offers, #""evidence":{\#(lists),"receiptResponse":{}}"#).evidence
        else {
            Issue.record("no answer of verifyReceipt")
            return
        }
    }

    @Test("Signatures are discounts, unless other formats are asked for")
    func formats() throws {
        #expect(try read(Self.offers, Self.evidence).formats == [.discount])
        #expect(try read(Self.offers, Self.evidence, #""formats":[]"#).formats == [.discount])
        #expect(try read(Self.offers, Self.evidence, #""formats":["jws"]"#).formats == [.jws])
        #expect(
            try read(Self.offers, Self.evidence, #""formats":["jws","discount","jws"]"#).formats == [.discount, .jws]
        )
    }

    @Test("A receipt is Base64 with its padding: no other character is taken, wherever it is")
    func receipts() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for padding in ["", "=", "=="] {
            let receipt = Array(
                (String(repeating: "aZ9+", count: 9) + "/A09zq".prefix(4 - padding.count) + padding).utf8
            )
            for place in receipt.indices.dropLast(padding.utf8.count) {
                for code in 0x20..<0x80 as Range<UInt8> where code != UInt8(ascii: "\"") && code != UInt8(ascii: "\\") {
                    var changed = receipt
                    changed[place] = code
                    let evidence = #""evidence":{"receipt":"\#(String(decoding: changed, as: UTF8.self))"}"#
                    let isPadding = code == UInt8(ascii: "=") && place == receipt.count - 1 - padding.utf8.count
                    let isTaken = (try? read(Self.offers, evidence)) != nil
                    #expect(isTaken == (alphabet.contains(code) || isPadding && padding.utf8.count < 2))
                }
            }
        }
    }

    @Test("A hundred offers are taken, and the longest username")
    func most() throws {
        let many = Array(repeating: #"{"productId":"p","offerId":"o"}"#, count: 100).joined(separator: ",")
        #expect(try read(#""offers":[\#(many)]"#, Self.evidence).signatureCount == 100)
        let name = String(repeating: "é", count: 256)
        #expect(try read(Self.offers, #""applicationUsername":"\#(name)""#).account == .applicationUsername(name))
    }

    @Test(
        "What is no offer, or no list of them, is answered by an example of one",
        arguments: [
            (#"["o"]"#, #"An offer is an object, such as {"productId": "…", "offerId": "…"}; this is a string."#),
            (
                #"{"productId":"p","offerId":"o"}"#,
                #"The offers are an array of objects, such as [{"productId": "…", "offerId": "…"}]; this is an object."#
            ),
        ]
    )
    func noOffer(offers: String, detail: String) {
        let problem = #expect(throws: Problem.self) { try read(#""offers":\#(offers)"#, Self.evidence) }
        #expect(problem?.code == "wrong_type" && problem?.detail == detail)
    }

    @Test(
        "Every fault has its code, and points to its field",
        arguments: [
            (#""offers":[]"#, "invalid_value", "/offers"), (#""offers":{}"#, "wrong_type", "/offers"),
            (#""offers":[{"productId":"p"}]"#, "missing_member", "/offers/0/offerId"),
            (#""offers":[{"offerId":"o"}]"#, "missing_member", "/offers/0/productId"),
            (
                #""offers":[{"productId":"p","offerId":"o"},{"productId":1,"offerId":"o"}]"#, "wrong_type",
                "/offers/1/productId"
            ),
            (#""offers":[{"productId":"p","offerId":""}]"#, "invalid_value", "/offers/0/offerId"),
            (#""offers":[{"productId":"p","offerId":"a\u2063b"}]"#, "invalid_value", "/offers/0/offerId"),
            (#""offers":[{"productId":"p\u0007","offerId":"o"}]"#, "invalid_value", "/offers/0/productId"),
            (#""offers":[{"productId":"p","offerId":"o","price":1}]"#, "unknown_member", "/offers/0/price"),
            (#""offers":[{"productId":"p","offerId":"o","offerId":"o"}]"#, "duplicate_member", "/offers/0/offerId"),
            (offers + "," + offers, "duplicate_member", "/offers"),
            (
                offers + #","formats":[\#(Array(repeating: #""jws""#, count: 11).joined(separator: ","))]"#,
                "invalid_value", "/formats/10"
            ),
            (offers + #","colour":"red""#, "unknown_member", "/colour"),
            (offers + #","bundleId":"""#, "invalid_value", "/bundleId"),
            (offers + #","bundleId":null"#, "wrong_type", "/bundleId"),
            (offers + #","appAccountToken":"alice""#, "invalid_value", "/appAccountToken"),
            (offers + #","applicationUsername":"a\u2063""#, "invalid_value", "/applicationUsername"),
            (offers + #","applicationUsername":"""#, "invalid_value", "/applicationUsername"),
            (
                offers + #","applicationUsername":"a","appAccountToken":"\#(token)""#, "invalid_value",
                "/applicationUsername"
            ),
            (offers, "missing_member", "/evidence"), (evidence, "missing_member", "/offers"),
            (offers + #","evidence":{}"#, "missing_member", "/evidence"),
            (offers + #","evidence":[]"#, "wrong_type", "/evidence"),
            (offers + #","evidence":{"receiptResponse":[]}"#, "wrong_type", "/evidence/receiptResponse"),
            (offers + #","evidence":{"receiptResponse":"{}"}"#, "wrong_type", "/evidence/receiptResponse"),
            (offers + #","evidence":{"reciept":""}"#, "unknown_member", "/evidence/reciept"),
            (offers + #","evidence":{"receipt":""}"#, "invalid_value", "/evidence/receipt"),
            (offers + #","evidence":{"receipt":"MII"}"#, "invalid_value", "/evidence/receipt"),
            (offers + #","evidence":{"receipt":"M==="}"#, "invalid_value", "/evidence/receipt"),
            (offers + #","evidence":{"receipt":"MI\nI"}"#, "invalid_value", "/evidence/receipt"),
            (offers + #","evidence":{"receipt":"MI_-"}"#, "invalid_value", "/evidence/receipt"),
            (offers + #","evidence":{"receipt":"M=I="}"#, "invalid_value", "/evidence/receipt"),
            (offers + #","evidence":{"receipt":"===="}"#, "invalid_value", "/evidence/receipt"),
            (offers + #","evidence":{"receipt":1}"#, "wrong_type", "/evidence/receipt"),
            (offers + #","evidence":{"signedTransactions":"a.b.c"}"#, "wrong_type", "/evidence/signedTransactions"),
            (offers + #","evidence":{"signedTransactions":[1]}"#, "wrong_type", "/evidence/signedTransactions/0"),
            (offers + #","evidence":{"signedRenewalInfos":["a.b.c"]}"#, "missing_member", "/evidence"),
            (
                offers + #","evidence":{"signedRenewalInfos":["a.b.c"],"transactionId":"1"}"#, "invalid_value",
                "/evidence/signedRenewalInfos"
            ),
            (offers + #","evidence":{"transactionId":""}"#, "invalid_value", "/evidence/transactionId"),
            (offers + #","evidence":{"isNew":true}"#, "invalid_value", "/evidence/isNew"),
            (offers + #","evidence":{"receipt":"MIIB","isNew":false}"#, "invalid_value", "/evidence/isNew"),
            (offers + #","evidence":{"isNew":true,"receiptResponse":{}}"#, "invalid_value", "/evidence/isNew"),
            (
                offers + #","evidence":{"signedTransactions":["a.b.c"],"isNew":true}"#, "invalid_value",
                "/evidence/isNew"
            ),
            (offers + #","evidence":{"transactionId":"1","isNew":"true"}"#, "wrong_type", "/evidence/isNew"),
            (offers + #","evidence":{"transactionId":"1","isNew":null}"#, "wrong_type", "/evidence/isNew"),
            (
                offers + #","evidence":{"transactionId":"1","isNew":true,"isNew":true}"#, "duplicate_member",
                "/evidence/isNew"
            ),
            (offers + #","evidence":{"transactionId":"1/../2"}"#, "invalid_value", "/evidence/transactionId"),
            (
                offers + #","evidence":{"transactionId":"123456789012345678901"}"#, "invalid_value",
                "/evidence/transactionId"
            ),
            (offers + #","evidence":{"transactionId":"1","receipt":"MII="}"#, "invalid_value", "/evidence"),
            (
                offers + #","evidence":{"signedTransactions":[],"transactionId":"1","receipt":"MII="}"#,
                "invalid_value", "/evidence"
            ),
            (
                offers + #","evidence":{"signedTransactions":["a.b.c"],"transactionId":"1"}"#, "invalid_value",
                "/evidence"
            ),
            (offers + "," + evidence + #","formats":"discount""#, "wrong_type", "/formats"),
            (offers + "," + evidence + #","formats":["discount","JWS"]"#, "invalid_value", "/formats/1"),
            (offers + "," + evidence + #","formats":["pkcs7"]"#, "invalid_value", "/formats/0"),
            (offers + "," + evidence + #","explain":1"#, "wrong_type", "/explain"),
            (offers + "," + evidence + ",", "malformed_json", ""),
        ]
    )
    func faults(members: String, code: String, pointer: String) {
        let fault = #expect(throws: Problem.self) { try read(members) }
        #expect(fault?.code == code)
        #expect(fault?.pointer ?? "" == pointer)
    }

    @Test(
        "Evidence in the wrong member is named, and the error says where it belongs",
        arguments: [
            (#""receipt":"eyJhIjoxfQ.eyJ0cmFuc2FjdGlvbklkIjoiMSIsImJ1bmRsZUlkIjoiYiJ9.AAAA""#, "signedTransactions"),
            (#""receipt":"2000000123456789""#, "It goes into transactionId"),
            (#""receipt":"{\"status\":0}""#, "It goes into receiptResponse"),
            (#""receipt":"MIIB\nMIIB""#, "without line breaks"),
            (#""receipt":"{\"Store\":\"AppleAppStore\",\"Payload\":\"MIAG\"}""#, "the text of its Payload"),
            (#""receipt":"eyJTdG9yZSI6IkFwcGxlQXBwU3RvcmUiLCJQYXlsb2FkIjoiTUlBRyJ9""#, "the text of its Payload"),
            (#""transactionId":"{\"Store\":\"AppleAppStore\",\"Payload\":\"MIAG\"}""#, "the text of its Payload"),
            (
                #""transactionId":"eyJhIjoxfQ.eyJ0cmFuc2FjdGlvbklkIjoiMSIsImJ1bmRsZUlkIjoiYiJ9.AAAA""#,
                "signedTransactions"
            ),
            (#""transactionId":"7e3fb20b-4cdb-47cc-936d-99d65f608138""#, "appAccountToken"),
            (#""receiptResponse":"{\"status\":0}""#, "A verifyReceipt answer is expected: an object."),
            (#""receiptResponse":"MIAGCSqGSIb3DQEHAqCAMIACAQEx""#, "It goes into receipt"),
            (#""originalTransactionId":"2000000123456789""#, "goes into transactionId"),
            (#""transactionId":"0""#, "the first transaction of StoreKit Testing in Xcode"),
            (#""receipt":"MIAGCSqGSIb3DQEHAqCAMIACAQEx%2Bw%3D%3D""#, "a receipt, URL-encoded. Send it as it is"),
        ]
    )
    func anotherThing(evidence: String, says: String) {
        let fault = #expect(throws: Problem.self) { try read(Self.offers, #""evidence":{\#(evidence)}"#) }
        #expect(fault?.detail.contains(says) == true, "\(fault?.detail ?? "")")
        #expect(fault?.pointer == "/evidence/\(evidence.dropFirst().prefix { $0 != "\"" })")
    }

    @Test("A decoded transaction in place of a JWS is named, and what to send for it")
    func decodedTransaction() {
        for list in ["signedTransactions", "signedRenewalInfos"] {
            let evidence = #""evidence":{"\#(list)":[{"transactionId":"1","productId":"p"}]}"#
            let fault = #expect(throws: Problem.self) { try read(Self.offers, evidence) }
            #expect(fault?.code == "wrong_type" && fault?.pointer == "/evidence/\(list)/0")
            #expect(fault?.detail.contains("jwsRepresentation") == true, "\(fault?.detail ?? "")")
        }
        let other = #expect(throws: Problem.self) { try read(Self.offers, #""evidence":{"signedTransactions":[{}]}"#) }
        #expect(other?.detail == "A compact JWS is expected: a string.")
    }

    @Test("Signed data and receipts are taken up to a number and a size, and no further")
    func evidenceLimits() {
        func pointer(_ evidence: String) -> String? {
            do throws(Problem) {
                _ = try read(Self.offers, #""evidence":{\#(evidence)}"#)
                return nil
            } catch {
                return error.pointer
            }
        }
        func list(_ count: Int) -> String { Array(repeating: #""a.b.c""#, count: count).joined(separator: ",") }
        func receipt(_ bytes: Int) -> String { #""receipt":"\#(String(repeating: "A", count: bytes))""# }
        #expect(pointer(#""signedTransactions":[\#(list(50))],"signedRenewalInfos":[\#(list(50))]"#) == nil)
        #expect(pointer(#""signedTransactions":[\#(list(51))]"#) == "/evidence/signedTransactions/50")
        #expect(
            pointer(#""signedTransactions":[\#(list(1))],"signedRenewalInfos":[\#(list(51))]"#)
                == "/evidence/signedRenewalInfos/50"
        )
        #expect(pointer(receipt(1_000_000)) == nil)
        #expect(pointer(receipt(1_000_004)) == "/evidence/receipt")
    }

    @Test("A hundred and one offers are too many, and 513 bytes of username")
    func tooMuch() {
        let many = Array(repeating: #"{"productId":"p","offerId":"o"}"#, count: 101).joined(separator: ",")
        let offers = #expect(throws: Problem.self) { try read(#""offers":[\#(many)]"#, Self.evidence) }
        #expect(offers?.pointer == "/offers/100")
        let name = String(repeating: "é", count: 256) + "x"
        let username = #expect(throws: Problem.self) { try read(Self.offers, #""applicationUsername":"\#(name)""#) }
        #expect(username?.pointer == "/applicationUsername")
    }
}
