import Foundation
import Offers
import Testing

@Suite("The reasons of decisions")
struct ReasonTests {
    private let page: String

    init() throws {
        // Tests/OffersTests/Decision/ReasonTests.swift
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        page = try String(contentsOf: root.appending(path: "docs/api.md"), encoding: .utf8)
    }

    @Test("docs/api.md explains every reason of an offer in its table", arguments: Reason.allCases)
    func offers(reason: Reason) {
        #expect(explains(reason.rawValue, underHeading: "Reasons"))
    }

    @Test("docs/api.md explains every reason of an introductory offer", arguments: IntroductoryReason.allCases)
    func introductoryOffers(reason: IntroductoryReason) {
        #expect(explains(reason.rawValue, underHeading: "Ask about eligibility"))
    }

    /// Whether a row of a table under a heading begins with a reason.
    private func explains(_ reason: String, underHeading heading: String) -> Bool {
        let section = page.components(separatedBy: "\n## ").first { $0.hasPrefix("\(heading)\n") } ?? ""
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        return rows.contains { $0.split(separator: "|").first?.contains("`\(reason)`") == true }
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
