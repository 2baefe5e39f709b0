import Foundation
import Testing

@testable import Offers

@Suite("The reasons of decisions")
struct ReasonTests {
    private let pages: [String: String]

    init() throws {
        // Tests/OffersTests/Decision/ReasonTests.swift
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        pages = try Dictionary(
            uniqueKeysWithValues: ["api", "configuration"].map {
                ($0, try String(contentsOf: root.appending(path: "docs/\($0).md"), encoding: .utf8))
            }
        )
    }

    @Test("docs/api.md has the row of every reason of an offer, in their order")
    func offers() {
        expectTable(
            Reason.allCases.map { reason in
                let verdict = reason.verdict == .ineligible ? "" : "**\(reason.verdict.rawValue)**: "
                return "| `\(reason.rawValue)` | \(verdict)\(reason.meaning) |"
            }
        )
    }

    @Test("docs/api.md has the row of every reason of an introductory offer, in their order")
    func introductoryOffers() {
        expectTable(IntroductoryReason.allCases.map { "| `\($0.rawValue)` | \($0.verdict.rawValue) | \($0.meaning) |" })
    }

    @Test("docs/configuration.md has the row of every key of an offer, in their order")
    func keys() {
        expectTable(OfferKey.all.map { "| `\($0.name)` | \($0.defaultText) | \($0.meaning) |" }, in: "configuration")
    }

    @Test("Every rule of an explanation says what it asks of a customer")
    func wants() {
        let named = Set(RuleNames.wants.map(\.name))
        let rules =
            (OfferRules.ofCatalog.map(\.name) + OfferRules.ofOwner.map(\.name) + OfferRules.ofWindow.map(\.name))
            + (OfferRules.ofEvidence.map(\.name) + SubscriberRules.inOrder.map(\.name))
            + (IntroductoryRules.ofCatalog.map(\.name) + IntroductoryRules.ofOwner.map(\.name))
            + (IntroductoryRules.ofEvidence.map(\.name) + IntroductoryRules.ofPast.map(\.name))
        #expect(rules.filter { !named.contains($0) } == [])
        #expect(named.count == RuleNames.wants.count, "a name has one sentence")
    }

    /// Expects rows in a page, and prints them where they are not there.
    private func expectTable(_ rows: [String], in page: String = "api") {
        let table = rows.joined(separator: "\n")
        #expect(pages[page]?.contains("\n\(table)\n") == true, "docs/\(page).md needs:\n\(table)")
    }

    @Test("The tables of customers have 150 lines and more, and a customer for every reason that evidence leads to")
    func customers() {
        #expect(CustomerTable.all.count >= 150)
        let given = Set(CustomerTable.all.map(\.expected))
        // An operator's word, what the ledger counts, and a draw: no evidence leads to these.
        let others: Set<Reason> = [.eligibilitySkipped, .evidenceShared, .signatureLimit, .heldOut]
        #expect(Set(Reason.allCases).subtracting(given).subtracting(others).isEmpty)
    }
}

extension OfferKey {
    fileprivate var defaultText: String {
        let terms = Terms()
        return switch kind {
        case .days(_, let place): "\(terms[keyPath: place])"
        case .scope(let place): "`\(terms[keyPath: place].rawValue)`"
        case .treatment(let place): "`\(terms[keyPath: place].rawValue)`"
        default: without
        }
    }
}
