import Foundation
import Offers
import Testing

@Suite("The reasons of decisions")
struct ReasonTests {
    private let readme: String

    init() throws {
        // Tests/OffersTests/Decision/ReasonTests.swift
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    @Test("README explains every reason of an offer in its table", arguments: Reason.allCases)
    func offers(reason: Reason) {
        let rows = readme.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let name = "`\(reason.rawValue)`"
        #expect(rows.contains { $0.split(separator: "|").first?.contains(name) == true })
    }

    @Test("README explains every reason of an introductory offer", arguments: IntroductoryReason.allCases)
    func introductoryOffers(reason: IntroductoryReason) {
        #expect(readme.contains("`\(reason.rawValue)`"))
    }

    @Test("The tables of customers have 150 lines and more, and a customer for every reason that evidence leads to")
    func customers() {
        #expect(CustomerTable.all.count >= 150)
        let given = Set(CustomerTable.all.map(\.expected))
        // An operator's word, and what the ledger counts: no evidence leads to these.
        let others: Set<Reason> = [.eligibilitySkipped, .evidenceShared, .signatureLimit]
        #expect(Set(Reason.allCases).subtracting(given).subtracting(others).isEmpty)
    }
}
