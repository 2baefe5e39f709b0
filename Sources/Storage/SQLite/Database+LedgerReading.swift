import Foundation
import GRDB
import Offers

/// What the ledger is read by.
extension Database {
    /// All chains; exactly, where values must be of the types that were written, as what is verified has to be.
    func chains(exactly: Bool = false) throws -> [LedgerChain] {
        try all(LedgerSQL.chains) { row, types in
            do {
                if exactly { try types.check() }
                return try LedgerChain(row)
            } catch let failure as StorageFailure {
                throw StorageFailure(failure.code, "chain \(try row.text("writer")): \(failure.detail)")
            }
        }
    }

    func strays() throws -> [LedgerStray] {
        try all(LedgerStray.all) { row, _ in
            let number: DatabaseValue = row["number"]
            return LedgerStray(writer: try row.text("writer"), firstNumber: number.storage.value as? Int64)
        }
    }

    func firstNumber(of writer: String) throws -> Int64? {
        let numbers: [Int64] = try all(LedgerSQL.firstNumber, [writer]) { row, types in
            try types.check()
            return try row.value("number")
        }
        return numbers.first
    }

    func chain(of writer: String) throws -> LedgerChain? {
        try Row.fetchOne(self, sql: LedgerSQL.chain, arguments: [writer]).map(LedgerChain.init)
    }

    func newestChain() throws -> LedgerChain? {
        try Row.fetchOne(self, sql: LedgerSQL.newestChain).map(LedgerChain.init)
    }

    /// The last record of a chain; `nil` when there is none.
    func head(of writer: String) throws -> LedgerChain.Head? {
        try head(LedgerSQL.head, [writer])
    }

    /// How far a chain is, also when all its records were deleted for their age.
    func headOrStump(of chain: LedgerChain) throws -> LedgerChain.Head {
        if let head = try head(of: chain.writer) { return head }
        let stump = try head(
            LedgerSQL.newestCheckpoint,
            [chain.writer, LedgerCheckpoint.Kind.retention.rawValue]
        )
        return stump ?? LedgerChain.Head(number: 0, hash: chain.beginning)
    }

    func head(_ sql: String, _ arguments: StatementArguments) throws -> LedgerChain.Head? {
        try Row.fetchOne(self, sql: sql, arguments: arguments).map { row in
            LedgerChain.Head(number: try row.value("number"), hash: Array(try row.value("hash", Data.self)))
        }
    }

    /// Records; exactly, as for ``chains(exactly:)``, where who asks knows the one at fault by the number that comes next.
    ///
    /// Else its name is told, and only the columns that the records are ordered by have to be of their types.
    func records(
        _ sql: String,
        _ arguments: StatementArguments,
        exactly: Bool = false
    ) throws -> [LedgerRecord] {
        try all(sql, arguments) { row, types in
            do {
                // What is converted as it is read is not what SQLite orders by: a page would begin with its last record again.
                try types.check(exactly ? nil : ["time", "writer", "number"])
                return try LedgerRecord(row)
            } catch let failure as StorageFailure where !exactly {
                let (number, writer): (DatabaseValue, DatabaseValue) = (row["number"], row["writer"])
                throw StorageFailure(failure.code, "record \(number) of chain \(writer): \(failure.detail)")
            }
        }
    }

    /// The record of a nonce: one, unless somebody tampered.
    func record(nonce: String) throws -> LedgerRecord? {
        // No nonce is shorter; and nothing at all would seem to be in every section.
        guard nonce.utf8.count > NonceSQL.prefix else { return nil }
        // A file of an earlier version may be read as it is.
        guard try tableExists("ledger_nonces") else { return try records(NonceSQL.anywhere, [nonce]).first }
        // Mostly it is of late.
        for chain in try chains().reversed() {
            if let record = try records(NonceSQL.inTail, [chain.writer, nonce]).first { return record }
        }
        let sections = try Row.fetchCursor(self, sql: NonceSQL.sections, arguments: [nonce])
        while let section = try sections.next() {
            let writer: String = try section.value("writer")
            let before: Int64 = try section.value("before")
            let last: Int64 = try section.value("number")
            if let record = try records(NonceSQL.inSection, [writer, before, last, nonce]).first { return record }
        }
        return nil
    }

    /// How the nonces of a chain begin that no section has yet, one after the other.
    func uncoveredNonces(of writer: String) throws -> [UInt8] {
        try String.fetchAll(self, sql: NonceSQL.uncovered, arguments: [writer]).flatMap(\.utf8)
    }

    func checkpoints(
        _ sql: String,
        _ arguments: StatementArguments,
        of writer: String,
        _ kind: LedgerCheckpoint.Kind
    ) throws -> [LedgerCheckpoint] {
        try all(sql, arguments) { row, types in
            try types.check()
            return LedgerCheckpoint(
                writer: writer,
                kind: kind,
                number: try row.value("number"),
                hash: Array(try row.value("hash", Data.self)),
                time: Timestamp(millisecondsSince1970: try row.value("time")),
                signature: Array(try row.value("signature", Data.self))
            )
        }
    }

    /// Reads all rows of a query, each where SQLite has it.
    private func all<Value>(
        _ sql: String,
        _ arguments: StatementArguments = StatementArguments(),
        _ read: (Row, ColumnTypes) throws -> Value
    ) throws -> [Value] {
        let statement = try cachedStatement(sql: sql)
        let types = ColumnTypes(statement)
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        var values: [Value] = []
        while let row = try rows.next() {
            values.append(try read(row, types))
        }
        return values
    }
}

extension Row {
    /// A column's text, with all its bytes: GRDB would read up to the first that is zero.
    fileprivate func text(_ column: String) throws -> String {
        guard let text = try optionalText(column) else { throw StorageFailure.malformed(column) }
        return text
    }

    /// A column's text, with all its bytes; `nil` for NULL.
    fileprivate func optionalText(_ column: String) throws -> String? {
        try withUnsafeData(named: column) { bytes in bytes.map { String(decoding: $0, as: UTF8.self) } }
    }
}

extension LedgerChain {
    fileprivate init(_ row: Row) throws {
        let number: Int64? = try row.optional("previous_number")
        let hash: Data? = try row.optional("previous_hash")
        self.init(
            writer: try row.text("writer"),
            startedAt: Timestamp(millisecondsSince1970: try row.value("started_at")),
            previousWriter: try row.optionalText("previous_writer"),
            previousHead: number.flatMap { number in hash.map { Head(number: number, hash: Array($0)) } }
        )
    }
}

extension LedgerRecord {
    fileprivate init(_ row: Row) throws {
        self.init(
            writer: try row.text("writer"),
            number: try row.value("number"),
            time: Timestamp(millisecondsSince1970: try row.value("time")),
            client: try row.text("client"),
            bundleId: try row.text("bundle_id"),
            productId: try row.text("product_id"),
            offerId: try row.text("offer_id"),
            format: try row.text("format"),
            keyIdentifier: try row.text("key_id"),
            nonce: try row.text("nonce"),
            timestamp: Timestamp(millisecondsSince1970: try row.value("timestamp")),
            reason: try row.text("reason"),
            evidence: try row.optionalText("evidence"),
            environment: try row.optionalText("environment"),
            originalTransactionId: try row.optionalText("original_transaction_id"),
            account: try row.optional("account", Data.self).map(Array.init),
            customer: Array(try row.value("customer", Data.self)),
            hash: Array(try row.value("hash", Data.self))
        )
    }
}
