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

    @Test("A mistake of the table has a fix that ends as a sentence does")
    func fixes() {
        for mistake in Mistake.table {
            #expect(mistake.fix.hasSuffix("."), "\(mistake.code)")
        }
    }

    @Test("StoreKit's errors are known by number and by name, with any text around the name")
    func errors() {
        for name in ["ineligibleForOffer", "Product.PurchaseError.ineligibleForOffer", ".ineligibleForOffer"] {
            #expect(ReportedError.name(name).meaning?.number == 18)
        }
        #expect(ReportedError.name("networkError(a.b(c))").meaning?.number == 7)
        #expect(ReportedError.number(12).meaning?.names.contains("invalidOfferSignature") == true)
        #expect(ReportedError.number(999).meaning == nil)
        #expect(ReportedError.name("").meaning == nil)
        let names = ReportedError.table.flatMap(\.names)
        #expect(Set(names).count == names.count)
    }
}
