import OfferService
import Offers
import StrictJSON

/// What another catalog would decide, for a person and for programs.
struct TrialReport {
    private struct Row {
        let offer: CatalogTrial.Offer
        let counts: TrialTally.Row
        /// Most first.
        let moves: [(move: TrialTally.Move, customers: Int)]
    }

    private let rows: [Row]
    private let tally: TrialTally
    private let changedMeanwhile: Int
    private let hasSeveralApps: Bool

    init(_ offers: [CatalogTrial.Offer], _ tally: TrialTally, changedMeanwhile: Int) {
        rows = zip(offers, tally.rows).map { offer, counts in
            let moves = counts.moves.map { (move: $0.key, customers: $0.value) }.sorted {
                ($1.customers, $0.move.from.text, $0.move.to.text) < ($0.customers, $1.move.from.text, $1.move.to.text)
            }
            return Row(offer: offer, counts: counts, moves: moves)
        }
        self.tally = tally
        self.changedMeanwhile = changedMeanwhile
        hasSeveralApps = Set(offers.map(\.bundleId)).count > 1
    }

    var json: String {
        var writer = JSONWriter(capacity: 1024 + 512 * rows.count)
        writer.object { report in
            report.member("customers", Int64(tally.customers))
            report.objects("offers", rows) { members(of: $0, &$1) }
            report.member("changedMeanwhile", Int64(changedMeanwhile))
            if tally.limitsUnknown > 0 { report.member("limitsUnknown", Int64(tally.limitsUnknown)) }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func members(of row: Row, _ json: inout JSONWriter) {
        if hasSeveralApps { json.member("bundleId", row.offer.bundleId) }
        json.member("productId", row.offer.request.productId)
        json.member("offerId", row.offer.request.offerId)
        json.member("before", Int64(row.counts.before))
        json.member("with", Int64(row.counts.with))
        json.member("gained", Int64(row.counts.gained))
        json.member("lost", Int64(row.counts.lost))
        json.objects("moves", row.moves) { moved, entry in
            entry.member("from", moved.move.from.text)
            entry.member("to", moved.move.to.text)
            entry.member("customers", Int64(moved.customers))
        }
        if let only = row.offer.only { json.member("only", only) }
    }

    var text: String {
        var lines = ["\(tally.customers.of("customer")); \(changedMeanwhile.of("subscription")) changed meanwhile"]
        if tally.limitsUnknown > 0 {
            lines.append(
                "Limits and holdouts are not known of \(tally.limitsUnknown.of("customer")): with customerSeparator a part of "
                    + "the account's name is the customer. They are decided without."
            )
        }
        for row in rows {
            let app = hasSeveralApps ? "\(row.offer.bundleId) " : ""
            let only = row.offer.only.map { ", only \($0)" } ?? ""
            lines.append("\(app)\(row.offer.request.productId) \(row.offer.request.offerId)\(only)")
            lines.append(
                "  eligible before \(row.counts.before), with \(row.counts.with); gained \(row.counts.gained), lost "
                    + "\(row.counts.lost)"
            )
            lines += row.moves.map { "  \($0.customers): \($0.move.from.text) → \($0.move.to.text)" }
        }
        return lines.map { Echo.visible($0) }.joined(separator: "\n")
    }
}

extension CatalogTrial.Offer {
    /// The only catalog that has it, in a word; `nil` where both do.
    fileprivate var only: String? { isBefore && isWith ? nil : isBefore ? "before" : "with" }
}
