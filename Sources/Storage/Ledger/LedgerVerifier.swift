package import Crypto
package import Offers

/// Walks along every chain of a ledger: recomputes each hash, and holds it against what was signed.
///
/// Required, and signed by the checkpoint key (that of its time, see ``CheckpointKeys``): the beginning of each chain, which
/// names the one before it; the end of each, but for those that are open by the newest checkpoint; and that, which counts
/// the chains and says how far the open ones are.
package struct LedgerVerifier {
    private let database: any SQLDatabase
    private let key: P256.Signing.PublicKey

    /// Takes the public half of the checkpoint key.
    package init(_ database: any SQLDatabase, key: P256.Signing.PublicKey) {
        self.database = database
        self.key = key
    }

    /// Walks along all chains, and collects the first fault of each; the anchor is of an earlier verification.
    ///
    /// It throws where the ledger cannot be read.
    ///
    /// The service may be writing meanwhile: what comes while a chain is read is read, too.
    package func verify(anchor: LedgerAnchor? = nil) throws(StorageFailure) -> LedgerVerification {
        let signatures = try database.signatures()
        let orphans = try database.orphans()
        let texts = try database.looseConfigurations()
        var found = LedgerVerification()
        found.chains = signatures.chains.count
        found.checkpoint = signatures.checkpoints.first
        func addFault(_ writer: String?, _ number: Int64? = nil, _ detail: String) {
            found.faults.append(.init(writer: writer, number: number, detail: detail))
        }
        let keys = CheckpointKeys(newest: key, changes: signatures.keyChanges)
        found.keyChanges = keys.changes
        let ended = signatures.statements.filter { $0.kind == .end }
        for fault in keys.faults + keys.faults(of: signatures.chains, ends: ended) { addFault(nil, nil, fault) }
        let checkpoint = check(signatures.checkpoints, addFault)
        checkOrder(signatures.chains, keys, checkpoint, known: Set(orphans.map(\.writer)), addFault)
        for orphan in orphans {
            let detail =
                orphan.firstNumber == nil
                ? "is missing, though statements about it are there"
                : "is of a chain that is missing: the chain was deleted, or the record inserted"
            addFault(orphan.writer, orphan.firstNumber, detail)
        }
        for loss in signatures.losses {
            guard loss.isSigned(by: key) else {
                addFault(loss.writer, loss.first, "is said to be lost, but not by the checkpoint key")
                continue
            }
            found.losses.append(loss)
        }
        let losses = Dictionary(grouping: found.losses, by: \.writer).compactMapValues(\.first)
        if let anchor { compare(anchor, signatures, losses, addFault) }
        found.anchor.chains = signatures.chains.count
        found.anchor.newest = signatures.chains.last?.writer ?? ""
        let statements = Dictionary(grouping: signatures.statements, by: \.writer)
        for (index, chain) in signatures.chains.enumerated() {
            let ends = (statements[chain.writer] ?? []).filter { $0.kind == .end }
            var marks = [checkpoint?.open[chain.writer], anchor?.open[chain.writer]].compactMap(\.self)
            // Records that are lost, and are said to be, are not missing.
            if let loss = losses[chain.writer] {
                marks.removeAll { (loss.first...loss.last.number).contains($0.number) }
            }
            if index + 1 < signatures.chains.count, let head = signatures.chains[index + 1].previousHead {
                marks.append(head)
            }
            var walk = ChainWalk(database, key, chain, end: ends.first, marks: marks)
            do {
                let isSigned = ends.first.map { keys.isSigned($0, of: chain, at: index) } ?? true
                let count = (statements[chain.writer] ?? []).count
                try checkEnd(ends, isSigned: isSigned, of: chain, checkpoint, hasTwins: count)
                try walk.walk()
            } catch let fault as LedgerVerification.Fault {
                found.faults.append(fault)
            } catch let failure as StorageFailure where failure.code == .malformed {
                addFault(chain.writer, nil, failure.detail)
            } catch let failure as StorageFailure {
                throw failure
            } catch {
                throw StorageFailure(.unavailable, "the ledger cannot be read: \(type(of: error))")
            }
            found.records += walk.records
            found.configurations += walk.configurations
            if let loose = texts.first(where: { $0.writer == chain.writer && $0.number > walk.start }) {
                addFault(chain.writer, loose.number, "is of no configuration, though there is a text of one for it")
            }
            guard ends.isEmpty else { continue }
            found.anchor.open[chain.writer] = walk.last
            let covered = max(checkpoint?.open[chain.writer]?.number ?? 0, walk.start)
            found.uncovered += Int(max(0, walk.last.number - covered))
        }
        return found
    }

    private typealias AddFault = (_ writer: String?, _ number: Int64?, _ detail: String) -> Void

    /// The newest checkpoint, where it is worth anything.
    private func check(_ checkpoints: [LedgerCheckpoint], _ addFault: AddFault) -> LedgerCheckpoint? {
        guard checkpoints.count < 2 else {
            addFault(nil, nil, "there are \(checkpoints.count) checkpoints, and only the newest may be there")
            return nil
        }
        guard let checkpoint = checkpoints.first else {
            addFault(nil, nil, "its checkpoint is missing: every start of the service signs one")
            return nil
        }
        guard checkpoint.isSigned(by: key) else {
            addFault(nil, nil, "its checkpoint is not by the checkpoint key")
            return nil
        }
        return checkpoint
    }

    /// Each chain goes on from the one before it, and the checkpoint counts them.
    private func checkOrder(
        _ chains: [LedgerChain],
        _ keys: CheckpointKeys,
        _ checkpoint: LedgerCheckpoint?,
        known orphans: Set<String>,
        _ addFault: AddFault
    ) {
        let writers = Set(chains.map(\.writer))
        var previous: LedgerChain?
        for (place, chain) in chains.enumerated() {
            if !keys.isSigned(chain, at: place) {
                addFault(
                    chain.writer,
                    nil,
                    "its beginning is not by the checkpoint key of its time: it was changed, or put in, or a change "
                        + "of the key is missing"
                )
            } else if chain.previousWriter != previous?.writer {
                if let missing = chain.previousWriter, !writers.contains(missing) {
                    if !orphans.contains(missing) { addFault(missing, nil, "is missing, with all its records") }
                } else {
                    addFault(chain.writer, nil, "is there twice, or not where it began")
                }
            }
            previous = chain
        }
        guard let checkpoint else { return }
        for writer in checkpoint.open.keys.sorted() where !writers.contains(writer) && !orphans.contains(writer) {
            addFault(writer, nil, "is missing, with all its records")
        }
        if checkpoint.newest != chains.last?.writer ?? "", writers.contains(checkpoint.newest) {
            addFault(chains.last?.writer, nil, "was put in after the last one: the checkpoint does not know it")
        } else if checkpoint.chains != chains.count || checkpoint.newest != chains.last?.writer ?? "" {
            addFault(
                nil,
                nil,
                "there are \(chains.count) chains, and the checkpoint says that there were \(checkpoint.chains)"
            )
        }
    }

    private func checkEnd(
        _ ends: [LedgerStatement],
        isSigned: Bool,
        of chain: LedgerChain,
        _ checkpoint: LedgerCheckpoint?,
        hasTwins count: Int
    ) throws(LedgerVerification.Fault) {
        func fault(_ number: Int64?, _ detail: String) -> LedgerVerification.Fault {
            LedgerVerification.Fault(writer: chain.writer, number: number, detail: detail)
        }
        guard ends.count < 2, count <= LedgerStatement.Kind.allCases.count else {
            throw fault(nil, "a statement about it is there twice")
        }
        if let end = ends.first {
            guard isSigned else {
                throw fault(end.head.number, "is said to be the last, but not by the checkpoint key")
            }
            if checkpoint?.open[chain.writer] != nil {
                throw fault(
                    end.head.number,
                    "is said to be the last, though the checkpoint, which is newer, says it was not"
                )
            }
        } else if let checkpoint, checkpoint.open[chain.writer] == nil {
            throw fault(nil, "the statement that it ended is missing")
        }
    }

    private func compare(
        _ anchor: LedgerAnchor,
        _ signatures: LedgerSignatures,
        _ losses: [String: LedgerLoss],
        _ addFault: AddFault
    ) {
        let chains = signatures.chains
        // Chains that were lost as a whole have nobody in their place.
        let writers = Set(chains.map(\.writer))
        guard losses.keys.allSatisfy(writers.contains) else {
            for writer in anchor.open.keys.sorted() where !writers.contains(writer) && losses[writer] == nil {
                addFault(writer, nil, "is missing, with all its records")
            }
            return
        }
        guard chains.count >= anchor.chains else {
            return addFault(
                nil,
                nil,
                "there are \(chains.count) chains, and there were \(anchor.chains) when the anchor was made: it was set back"
            )
        }
        guard anchor.chains > 0 else { return }
        guard chains[anchor.chains - 1].writer == anchor.newest else {
            return addFault(anchor.newest, nil, "is not where it was when the anchor was made: this is another ledger")
        }
        let ended = Set(signatures.statements.filter { $0.kind == .end }.map(\.writer))
        for chain in chains.prefix(anchor.chains)
        where anchor.open[chain.writer] == nil && !ended.contains(chain.writer) {
            addFault(chain.writer, nil, "had ended when the anchor was made, and has no end: the ledger was set back")
        }
    }
}
