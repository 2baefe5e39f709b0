import Offers
import Synchronization

/// The losses of the ledger in the database, and the locks that others hold in it.
extension DatabaseLedgerStore {
    /// Ends a chain whose last records the database has lost, and says which.
    ///
    /// - Parameters:
    ///   - writer: The chain's writer.
    ///   - confirmed: The last record that was confirmed to be on durable storage.
    /// - Returns: Why nothing is signed until an operator knows of it.
    /// - Throws: ``StorageFailure``.
    func announceLoss(of writer: String, after confirmed: LedgerChain.Head) throws(StorageFailure) -> StorageFailure {
        let (keys, now) = (keys, now())
        let locks = SQLLocks(keys: [AdvisoryLocks.key(ofWriter: writer)])
        return try database.transaction(.ledger, locking: locks) { session throws(StorageFailure) in
            _ = try session.hold(writer)
            var signing = try LedgerSigning(session, keys: keys, now: now)
            var left: Int64 = 0
            for question in [LedgerSQL.head, LedgerSQL.stump] {
                left = max(left, try session.run(question, .text(writer)).head()?.number ?? 0)
            }
            // Another may have ended it already, or it is lost as a whole.
            if signing.isOpen(writer) {
                try signing.readHeads()
                try signing.end([writer])
                try signing.finish()
            }
            // A record that is there, though it is another than was confirmed, is not lost by its number.
            var loss = LedgerLoss(writer: writer, first: min(left + 1, confirmed.number), last: confirmed, time: now)
            try loss.sign(with: keys)
            try session.send(loss.put)
            return LedgerLoss.fault([loss])
        }
    }

    /// Refuses to go on where the database has lost records that no operator knows of.
    static func checkLosses(_ rows: Rows) throws(StorageFailure) {
        let losses = try rows.losses()
        guard losses.isEmpty else { throw LedgerLoss.fault(losses) }
    }

    /// Notes that an operator knows of all losses.
    ///
    /// - Returns: Those that nobody had acknowledged.
    /// - Throws: ``StorageFailure``.
    func acknowledgeLosses() throws(StorageFailure) -> [LedgerLoss] {
        let (keys, now) = (keys, now())
        return try database.transaction(.ledger) { session throws(StorageFailure) in
            var losses = try session.run([LedgerLoss.open]).first?.losses() ?? []
            for index in losses.indices {
                guard losses[index].isSigned(by: keys.checkpointKey) else {
                    throw StorageFailure(
                        .malformed,
                        "the ledger was changed by somebody: a loss of records is said of chain \(losses[index].writer), but "
                            + "not by the checkpoint key; see what `offer-signer ledger verify` says"
                    )
                }
                try losses[index].acknowledge(with: keys, at: now)
                try session.send(losses[index].put)
            }
            return losses
        }
    }

    func isKept(_ entry: LedgerEntry) -> Bool {
        let kept = kept.withLock { $0 }
        return !kept.isEmpty && !LedgerBatch([entry], digestKey: keys.digestKey).locks.isDisjoint(with: kept)
    }

    func reviewKept() {
        let known = kept.withLock { $0 }
        guard !known.isEmpty, let still = try? look(for: known) else { return }
        kept.withLock { $0 = still }
    }

    /// Notes which locks other transactions keep, after one of them was waited for in vain.
    func noteKept(_ locks: Set<Int64>) {
        guard let found = try? look(for: locks) else { return }
        kept.withLock { $0.formUnion(found) }
    }

    private func look(for locks: Set<Int64>) throws(StorageFailure) -> Set<Int64> {
        try database.transaction(.ledger) { session throws(StorageFailure) in try session.kept(of: locks.sorted()) }
    }
}
