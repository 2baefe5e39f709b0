package import Offers

/// Gives a ledger another checkpoint key, while no service writes it.
package enum CheckpointKeyRotation {
    /// Ends the open chains by the old key, signs the change by both, and all that is signed again and again by the new one:
    /// in one transaction.
    ///
    /// It throws where the writer of an open chain may live, and where anything was signed by neither.
    package static func rotate(
        _ database: any SQLDatabase,
        from old: LedgerKeys,
        to new: LedgerKeys,
        at now: Timestamp
    ) throws(StorageFailure) -> LedgerKeyChange {
        let rows: Set<Int64> = [LockRows.chains, LockRows.deletion]
        return try database.transaction(.ledger, locking: rows) { session throws(StorageFailure) in
            var signing = try LedgerSigning(session, keys: old, now: now)
            try signing.checkHeads()
            let open = signing.openWriters
            let gone = try session.gone(of: open)
            if let writer = open.first(where: { !gone.contains($0) }) {
                throw StorageFailure(
                    .locked,
                    "a service writes chain \(writer) of the ledger: stop every service and command that uses it; in "
                        + "PostgreSQL the server notices the end of one that crashed a little later"
                )
            }
            try signing.end(goneOf: open)
            let change = try change(session, from: old, to: new, at: now)
            try session.send(change.insert)
            try signing.handOver(to: new)
            try session.send(LedgerKeyMarks.replacement(ofCheckpointKey: change.newKeySHA256))
            return change
        }
    }

    /// Signs the change, and anew what the newest key has to have signed.
    private static func change(
        _ session: any Session,
        from old: LedgerKeys,
        to new: LedgerKeys,
        at now: Timestamp
    ) throws(StorageFailure) -> LedgerKeyChange {
        let keys = try session.checkpointKeys(old.checkpointKey)
        let (chains, statements) = (try session.chains(), try session.statements())
        let ends = statements.filter { $0.kind == .end }
        if let fault = keys.faults(of: chains, ends: ends).first { throw LedgerSigning.changed(fault) }
        let byWriter = Dictionary(grouping: statements, by: \.writer)
        for (place, chain) in chains.enumerated() {
            let own = byWriter[chain.writer] ?? []
            let isSound = keys.isSigned(chain, at: place) && own.contains { $0.kind == .end }
            guard isSound, own.allSatisfy({ keys.isSigned($0, of: chain, at: place) }) else {
                throw LedgerSigning.changed("the beginning, the end or the retention of chain \(chain.writer)")
            }
            for one in own where one.kind == .retention {
                try session.put(try LedgerStatement(.retention, of: chain, at: one.head, time: one.time, keys: new))
            }
        }
        for var loss in try session.run(LedgerLoss.all).losses() {
            guard loss.isSigned(by: old.checkpointKey) else {
                throw LedgerSigning.changed("a loss of records of chain \(loss.writer)")
            }
            try loss.sign(with: new)
            if let known = loss.acknowledgement { try loss.acknowledge(with: new, at: known.time) }
            try session.send(loss.put)
        }
        let (oldKey, newKey) = (old.checkpointKeySPKI, new.checkpointKeySPKI)
        guard oldKey != newKey, !keys.changes.contains(where: { $0.oldKey == newKey }) else {
            throw StorageFailure(.refused, "the new key is, or was, the ledger's checkpoint key: make another one")
        }
        var change = LedgerKeyChange(
            number: Int64(keys.changes.count) + 1,
            oldKey: oldKey,
            newKey: newKey,
            time: now,
            chains: Int64(chains.count),
            digest: LedgerKeyChange.digest(chains, ends: ends)
        )
        try change.sign(from: old, to: new, after: keys.changes.last)
        return change
    }
}
