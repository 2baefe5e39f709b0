import Offers

/// How the ledger's rows are read; what is not of the type that was written is no value.
extension Rows {
    /// Records; the columns are ``LedgerSQL/recordColumns``.
    ///
    /// An error names the record where the caller does not know it by the one before.
    func records(isNamed: Bool = false) throws(StorageFailure) -> [LedgerRecord] {
        try rows.map { row throws(StorageFailure) in
            do throws(StorageFailure) {
                return try record(row)
            } catch {
                guard isNamed else { throw error }
                let number = (try? integer(row, 1)).map(String.init) ?? "?"
                let writer = (try? text(row, 0)) ?? "?"
                throw StorageFailure(error.code, "record \(number) of chain \(writer): \(error.detail)")
            }
        }
    }

    private func record(_ row: Int) throws(StorageFailure) -> LedgerRecord {
        LedgerRecord(
            writer: try text(row, 0),
            number: try integer(row, 1),
            time: try time(row, 2),
            client: try text(row, 3),
            bundleId: try text(row, 4),
            productId: try text(row, 5),
            offerId: try text(row, 6),
            format: try text(row, 7),
            keyIdentifier: try text(row, 8),
            nonce: try text(row, 9),
            timestamp: try time(row, 10),
            reason: try text(row, 11),
            evidence: try optionalText(row, 12),
            environment: try optionalText(row, 13),
            originalTransactionId: try optionalText(row, 14),
            account: try optionalBytes(row, 15),
            customer: try bytes(row, 16),
            hash: try bytes(row, 17)
        )
    }

    /// The first row's number and hash; `nil` where there is no row.
    func head() throws(StorageFailure) -> LedgerChain.Head? {
        count == 0 ? nil : LedgerChain.Head(number: try integer(0, 0), hash: try bytes(0, 1))
    }

    func chains() throws(StorageFailure) -> [LedgerChain] {
        try rows.map { row throws(StorageFailure) in
            let writer = try text(row, 0)
            do throws(StorageFailure) {
                let (number, hash) = (try optionalInteger(row, 3), try optionalBytes(row, 4))
                guard (number == nil) == (hash == nil) else { throw .malformed("previous_number") }
                return LedgerChain(
                    writer: writer,
                    startedAt: try time(row, 1),
                    previousWriter: try optionalText(row, 2),
                    previousHead: number.flatMap { number in hash.map { LedgerChain.Head(number: number, hash: $0) } },
                    signature: try bytes(row, 5)
                )
            } catch {
                throw StorageFailure(error.code, "chain \(writer): \(error.detail)")
            }
        }
    }

    fileprivate func statements() throws(StorageFailure) -> [LedgerStatement] {
        try rows.map { row throws(StorageFailure) in
            let writer = try text(row, 0)
            guard let kind = LedgerStatement.Kind(rawValue: try text(row, 1)) else {
                throw StorageFailure(.malformed, "chain \(writer): there is a statement of a kind that nobody makes")
            }
            return LedgerStatement(
                writer: writer,
                kind: kind,
                head: LedgerChain.Head(number: try integer(row, 2), hash: try bytes(row, 3)),
                time: try time(row, 4),
                signature: try bytes(row, 5)
            )
        }
    }

    fileprivate func checkpoints() throws(StorageFailure) -> [LedgerCheckpoint] {
        try rows.map { row throws(StorageFailure) in
            let text = try text(row, 2)
            guard let open = LedgerCheckpoint.open(text) else { throw .malformed("open") }
            let checkpoint = LedgerCheckpoint(
                chains: try integer(row, 0),
                newest: try self.text(row, 1),
                open: open,
                time: try time(row, 3),
                signature: try bytes(row, 4)
            )
            // Written another way, it would not be what was signed.
            guard checkpoint.openText == text else { throw .malformed("open") }
            guard try integer(row, 5) == 1 else { throw .malformed("id") }
            return checkpoint
        }
    }
}

extension Session {
    func chains() throws(StorageFailure) -> [LedgerChain] {
        try run(LedgerSQL.chains).chains()
    }

    func chain(of writer: String) throws(StorageFailure) -> LedgerChain? {
        try run(LedgerSQL.chain, .text(writer)).chains().first
    }

    func statements() throws(StorageFailure) -> [LedgerStatement] {
        try run(LedgerSQL.statements).statements()
    }

    func statements(of writer: String) throws(StorageFailure) -> [LedgerStatement] {
        try run(LedgerSQL.statementsOf, .text(writer)).statements()
    }

    /// The statement of a kind about a chain, signed by a key; `nil` where there is none.
    func statement(
        _ kind: LedgerStatement.Kind,
        of chain: LedgerChain,
        by keys: LedgerKeys
    ) throws(StorageFailure) -> LedgerStatement? {
        try statements(of: chain.writer).first { $0.kind == kind && $0.isSigned(by: keys.checkpointKey, of: chain) }
    }

    /// The checkpoints: one, where nobody tampered, and none in a ledger that nobody has begun.
    func checkpoints() throws(StorageFailure) -> [LedgerCheckpoint] {
        try run(LedgerSQL.checkpoints).checkpoints()
    }

    /// The writers whose chains are open by the newest checkpoint of any writer.
    func openWriters() throws(StorageFailure) -> [String] {
        (try? checkpoints().first?.open.keys).map(Array.init) ?? []
    }

    func put(_ statement: LedgerStatement) throws(StorageFailure) {
        let kind = SQLValue.text(statement.kind.rawValue)
        try send(SQLCall(LedgerSQL.putStatement, statement.values + [kind, .bytes(statement.signature)]))
    }

    func insert(_ chain: LedgerChain) throws(StorageFailure) {
        try send(
            SQLCall(
                LedgerSQL.insertChain,
                .text(chain.writer),
                .time(chain.startedAt),
                SQLValue(chain.previousWriter),
                SQLValue(chain.previousHead?.number),
                SQLValue(chain.previousHead?.hash),
                .bytes(chain.signature)
            )
        )
    }

    func put(_ checkpoint: LedgerCheckpoint) throws(StorageFailure) {
        try send(SQLCall(LedgerSQL.putCheckpoint, checkpoint.values + [.bytes(checkpoint.signature)]))
    }
}
