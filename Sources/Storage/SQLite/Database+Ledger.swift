import Foundation
import GRDB
import Offers

/// What is written to the ledger now and then.
extension Database {
    func insert(_ chain: LedgerChain) throws {
        try execute(
            sql: LedgerSQL.insertChain,
            arguments: [
                chain.writer, chain.startedAt.millisecondsSince1970, chain.previousWriter, chain.previousHead?.number,
                chain.previousHead.map { Data($0.hash) }, chain.startedAt.millisecondsSince1970,
            ]
        )
    }

    func insert(_ checkpoint: LedgerCheckpoint) throws {
        try execute(
            sql: LedgerSQL.insertCheckpoint,
            arguments: [
                checkpoint.writer, checkpoint.kind.rawValue, checkpoint.number, Data(checkpoint.hash),
                checkpoint.time.millisecondsSince1970, Data(checkpoint.signature),
            ]
        )
    }

    /// Deletes some of the oldest records of a chain, and leaves a signed statement of how far.
    func deleteSome(
        of writer: String,
        before limit: Timestamp,
        _ keys: LedgerKeys,
        _ now: Timestamp
    ) throws -> Int {
        let oldest = try Row.fetchAll(cachedStatement(sql: LedgerSQL.oldestRecords), arguments: [writer])
        var stump: LedgerChain.Head?
        for row in oldest {
            let time: Int64 = try row.value("time")
            guard time < limit.millisecondsSince1970 else { break }
            stump = LedgerChain.Head(number: try row.value("number"), hash: Array(try row.value("hash", Data.self)))
        }
        guard let stump, let chain = try chain(of: writer) else { return 0 }
        // With the record that led to it, nothing else would tell how the chain began.
        try insert(
            try keys.checkpoint(.retention, of: writer, at: stump, time: now, beginning: chain.beginning)
        )
        try execute(sql: LedgerSQL.deleteRecords, arguments: [writer, stump.number])
        let count = changesCount
        try execute(sql: NonceSQL.delete, arguments: [writer, stump.number])
        try execute(sql: LedgerSQL.deleteCheckpoints, arguments: [writer, stump.number])
        return count
    }
}
