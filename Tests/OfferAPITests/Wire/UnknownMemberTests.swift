import Offers
import StrictJSON
import Testing

@testable import OfferAPI

@Suite("A member that no call has")
struct UnknownMemberTests {
    private func detail(_ pointer: String, _ read: () throws -> Void) throws -> String {
        let fault = try #require(throws: JSONFault.self) { try read() }
        #expect(fault.code == .unknownMember)
        #expect(fault.pointer == pointer)
        return fault.detail
    }

    @Test("Its message lists the call's own members, and no others")
    func members() throws {
        let sign = try detail("/offerID") { _ = try CallMembers(json: Array(#"{"offerID":1}"#.utf8), of: .signatures) }
        let own = "nown here: bundleId, appAccountToken, applicationUsername, evidence, explain, offers, formats."
        #expect(sign == "There is no such member; did you mean \"offers\"? K" + own)
        let other = try detail("/transactionId") {
            _ = try CallMembers(json: Array(#"{"transactionId":"1"}"#.utf8), of: .signatures)
        }
        #expect(other == "There is no such member; k" + own)
        let decide = try detail("/offer") { _ = try CallMembers(json: Array(#"{"offer":1}"#.utf8), of: .eligibility) }
        #expect(decide.hasSuffix(", offers, products."))
        let introduce = try detail("/offer") {
            _ = try CallMembers(json: Array(#"{"offer":1}"#.utf8), of: .introductorySignatures)
        }
        #expect(introduce.hasSuffix(", products, transactionId, allowIntroductoryOffer."))
        let offer = try detail("/offers/0/offer_id") {
            _ = try CallMembers(json: Array(#"{"offers":[{"offer_id":"a"}]}"#.utf8), of: .signatures)
        }
        #expect(offer.hasSuffix("did you mean \"offerId\"? Known here: productId, offerId."))
        let evidence = try detail("/evidence/signedTransaction") {
            _ = try CallMembers(json: Array(#"{"evidence":{"signedTransaction":"a"}}"#.utf8), of: .signatures)
        }
        #expect(
            evidence.hasSuffix(
                ": receiptResponse, receipt, signedTransactions, transactionId, signedRenewalInfos, isNew."
            )
        )
        let report = try detail("/keyId") { _ = try DiagnosisCall(json: Array(#"{"keyId":"a"}"#.utf8)) }
        #expect(report.contains("keyIdentifier"))
    }
}
