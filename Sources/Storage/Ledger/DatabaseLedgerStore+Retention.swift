import Offers

/// What the ledger no longer keeps.
extension DatabaseLedgerStore {
    func newestRecord(before moment: Timestamp) throws(StorageFailure) -> Timestamp? {
        try database.read { session throws(StorageFailure) in
            try session.run(LedgerSQL.newestTime, .integer(moment.millisecondsSince1970)).optionalInteger(0, 0)
                .map(Timestamp.init(millisecondsSince1970:))
        }
    }

    func deleteOld(countingFrom moment: Timestamp) throws(StorageFailure) -> Int {
        let start = EvidenceSharing.start(at: moment).millisecondsSince1970
        let presentations = try database.transaction(.beside) { session throws(StorageFailure) in
            try session.run(LedgerSQL.deletePresentations, .integer(start)).changes
        }
        guard presentations == 0, let retentionDays else { return presentations }
        let limit = moment.adding(days: -retentionDays)
        let oldest = try database.read { session throws(StorageFailure) in
            let rows = try session.run(LedgerSQL.oldestChain, .integer(limit.millisecondsSince1970))
            return rows.count > 0 ? try rows.text(0, 0) : nil
        }
        guard let oldest else { return 0 }
        let count = try deleteSome(of: oldest, before: limit)
        guard count == 0 else { return count }
        // A chain is deleted from its start on: where a clock was set back, its oldest record may not be the first.
        for chain in try database.read({ session throws(StorageFailure) in try session.chains() }) {
            let count = try deleteSome(of: chain.writer, before: limit)
            if count > 0 { return count }
        }
        return 0
    }

    func forgetPresentations(of customer: String, bundleId: String) throws(StorageFailure) -> Int {
        let digest = keys.digestKey.digest(customer: customer, originalTransactionId: nil, bundleId: bundleId)
        // Looked for beside whoever writes: only what is found is written.
        let found = try database.read { session throws(StorageFailure) in
            let rows = try session.run(LedgerSQL.presentationsOf, .bytes(digest))
            var found: [PresentedSubscription] = []
            for row in rows.rows {
                found.append(
                    PresentedSubscription(
                        bundleId: try rows.text(row, 0),
                        environment: try rows.text(row, 1),
                        originalTransactionId: try rows.text(row, 2)
                    )
                )
            }
            return found
        }
        guard !found.isEmpty else { return 0 }
        try database.transaction(.repeatable) { session throws(StorageFailure) in
            for subscription in found {
                try session.send(SQLCall(LedgerSQL.deletePresentation, subscription.values + [.bytes(digest)]))
            }
        }
        return found.count
    }

    /// Deletes some of the oldest records of a chain, and leaves a signed statement of how far.
    ///
    /// Only what is as it was signed is deleted: what somebody changed stays, for whoever verifies the ledger.
    private func deleteSome(of writer: String, before limit: Timestamp) throws(StorageFailure) -> Int {
        let (keys, now) = (keys, now())
        return try database.transaction(.beside) { session throws(StorageFailure) in
            try session.lock(AdvisoryLocks.deletion)
            guard let chain = try session.chain(of: writer) else { return 0 }
            var last = LedgerChain.Head(number: 0, hash: chain.beginning)
            if let stump = try session.run(LedgerSQL.stump, .text(writer)).head() { last = stump }
            let oldest = try session.run(
                LedgerSQL.records,
                .text(writer),
                .integer(.min),
                .integer(Int64(LedgerSQL.deletionStep))
            ).records()
            var count = 0
            for record in oldest {
                guard record.time < limit else { break }
                guard record.number == last.number + 1, record.hash == record.computedHash(after: last.hash) else {
                    throw StorageFailure(
                        .malformed,
                        "record \(record.number) of chain \(writer) is old, but not what was recorded: it is not deleted; "
                            + "see what `offer-signer ledger verify` says"
                    )
                }
                last = LedgerChain.Head(number: record.number, hash: record.hash)
                count += 1
            }
            guard count > 0 else { return 0 }
            // With the record that led to it, nothing else would tell how the chain began.
            try session.put(try LedgerStatement(.retention, of: chain, at: last, time: now, keys: keys))
            try session.send(SQLCall(LedgerSQL.deleteRecords, .text(writer), .integer(last.number)))
            if session.dialect == .sqlite {
                try session.send(SQLCall(NonceSQL.delete, .text(writer), .integer(last.number)))
            }
            return count
        }
    }
}

extension Session {
    /// What the ledger holds of a customer.
    func answer(to question: LedgerQuestion, _ digestKey: DigestKey) throws(StorageFailure) -> LedgerAnswer {
        let signatures = question.offers.map { offer, limit, originalTransactionId in
            LedgerBatch.SignatureCount(
                customer: digestKey.digest(
                    customer: question.customer,
                    originalTransactionId: originalTransactionId,
                    bundleId: question.bundleId
                ),
                offer: offer,
                redeemed: originalTransactionId.map(question.subscription),
                start: limit.start(at: question.now).millisecondsSince1970
            )
        }
        let customer = question.customer.map {
            digestKey.digest(customer: $0, originalTransactionId: nil, bundleId: question.bundleId)
        }
        let start = EvidenceSharing.start(at: question.now).millisecondsSince1970
        let subscriptions = (customer == nil ? [] : question.originalTransactionIds).map {
            LedgerBatch.Presentations(subscription: question.subscription($0), start: start)
        }
        let (counts, _) = try counts(Array(Set(signatures)), Array(Set(subscriptions)))
        var answer = LedgerAnswer()
        for signature in signatures { answer.signatures[signature.offer] = counts.signatures[signature] ?? 0 }
        guard let customer else { return answer }
        for asked in subscriptions {
            answer.presentations[asked.subscription.originalTransactionId] = LedgerBatch.presentations(
                counts.presentations[asked.subscription] ?? [:],
                customer,
                at: question.now
            )
        }
        return answer
    }
}
