import Foundation
import GRDB
import Offers

/// The ledger's statements, with their values.
extension Database {
    func insert(_ record: LedgerRecord) throws {
        let statement = try cachedStatement(sql: LedgerSQL.insertRecord)
        // Unchecked, as their number is that of the columns, always: this is what each signature costs.
        statement.setUncheckedArguments([
            record.writer, record.number, record.time.millisecondsSince1970, record.client, record.bundleId,
            record.productId, record.offerId, record.format, record.keyIdentifier, record.nonce,
            record.timestamp.millisecondsSince1970, record.reason, record.evidence, record.environment,
            record.originalTransactionId, record.account.map { Data($0) }, Data(record.customer), Data(record.hash),
        ])
        try statement.execute()
    }

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

    /// How many signatures of an offer a customer got within the limit's period: those in the ledger, and those that the
    /// subscription redeemed though they are not in it.
    func signatures(
        of offer: OfferRequest,
        _ customer: [UInt8],
        _ subscription: PresentedSubscription?,
        _ limit: SignatureLimit,
        at now: Timestamp
    ) throws -> Int {
        let start = limit.start(at: now).millisecondsSince1970
        let signed = try count(LedgerSQL.signatureCount, [Data(customer), offer.productId, offer.offerId, start])
        guard let subscription else { return signed }
        let redeemed = try count(
            RedemptionSQL.countUnsigned,
            [
                subscription.bundleId, subscription.environment, subscription.originalTransactionId, offer.productId,
                offer.offerId, start,
            ]
        )
        return signed + redeemed
    }

    /// For whom a subscription was presented, seen from a customer, and when last for this one.
    func presentations(
        of subscription: PresentedSubscription,
        _ customer: [UInt8],
        at now: Timestamp
    ) throws -> (LedgerStanding.Presentations, lastSeen: Timestamp?) {
        let row = try Row.fetchOne(
            cachedStatement(sql: LedgerSQL.presentations),
            arguments: [
                Data(customer), subscription.bundleId, subscription.environment, subscription.originalTransactionId,
                EvidenceSharing.start(at: now).millisecondsSince1970,
            ]
        )
        let lastSeen = (row?[1] as Int64?).map { Timestamp(millisecondsSince1970: $0) }
        return (LedgerStanding.Presentations(others: row?[0] ?? 0, isKnown: lastSeen != nil), lastSeen)
    }

    func note(_ subscription: PresentedSubscription, for customer: [UInt8], at time: Timestamp) throws {
        try cachedStatement(sql: LedgerSQL.insertPresentation).execute(
            arguments: [
                subscription.bundleId, subscription.environment, subscription.originalTransactionId, Data(customer),
                time.millisecondsSince1970,
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
        guard let stump else { return 0 }
        try insert(try keys.checkpoint(.retention, of: writer, at: stump, time: now))
        try execute(sql: LedgerSQL.deleteRecords, arguments: [writer, stump.number])
        let count = changesCount
        try execute(sql: LedgerSQL.deleteCheckpoints, arguments: [writer, stump.number])
        return count
    }

    private func count(_ sql: String, _ arguments: StatementArguments) throws -> Int {
        try Int.fetchOne(cachedStatement(sql: sql), arguments: arguments) ?? 0
    }
}
