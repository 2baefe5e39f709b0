/// The periods of a subscription: which of them counts at a clock, and until when the customer has paid.
///
/// Apple charges, signs and shows a renewal up to a day before its period begins. Until then the one before it counts, and
/// the one ahead shows that the subscription renewed.
struct Periods {
    /// The place of the transaction that the state rests on.
    ///
    /// It is the newest that has begun; where there is none, or it is over or revoked, the first one ahead. Shared ones
    /// count only where there is no other.
    private(set) var current: Int?
    /// The last that follows it without a gap; most are their own.
    private(set) var last: Int?
    /// The end of the paid time; `nil` where the evidence does not say.
    private(set) var paidUntil: Timestamp?
    /// Whether the running period is not known: the one that counts is a renewal that has not begun.
    private(set) var isRunningUnknown = false
    /// Whether there is any row, also one that an upgrade replaced.
    private(set) var hasRows = false
    private(set) var hasEnd = false
    /// Whether a row that no upgrade replaced is a purchase of the customer's own.
    private(set) var hasPurchase = false
    /// A renewal that was revoked before it begins, where nothing else counts.
    private(set) var revokedAhead: Int?
    /// A bundle that names the subscription as its past; of several the newest.
    private(set) var bundle: Int?
    /// The newest row that came with a bundle.
    private(set) var bundled: Int?

    /// Takes the clock that judges the subscription, and the server's, by which its paid time may be over since.
    init(_ chapter: Chapter, at clock: Timestamp, now: Timestamp) {
        // A span avoids copies: copying a transaction takes longer than looking at it.
        let rows = chapter.transactions.span
        var (own, shared) = (Candidates(), Candidates())
        for index in rows.indices {
            switch rows[index].content.kind {
            case .subscription: break
            case .bundle:
                if isNewer(index, than: bundle, among: rows) { bundle = index }
                continue
            case .other: continue
            }
            hasRows = true
            if rows[index].content.expiresDate != nil { hasEnd = true }
            guard !rows[index].content.isUpgraded else { continue }
            if rows[index].content.bundle != nil, isNewer(index, than: bundled, among: rows) { bundled = index }
            if rows[index].content.ownership == .purchased { hasPurchase = true }
            let isShared = rows[index].content.ownership == .familyShared
            if !rows[index].content.isAhead(of: clock) {
                if isShared {
                    if isNewer(index, than: shared.begun, among: rows) { shared.begun = index }
                } else if isNewer(index, than: own.begun, among: rows) {
                    own.begun = index
                }
            } else if rows[index].content.revocationDate != nil {
                revokedAhead = index
            } else if isShared {
                shared.ahead.append(index)
            } else {
                own.ahead.append(index)
            }
        }
        if own.isEmpty { own = shared }
        guard !own.isEmpty else { return }
        revokedAhead = nil
        choose(among: own, chapter.transactions, at: max(clock, now))
    }

    private struct Candidates {
        var begun: Int?
        /// Not revoked, and not begun.
        var ahead: [Int] = []
        var isEmpty: Bool { begun == nil && ahead.isEmpty }
    }

    private mutating func choose(
        among candidates: Candidates,
        _ rows: [Statement<Transaction>],
        at now: Timestamp
    ) {
        let begun = candidates.begun.map { purchase(of: $0, among: rows.span) }
        current = begun
        last = begun
        paidUntil = begun.flatMap { rows[$0].content.expiresDate }
        var ahead = candidates.ahead[...]
        if ahead.count > 1 {
            ahead = ahead.sorted { Transaction.isOlder(rows[$0].content, rows[$1].content) }[...]
        }
        let isOver = paidUntil.map { $0 <= now } ?? false
        let isRevoked = begun.map { rows[$0].content.revocationDate != nil } ?? false
        if begun == nil || isOver || isRevoked, let first = ahead.popFirst() {
            let follows = begun.map { rows[first].content.follows(rows[$0].content, endingAt: paidUntil) } ?? false
            current = purchase(of: first, among: rows.span)
            last = current
            paidUntil = rows[first].content.expiresDate
            isRunningUnknown = !follows && !isRevoked && rows[first].content.isRenewal
        }
        guard let current, rows[current].content.revocationDate == nil else { return }
        while let next = ahead.popFirst(), let end = paidUntil, let before = last,
            rows[next].content.follows(rows[before].content, endingAt: end),
            rows[next].content.ownership == rows[current].content.ownership
        {
            guard let later = rows[next].content.expiresDate, later > end else { continue }
            paidUntil = later
            last = next
        }
    }

    private func isNewer(_ index: Int, than other: Int?, among rows: Span<Statement<Transaction>>) -> Bool {
        guard let other else { return true }
        return Transaction.isOlder(rows[other].content, rows[index].content)
    }

    /// The purchase that a row belongs to: seats that are added say nothing of the period that they were added to.
    ///
    /// Of the rows that end when they do the purchase counts, or the first one where all of them say that seats were
    /// added.
    private func purchase(of added: Int, among rows: Span<Statement<Transaction>>) -> Int {
        guard rows[added].content.isAddition else { return added }
        let end = rows[added].content.expiresDate
        let id = rows[added].content.originalTransactionId
        var first = added
        for index in rows.indices {
            // One condition after the other: the optimiser refuses a span in the closures of `&&`.
            guard rows[index].content.expiresDate == end, rows[index].content.originalTransactionId == id,
                !rows[index].content.isUpgraded, rows[index].content.kind == .subscription,
                rows[index].content.ownership != .familyShared
            else { continue }
            let isBetter =
                rows[index].content.isAddition == rows[first].content.isAddition
                ? Transaction.isOlder(rows[index].content, rows[first].content) == rows[first].content.isAddition
                : rows[first].content.isAddition
            if isBetter { first = index }
        }
        return first
    }
}

extension Transaction {
    /// Whether its period has not begun: it does five minutes before its `purchaseDate`, as clocks differ.
    package func isAhead(of clock: Timestamp) -> Bool {
        purchaseDate.map { $0 > clock.adding(seconds: ClockSkew.toleratedSeconds) } ?? false
    }

    /// Whether it renewed a subscription, as far as it says.
    fileprivate var isRenewal: Bool {
        if let reason { return reason == .renewal }
        return transactionId != nil && transactionId != originalTransactionId
    }

    /// Whether its period begins when the time of another one ends, or after a gap that is none to redemptions either.
    fileprivate func follows(_ earlier: Transaction, endingAt end: Timestamp?) -> Bool {
        guard let end, let purchaseDate else { return false }
        return purchaseDate <= end.adding(milliseconds: earlier.longestPauseMilliseconds(before: end))
    }

    /// Whether its paid time runs, as far as it says: without an end it does.
    func runs(at clock: Timestamp) -> Bool {
        guard !isUpgraded, revocationDate == nil else { return false }
        return expiresDate.map { $0 > clock } ?? true
    }
}

// MARK: Periods that were replaced before they began

extension Chapter {
    /// Marks a renewal that was charged ahead as upgraded, where an upgrade replaced it before it began.
    ///
    /// Apple sends nothing about that. It shows where another product was bought after Apple last spoke of the renewal and
    /// before it began, for a time beyond its begin.
    mutating func markReplacedAhead() {
        for index in transactions.indices {
            guard let begin = transactions[index].content.purchaseDate, let shown = transactions[index].shownSince,
                shown < begin
            else { continue }
            let (product, asOf) = (transactions[index].content.productId, transactions[index].asOf)
            let isReplaced = transactions.contains { other in
                guard other.content.kind == .subscription, other.content.productId != product,
                    let bought = other.content.purchaseDate, let end = other.content.expiresDate
                else { return false }
                return asOf < bought && bought < begin && begin < end
            }
            if isReplaced { transactions[index].content.isUpgraded = true }
        }
    }
}

// MARK: What a renewal speaks of

/// Whether a word on the renewal of a subscription was said with a period in view.
enum Knowledge {
    case known
    /// Version 0.3.0 stored the period without the moment at which it was shown first.
    case maybe
    case unknown
}

extension Chapter {
    /// Whether something that was said at a moment speaks of the subscription with all its periods.
    ///
    /// A period is known to it if it was said at or after that was shown first, or began, or if it names its end
    /// (`renewalDate`). A transaction that a device has signed again so says nothing of the renewal. One ahead that was
    /// revoked is not there; upgraded ones were left out.
    func knowledge(ofSaying moment: Timestamp, renewing renewalDate: Timestamp?, at clock: Timestamp) -> Knowledge {
        var found = Knowledge.known
        let rows = transactions.span
        for index in rows.indices {
            guard let begin = rows[index].content.purchaseDate, begin > moment else { continue }
            guard rows[index].content.kind == .subscription, !rows[index].content.isUpgraded else { continue }
            if rows[index].content.revocationDate != nil, rows[index].content.isAhead(of: clock) { continue }
            if renewalDate != nil, renewalDate == rows[index].content.expiresDate { continue }
            var knowledge = rows[index].knowledge(ofSaying: moment)
            // Copies and added seats belong to their purchase.
            for other in rows.indices where knowledge == .unknown && other != index {
                guard rows[other].content.isSamePurchase(as: rows[index].content) else { continue }
                let begun = rows[other].content.purchaseDate.map { $0 <= moment } ?? true
                knowledge = begun ? .known : rows[other].knowledge(ofSaying: moment)
            }
            switch knowledge {
            case .known: continue
            case .maybe: found = .maybe
            case .unknown: return .unknown
            }
        }
        return found
    }
}

extension Statement<Transaction> {
    /// Of a period that began after the moment.
    fileprivate func knowledge(ofSaying moment: Timestamp) -> Knowledge {
        guard let shownSince else {
            if moment >= asOf { return .known }
            let begin = content.purchaseDate ?? asOf
            return moment >= begin.adding(days: -1) ? .maybe : .unknown
        }
        return moment >= shownSince ? .known : .unknown
    }
}
