import Foundation
import Offers
import StrictJSON
import Testing

@testable import OfferAPI

@Suite("The body of a diagnosis")
struct DiagnosisCallTests {
    private static let token = "7e3fb20b-4cdb-47cc-936d-99d65f608138"

    private func read(_ members: String = "", signature: String = "MEUC") throws(JSONFault) -> SignatureReport {
        let json = #"""
            {"bundleId":"b","keyIdentifier":"K","productId":"p","offerId":"o","nonce":"n","timestamp":1,
            "signature":"\#(signature)"\#(members)}
            """#
        guard case .discount(let report) = try DiagnosisCall(json: Array(json.utf8)) else {
            throw JSONFault(.invalidValue, "It is no discount's.")
        }
        return report
    }

    private func readJWS(_ members: String) throws(JSONFault) -> JWSReport {
        guard case .jws(let report) = try DiagnosisCall(json: Array(#"{"jws":"a.b.c",\#(members)}"#.utf8), onlyApp: "b")
        else { throw JSONFault(.invalidValue, "It is no JWS's.") }
        return report
    }

    @Test("A JWS takes the place of the discount's four values, and each goes with its own members")
    func jws() throws {
        let promotional = try readJWS(#""productId":"p","offerId":"o","transactionId":"1","resultingTransaction":"t""#)
        let expected = JWSReport(
            bundleId: "b",
            productId: "p",
            offerId: "o",
            jws: "a.b.c",
            transactionId: "1",
            resultingTransaction: "t"
        )
        #expect(promotional == expected)
        #expect(try readJWS(#""productId":"p","allowIntroductoryOffer":false"#).allowIntroductoryOffer == false)
        for (members, pointer) in [
            (#""productId":"p","offerId":"o","nonce":"n""#, "/nonce"),
            (#""productId":"p","offerId":"o","allowIntroductoryOffer":true"#, "/allowIntroductoryOffer"),
            (#""offerId":"o""#, "/productId"),
        ] {
            let fault = #expect(throws: JSONFault.self) { try readJWS(members) }
            #expect(fault?.pointer == pointer)
        }
        let fault = #expect(throws: JSONFault.self) { try read(#","transactionId":"1""#) }
        #expect(fault?.pointer == "/transactionId")
    }

    @Test("StoreKit's error is a number or a name")
    func storeKitError() throws {
        #expect(try read(#","storeKitError":12"#).storeKitError == .number(12))
        #expect(try read(#","storeKitError":"ineligibleForOffer""#).storeKitError == .text("ineligibleForOffer"))
        #expect(try read(#","storeKitError":"12""#).storeKitError == .text("12"))
        #expect(throws: JSONFault.self) { try read(#","storeKitError":true"#) }
    }

    @Test("An empty username is what an app without one gives StoreKit: no account")
    func accounts() throws {
        #expect(try read().account == .none)
        #expect(try read(#","applicationUsername":"""#).account == .none)
        #expect(try read(#","applicationUsername":"a""#).account == .applicationUsername("a"))
        let token = try #require(AppAccountToken(Self.token))
        #expect(try read(#","appAccountToken":"\#(Self.token)""#).account == .appAccountToken(token))
        let fault = #expect(throws: JSONFault.self) {
            try read(#","appAccountToken":"\#(Self.token)","applicationUsername":"a""#)
        }
        #expect(fault?.pointer == "/applicationUsername")
    }

    @Test("Texts have 4096 bytes, and no more")
    func tooLong() throws {
        #expect(try read(signature: String(repeating: "A", count: 4096)).signature.utf8.count == 4096)
        let fault = #expect(throws: JSONFault.self) { try read(signature: String(repeating: "A", count: 4097)) }
        #expect(fault?.pointer == "/signature")
    }

    @Test("A payload is Base64 of one byte or more, and of 4096 at the most; it is a discount's")
    func payload() throws {
        #expect(try read().payload == nil)
        #expect(try read(#","payload":"YeKBo2I=""#).payload == Array("a\u{2063}b".utf8))
        let most = Data(repeating: 1, count: 4096).base64EncodedString()
        #expect(try read(#","payload":"\#(most)""#).payload?.count == 4096)
        for text in [
            "", "?", "YQ", "YeKBo2I", "_-8=", "YQ==\\n", Data(repeating: 1, count: 4099).base64EncodedString(),
        ] {
            let fault = #expect(throws: JSONFault.self) { try read(#","payload":"\#(text)""#) }
            #expect(fault?.pointer == "/payload")
            #expect(fault?.code == .invalidValue)
        }
        let fault = #expect(throws: JSONFault.self) { try readJWS(#""productId":"p","offerId":"o","payload":"YQ==""#) }
        #expect(fault?.pointer == "/payload")
    }
}
