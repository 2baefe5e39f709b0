package import Offers

/// The losses of the ledger in the database.
extension LedgerStore {
    /// Says which records the database has lost, by the last one that was seen of each chain there, and ends this
    /// writer's chain where it is among those.
    ///
    /// It gives the reason why nothing is signed; `nil` where an operator knows of all of it.
    func announce(_ lost: [String: LedgerChain.Head], own: String) throws(StorageFailure) -> StorageFailure? {
        let (keys, now) = (keys, now())
        let locks: Set<Int64> = lost[own] == nil ? [] : [LockRows.row(ofWriter: own)]
        return try database.transaction(.ledger, locking: locks) { session throws(StorageFailure) in
            if lost[own] != nil { _ = try session.hold(own) }
            var signing = try LedgerSigning(session, keys: keys, now: now)
            // A chain that is missing though the checkpoint has it was taken away, and not lost.
            try signing.checkHeads()
            let known = try session.run(LedgerLoss.all).losses()
            for (writer, head) in lost.sorted(by: { $0.key < $1.key }) {
                let before = known.first { $0.writer == writer && $0.isSigned(by: keys.checkpointKey) }
                if let before, before.last.number >= head.number { continue }
                guard try !session.has(head, of: writer, by: keys) else { continue }
                let left = try session.run(LedgerSQL.head, .text(writer)).head()?.number ?? 0
                // A record that is there, though it is another than was confirmed, is not lost by its number.
                let first = before?.first ?? max(min(left, head.number - 1), 0) + 1
                var loss = LedgerLoss(writer: writer, first: first, last: head, time: now)
                try loss.sign(with: keys)
                try session.send(loss.put)
            }
            // Another may have ended it already, or it is lost as a whole.
            if lost[own] != nil, signing.isOpen(own) {
                try signing.end(goneOf: [own])
                try signing.finish()
            }
            let open = try session.run(LedgerLoss.open).losses()
            return open.isEmpty ? nil : LedgerLoss.fault(open)
        }
    }

    /// Refuses to go on where the database has lost records that no operator knows of.
    static func checkLosses(_ rows: Rows) throws(StorageFailure) {
        let losses = try rows.losses()
        guard losses.isEmpty else { throw LedgerLoss.fault(losses) }
    }

    /// Notes that an operator knows of all losses, and gives those that nobody had acknowledged.
    func acknowledgeLosses() throws(StorageFailure) -> [LedgerLoss] {
        let (keys, now) = (keys, now())
        return try database.transaction(.ledger) { session throws(StorageFailure) in
            // A change of the checkpoint key signs losses anew.
            try session.lock(LockRows.chains)
            var losses = try session.run(LedgerLoss.open).losses()
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
}

extension SQLDatabase {
    /// Why nothing is signed until an operator acknowledges a loss of records; `nil` where none is open.
    package func lossFault() throws(StorageFailure) -> StorageFailure? {
        let open = try read { session throws(StorageFailure) in try session.run(LedgerLoss.open).losses() }
        return open.isEmpty ? nil : LedgerLoss.fault(open)
    }
}
