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
    /// What was linked and is not written yet: of each record the values, as they were hashed, and then its hash.
    private(set) var message = CanonicalBytes(size: 2048)
    /// Whose records of which offers the ``message`` has, in their order.
    private(set) var waiting: [(customer: [UInt8], offer: OfferRequest)] = []
    /// SHA-256 with the title of records taken in.
    private let begun: SHA256

    /// Starts with what a database says of the chain.
    ///
    /// - Parameters:
    ///   - writer: The chain's writer.
    ///   - head: How far the chain is.
    ///   - digestKey: The key of the ledger's digests.
    /// - Throws: ``StorageFailure`` for a head with a number that no chain comes to, which could not be counted on from.
    init(writer: String, head: LedgerChain.Head, digestKey: DigestKey) throws(StorageFailure) {
        guard (0...Int64.max / 2).contains(head.number) else { throw StorageFailure.malformed("number") }
        self.writer = writer
        self.head = head
        self.digestKey = digestKey
        var begun = SHA256()
        CanonicalBytes(LedgerRecord.title).withUnsafeBytes { begun.update(bufferPointer: $0) }
        self.begun = begun
    }

    /// Whose a record is: the digests of its account and of its customer.
    struct Owner {
        let account: [UInt8]?
        let customer: [UInt8]
    }

    /// Whose the records of an entry's grant are.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - customer: The customer's digest.
    /// - Returns: The digests.
    mutating func owner(of entry: LedgerEntry, customer: [UInt8]) -> Owner {
        // Mostly the customer is the account, and has its digest.
        let isAccount = entry.account != .none && entry.customer == entry.account.payloadField
        return Owner(account: isAccount ? customer : accountDigest(of: entry), customer: customer)
    }

    /// Links a signature to the record before: its record comes to the ``message``, and the ``head`` is its own then.
    ///
    /// The values come as `LedgerRecord.write(to:after:)` writes them: whoever verifies finds any difference.
    ///
    /// - Parameters:
    ///   - signature: A signature of the grant.
    ///   - grant: The grant.
    ///   - entry: The entry that it belongs to.
    ///   - owner: Whose the record is.
    mutating func link(
        _ signature: OfferGrant.Signature,
        of grant: OfferGrant,
        in entry: LedgerEntry,
        _ owner: Owner
    ) {
        let start = message.count
        message.append(head.hash)
        message.append(writer)
        message.append(head.number + 1)
        message.append(entry.time.millisecondsSince1970)
        message.append(entry.client)
        message.append(entry.bundleId)
        message.append(grant.offer.productId)
        message.append(grant.offer.offerId)
        message.append(signature.form.rawValue)
        message.append(signature.keyIdentifier)
        message.append(signature.nonce.text)
        message.append(signature.timestamp.millisecondsSince1970)
        message.append(grant.reason)
        message.append(entry.evidence?.rawValue)
        message.append(entry.environment?.rawValue)
        message.append(grant.originalTransactionId)
        message.append(owner.account)
        message.append(owner.customer)
        var hash = begun
        message.withUnsafeBytes(from: start) { hash.update(bufferPointer: $0) }
        head.number += 1
        head.hash = hash.finalize().withUnsafeBytes { Array($0) }
        message.append(head.hash)
        waiting.append((owner.customer, grant.offer))
    }

    /// Whether a customer's record of an offer is among those that are not written yet.
    func isWaiting(_ customer: [UInt8], _ offer: OfferRequest) -> Bool {
        waiting.contains { $0.customer == customer && $0.offer == offer }
    }

    /// Takes away what was linked, once it is written.
    mutating func removeWaiting() {
        message.removeAll()
        waiting.removeAll(keepingCapacity: true)
    }

    /// The records of a grant, one for each signature, each linked to the one before.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - entry: The entry that it belongs to.
    ///   - customer: The customer's digest.
    /// - Returns: The records.
    mutating func records(of grant: OfferGrant, in entry: LedgerEntry, customer: [UInt8]) -> [LedgerRecord] {
        let owner = owner(of: entry, customer: customer)
        var records: [LedgerRecord] = []
        for signature in grant.signatures {
            link(signature, of: grant, in: entry, owner)
            records.append(
                LedgerRecord(
                    writer: writer,
                    number: head.number,
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
                    account: owner.account,
                    customer: owner.customer,
                    hash: head.hash
                )
            )
        }
        // They are written as what they are.
        removeWaiting()
        return records
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
