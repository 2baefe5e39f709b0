import Offers

/// The counts that a signature may depend on: earlier signatures, and the customers that evidence was presented for.
struct LedgerCounts: Sendable {
    var signatures: [LedgerBatch.SignatureCount: Int] = [:]
    var presentations: [PresentedSubscription: LedgerBatch.Presented] = [:]
    /// What calls were answered lately.
    var answers: [AskedCall.Place: AskedCall.Known] = [:]
}

/// The statements of a commit: PostgreSQL takes many rows at once, and SQLite one after the other.
extension Session {
    /// Counts, together with statements that are asked in the same go.
    func counts(
        _ signatures: [LedgerBatch.SignatureCount],
        _ subscriptions: [LedgerBatch.Presentations],
        _ calls: [AskedCall] = [],
        with others: [SQLCall] = []
    ) throws(StorageFailure) -> (LedgerCounts, [Rows]) {
        let lookups = calls.map(\.lookUp)
        var (counts, answers) =
            switch dialect {
            case .sqlite: try oneByOne(signatures, subscriptions, others + lookups)
            case .postgreSQL: try together(signatures, subscriptions, others + lookups)
            }
        for (asked, rows) in zip(calls, answers.suffix(calls.count)) {
            counts.answers[asked.place] = try asked.known(rows)
        }
        return (counts, Array(answers.dropLast(calls.count)))
    }

    private func oneByOne(
        _ signatures: [LedgerBatch.SignatureCount],
        _ subscriptions: [LedgerBatch.Presentations],
        _ others: [SQLCall]
    ) throws(StorageFailure) -> (LedgerCounts, [Rows]) {
        let answers = try run(others)
        var counts = LedgerCounts()
        for asked in signatures {
            var count = try run(
                LedgerSQL.signatureCount,
                .bytes(asked.customer),
                .text(asked.offer.productId),
                .text(asked.offer.offerId),
                .integer(asked.start)
            ).integer(0, 0)
            if let redeemed = asked.redeemed {
                let offer = [SQLValue.text(asked.offer.productId), .text(asked.offer.offerId), .integer(asked.start)]
                count += try run(SQLCall(RedemptionSQL.countUnsigned, redeemed.values + offer)).integer(0, 0)
            }
            counts.signatures[asked] = Int(count)
        }
        for asked in subscriptions {
            let call = SQLCall(LedgerSQL.presentations, asked.subscription.values + [.integer(asked.start)])
            let rows = try run(call)
            for row in rows.rows {
                let customer = try rows.bytes(row, 0)
                counts.presentations[asked.subscription, default: [:]][customer] = try rows.integer(row, 1)
            }
        }
        return (counts, answers)
    }

    private func together(
        _ signatures: [LedgerBatch.SignatureCount],
        _ subscriptions: [LedgerBatch.Presentations],
        _ others: [SQLCall]
    ) throws(StorageFailure) -> (LedgerCounts, [Rows]) {
        let answers = try run(others + [PostgreSQLBatch.count(signatures, subscriptions)])
        let rows = answers[others.count]
        var counts = LedgerCounts()
        for row in rows.rows {
            if let customer = try rows.optionalBytes(row, 1) {
                let subscription = subscriptions[try rows.position(row, among: subscriptions.count)].subscription
                counts.presentations[subscription, default: [:]][customer] = try rows.integer(row, 2)
            } else {
                let index = try rows.position(row, among: signatures.count)
                counts.signatures[signatures[index]] = Int(try rows.integer(row, 2))
            }
        }
        return (counts, Array(answers.prefix(others.count)))
    }

    func write(_ decision: LedgerBatch.Decision, isProbe: Bool = false) throws(StorageFailure) {
        for row in decision.answers { try send(SQLCall(LedgerSQL.keepAnswer, row.values)) }
        guard isProbe || !decision.records.isEmpty || !decision.presentations.isEmpty else { return }
        try insert(decision.records, decision.presentations)
        guard dialect == .sqlite, let last = decision.records.last, let first = decision.records.first else { return }
        // A section of nonces that is full.
        let full = last.number - last.number % NonceSQL.section
        if full >= first.number { try send(SQLCall(NonceSQL.insert, .text(last.writer), .integer(full))) }
    }
}

extension Session {
    func answer(to question: LedgerQuestion, _ digestKey: DigestKey) throws(StorageFailure) -> LedgerAnswer {
        try answers(to: [question], digestKey).first ?? LedgerAnswer()
    }

    /// Answers questions that are asked together, in their order.
    func answers(to questions: [LedgerQuestion], _ digestKey: DigestKey) throws(StorageFailure) -> [LedgerAnswer] {
        let asked = questions.map { CountQuestion($0, digestKey) }
        let signatures = Array(Set(asked.lazy.flatMap(\.signatures)))
        let subscriptions = Array(Set(asked.lazy.flatMap(\.presentations)))
        let (counts, _) = try counts(signatures, subscriptions)
        return asked.map { $0.answer(by: counts) }
    }
}

/// A question to the ledger as counts.
private struct CountQuestion {
    let signatures: [LedgerBatch.SignatureCount]
    var presentations: [LedgerBatch.Presentations] {
        subscriptions.joined().map { LedgerBatch.Presentations(subscription: $0, start: start) }
    }

    private let subscriptions: [[PresentedSubscription]]
    private let customer: [UInt8]?
    private let now: Timestamp
    private let start: Int64

    init(_ question: LedgerQuestion, _ digestKey: DigestKey) {
        signatures = question.offers.flatMap { offer, limit, originalTransactionId in
            let digest =
                question.customerDigest?.bytes
                ?? digestKey.digest(
                    customer: question.customer,
                    originalTransactionId: originalTransactionId,
                    bundleId: question.bundleId
                )
            let subscriptions = originalTransactionId.map(question.subscriptions) ?? []
            let others = subscriptions.dropFirst().map {
                digestKey.digest(
                    customer: nil,
                    originalTransactionId: $0.originalTransactionId,
                    bundleId: question.bundleId
                )
            }
            let isNamed = question.customer != nil || question.customerDigest != nil
            return LedgerBatch.SignatureCount.all(
                customer: question.knownAccount?.bytes ?? digest,
                beside: (question.knownAccount == nil ? [] : [digest]) + (isNamed ? [] : others),
                offer: offer,
                redeemed: subscriptions,
                start: limit.start(at: question.now).millisecondsSince1970
            )
        }
        customer =
            question.customerDigest?.bytes
            ?? question.customer.map {
                digestKey.digest(customer: $0, originalTransactionId: nil, bundleId: question.bundleId)
            }
        subscriptions = question.originalTransactionIds.map(question.subscriptions)
        now = question.now
        start = EvidenceSharing.start(at: question.now).millisecondsSince1970
    }

    func answer(by counts: LedgerCounts) -> LedgerAnswer {
        var answer = LedgerAnswer()
        for signature in signatures {
            answer.signatures[signature.offer, default: 0] += counts.signatures[signature] ?? 0
        }
        for subscription in subscriptions {
            let first = counts.presentations[subscription[0]] ?? [:]
            let presented = subscription.dropFirst().reduce(into: first) { all, one in
                all.merge(counts.presentations[one] ?? [:]) { max($0, $1) }
            }
            answer.presentations[subscription[0].originalTransactionId] = LedgerBatch.presentations(
                presented,
                customer,
                at: now
            )
        }
        return answer
    }
}

extension PresentedSubscription {
    var values: [SQLValue] { [.text(bundleId), .text(environment), .text(originalTransactionId)] }
}
