import Crypto
import Offers

/// What entries become when they are written: records of one chain, linked to each other.
///
/// It holds how far the chain is while a transaction is open; the committing store keeps the ``head``.
struct ChainWriter {
    let writer: String
    /// How far the chain is with all that was linked.
    private(set) var head: LedgerChain.Head
    private let digestKey: DigestKey
    /// The digest that was made last: the grants of an entry have one account.
    private var lastAccount: (account: Account, bundleId: String, digest: [UInt8]?)?
    /// The values of the record that is hashed: its memory is taken once.
    private var message = CanonicalBytes(size: 1024)
    /// SHA-256 with the title of records taken in.
    private let begun: SHA256

    /// Starts with what a database says of the chain.
    init(writer: String, head: LedgerChain.Head, digestKey: DigestKey) throws(StorageFailure) {
        guard (0...Int64.max / 2).contains(head.number) else { throw StorageFailure.malformed("number") }
        self.writer = writer
        self.head = head
        self.digestKey = digestKey
        var begun = SHA256()
        CanonicalBytes(LedgerRecord.title).withUnsafeBytes { begun.update(bufferPointer: $0) }
        self.begun = begun
    }

    /// Adds the records of a grant, one for each signature, each linked to the one before.
    mutating func add(
        _ grant: OfferGrant,
        in entry: LedgerEntry,
        customer: [UInt8],
        to records: inout [LedgerRecord]
    ) {
        // Mostly the customer is the account, and has its digest.
        let isAccount = entry.account != .none && entry.customer == entry.account.payloadField
        let account = isAccount ? customer : accountDigest(of: entry)
        for signature in grant.signatures {
            let record = LedgerRecord(
                writer: writer,
                number: 0,
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
            records.append(link(record))
        }
    }

    /// Makes a record the next one of the chain: with its number and its hash.
    mutating func link(_ record: consuming LedgerRecord) -> LedgerRecord {
        record.number = head.number + 1
        message.removeAll()
        record.write(to: &message, after: head.hash)
        var hash = begun
        message.withUnsafeBytes { hash.update(bufferPointer: $0) }
        record.hash = hash.finalize().withUnsafeBytes { Array($0) }
        head = record.head
        return record
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
