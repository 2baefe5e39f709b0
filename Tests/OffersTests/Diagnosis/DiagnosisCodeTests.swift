import Foundation
import Testing

@testable import Offers

@Suite("Every code of a diagnosis")
struct DiagnosisCodeTests {
    @Test("docs/diagnosis.md explains it in a table, with an example and the fix", arguments: DiagnosisCode.allCases)
    func documented(code: DiagnosisCode) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "docs/diagnosis.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `\(code.rawValue)` |") }
        #expect(rows.count == 1)
        let cells = rows.first?.split(separator: " | ").map { $0.filter { $0 != "|" && $0 != " " } } ?? []
        #expect(cells.count == 4)
        #expect(cells.allSatisfy { !$0.isEmpty })
    }

    @Test(
        "StoreKit's errors are known by number and by name, with any text around either",
        arguments: [
            ("ineligibleForOffer", 18), ("Product.PurchaseError.ineligibleForOffer", 18), (".ineligibleForOffer", 18),
            ("networkError(a.b(c))", 7), ("12", 12), ("Error Domain=SKErrorDomain Code=12 \"(null)\"", 12),
            ("Error Domain=SKErrorDomain Code=0 \"Unknown.\" UserInfo={NSUnderlyingError=0x28 {Code=13}}", 0),
            ("(SKErrorDomain error 12.)", 12), ("The operation couldn’t be completed. (SKErrorDomain error 2.)", 2),
            ("Der Vorgang konnte nicht abgeschlossen werden. (SKErrorDomain-Fehler 18.)", 18),
            ("SKErrorCode(rawValue: 14)", 14), ("SKError.Code.invalidSignature", 12),
            ("SKError(_nsError: Error Domain=SKErrorDomain Code=3 \"(null)\")", 3), ("SKErrorDomain", nil), ("", nil),
            ("PlatformException(purchase-error, Purchase failed: invalidOfferSignature, null, null)", 12),
            ("PurchaseError(invalidOfferSignature)", 12), ("Error: invalidOfferSignature (code: purchase-error)", 12),
            ("An unknown error occurred: SKErrorInvalidSignature", 12), ("SKErrorPaymentCancelled", 2),
            ("systemError(Error Domain=SKErrorDomain Code=12 \"(null)\")", 12), ("unknown", 0),
            ("INVALID_OFFER_SIGNATURE", 12), ("Error: [user-cancelled]", 2), ("invalidoffersignature", 12),
            (" 12\n", 12), ("skerror: 18", 18), ("Unknown", nil), ("purchase-error", nil),
            ("PlatformException(unknown, An unknown error occurred, null, null)", 0), ("invalidOfferSignatures", nil),
            ("Unable to Purchase", nil), ("999", nil), ("Error Domain=ASDErrorDomain Code=12", nil),
            ("SKErrorDomain 99999999999999999999", nil),
        ] as [(String, Int64?)]
    )
    func errors(text: String, number: Int64?) {
        #expect(ReportedError.text(text).meaning?.number == number)
        #expect(number == nil || ReportedError.number(number ?? 0).meaning?.number == number)
    }

    @Test("The title of the App Store's dialog is named as what it is")
    func dialog() {
        let title = DiagnosisCause.unexplained(by: .text("Unable to Purchase [Environment: Sandbox]"), account: .none)
        #expect(title.code == .unexplained)
        #expect(title.detail.contains("\"Unable to Purchase\" is the title of the App Store's dialog, and no error"))
        #expect(title.fix.hasPrefix("Report the error that the purchase ends with. Check that "))
        let error = DiagnosisCause.unexplained(by: .text("Unable to Purchase: invalidOfferPrice"), account: .none)
        #expect(error.detail.contains("The price of the offer is no longer valid"))
    }
}
