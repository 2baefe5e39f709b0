import Offers

/// What a signature may depend on: how many there were, and whom evidence was presented for.
struct LedgerCounts: Sendable {
    /// How many signatures there are.
    var signatures: [LedgerBatch.SignatureCount: Int] = [:]
    /// Whom the subscriptions were presented for.
    var presentations: [PresentedSubscription: LedgerBatch.Presented] = [:]
}

/// The statements of a commit: PostgreSQL takes many rows at once, and SQLite one after the other.
extension Session {
    /// Counts, together with statements that are asked in the same go.
    func counts(
        _ signatures: [LedgerBatch.SignatureCount],
        _ subscriptions: [LedgerBatch.Presentations],
        with others: [SQLCall] = []
    ) throws(StorageFailure) -> (LedgerCounts, [Rows]) {
        switch dialect {
        case .sqlite: try oneByOne(signatures, subscriptions, others)
        case .postgreSQL: try together(signatures, subscriptions, others)
        }
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
                let rows = try run([SQLCall(RedemptionSQL.countUnsigned, redeemed.values + offer)])
                for rows in rows { count += try rows.integer(0, 0) }
            }
            counts.signatures[asked] = Int(count)
        }
        for asked in subscriptions {
            let call = SQLCall(LedgerSQL.presentations, asked.subscription.values + [.integer(asked.start)])
            for rows in try run([call]) {
                for row in rows.rows {
                    let customer = try rows.bytes(row, 0)
                    counts.presentations[asked.subscription, default: [:]][customer] = try rows.integer(row, 1)
                }
            }
        }
        return (counts, answers)
    }

    private func together(
        _ signatures: [LedgerBatch.SignatureCount],
        _ subscriptions: [LedgerBatch.Presentations],
        _ others: [SQLCall]
    ) throws(StorageFailure) -> (LedgerCounts, [Rows]) {
        let answers = try run(
            others + [PostgreSQLBatch.count(signatures), PostgreSQLBatch.presented(subscriptions)]
        )
        let (signed, presented) = (answers[others.count], answers[others.count + 1])
        var counts = LedgerCounts()
        for row in signed.rows {
            let index = try signed.position(row, among: signatures.count)
            counts.signatures[signatures[index]] = Int(try signed.integer(row, 1))
        }
        for row in presented.rows {
            let subscription = subscriptions[try presented.position(row, among: subscriptions.count)].subscription
            let customer = try presented.bytes(row, 1)
            counts.presentations[subscription, default: [:]][customer] = try presented.integer(row, 2)
        }
        return (counts, Array(answers.prefix(others.count)))
    }

    /// Writes what was decided.
    func write(_ decision: LedgerBatch.Decision, isProbe: Bool = false) throws(StorageFailure) {
        if isProbe || !decision.records.isEmpty { try insert(decision.records) }
        guard dialect == .sqlite else {
            guard isProbe || !decision.presentations.isEmpty else { return }
            return try send(PostgreSQLBatch.insert(decision.presentations))
        }
        for (subscription, customers) in decision.presentations {
            for (customer, time) in customers {
                let values = subscription.values + [.bytes(customer), .integer(time)]
                try send(SQLCall(LedgerSQL.insertPresentation, values))
            }
        }
        guard let last = decision.records.last, let first = decision.records.first else { return }
        // Where a section of nonces is full.
        let full = last.number - last.number % NonceSQL.section
        if full >= first.number { try send(SQLCall(NonceSQL.insert, .text(last.writer), .integer(full))) }
    }
}

extension PresentedSubscription {
    /// What names it in a statement.
    var values: [SQLValue] { [.text(bundleId), .text(environment), .text(originalTransactionId)] }
}
