import Crypto
import Offers

/// What entries become when they are written: records of one chain, linked to each other.
///
/// It holds how far the chain is while a transaction is open; whoever commits it keeps the ``head``.
struct LedgerWork {
    /// The chain's writer.
    let writer: String
    /// How far the chain is with all that was linked.
    private(set) var head: LedgerChain.Head
    private let digestKey: DigestKey
    /// The digest that was made last: the grants of an entry have one account.
    private var lastAccount: (account: Account, bundleId: String, digest: [UInt8]?)?
    /// What is hashed: one memory for all records.
    private var message = CanonicalBytes(LedgerRecord.title)

    init(writer: String, head: LedgerChain.Head, digestKey: DigestKey) {
        self.writer = writer
        self.head = head
        self.digestKey = digestKey
    }

    /// The records of a grant, each linked to the one before.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - entry: The entry that it belongs to.
    ///   - customer: The customer's digest.
    /// - Returns: The records, one for each signature.
    mutating func records(of grant: OfferGrant, in entry: LedgerEntry, customer: [UInt8]) -> [LedgerRecord] {
        var records: [LedgerRecord] = []
        link(grant, in: entry, customer: customer) { record, _ in records.append(record) }
        return records
    }

    /// Makes the records of a grant, one for each signature, each linked to the one before.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - entry: The entry that it belongs to.
    ///   - customer: The customer's digest.
    ///   - take: Takes a record, and the bytes that were hashed.
    /// - Throws: What `take` throws.
    mutating func link<Failure: Error>(
        _ grant: OfferGrant,
        in entry: LedgerEntry,
        customer: [UInt8],
        _ take: (LedgerRecord, CanonicalBytes) throws(Failure) -> Void
    ) throws(Failure) {
        // Mostly the customer is the account, and has its digest.
        let isAccount = entry.account != .none && entry.customer == entry.account.payloadField
        let account = isAccount ? customer : accountDigest(of: entry)
        for signature in grant.signatures {
            var record = LedgerRecord(
                writer: writer,
                number: head.number + 1,
                time: entry.time,
                client: entry.client,
                bundleId: entry.bundleId,
                productId: grant.offer.productId,
                offerId: grant.offer.offerId,
                format: signature.form.rawValue,
                keyIdentifier: signature.keyIdentifier,
                nonce: signature.nonce.text,
                timestamp: signature.timestamp,
                reason: grant.reason,
                evidence: entry.evidence?.rawValue,
                environment: entry.environment?.rawValue,
                originalTransactionId: grant.originalTransactionId,
                account: account,
                customer: customer,
                hash: []
            )
            message.removeValues()
            record.write(to: &message, after: head.hash)
            record.hash = Array(SHA256.hash(data: message.bytes))
            head = LedgerChain.Head(number: record.number, hash: record.hash)
            try take(record, message)
        }
    }

    private mutating func accountDigest(of entry: LedgerEntry) -> [UInt8]? {
        if let lastAccount, lastAccount.account == entry.account, lastAccount.bundleId == entry.bundleId {
            return lastAccount.digest
        }
        let digest = digestKey.digest(of: entry.account, bundleId: entry.bundleId)
        lastAccount = (entry.account, entry.bundleId, digest)
        return digest
    }
}
