import Crypto
package import Offers

/// A signature as the ledger keeps it: a link of its writer's chain.
package struct LedgerRecord: Equatable, Sendable {
    package var writer: String
    /// Its place in the chain, from 1 on.
    package var number: Int64
    package var time: Timestamp
    package var client: String
    package var bundleId: String
    package var productId: String
    package var offerId: String
    package var format: String
    package var keyIdentifier: String
    /// The one-time UUID that was signed.
    package var nonce: String
    /// The moment that was signed.
    package var timestamp: Timestamp
    /// Why the customer might have it.
    package var reason: String
    /// The kind of the evidence; `nil` when the request carried none.
    package var evidence: String?
    package var environment: String?
    package var originalTransactionId: String?
    /// The account's digest; `nil` when none was signed.
    package var account: [UInt8]?
    /// The digest of the customer, by which limits count.
    package var customer: [UInt8]
    /// The SHA-256 of the record and of the hash before it.
    package var hash: [UInt8]

    /// What begins the bytes that are hashed.
    static let title = "offer-signer ledger record 1"

    /// The hash that the record has to have after that of the record before, or of its chain's beginning.
    func computedHash(after previous: [UInt8]) -> [UInt8] {
        var message = CanonicalBytes(Self.title)
        write(to: &message, after: previous)
        return Array(SHA256.hash(data: message.bytes))
    }

    var head: LedgerChain.Head { LedgerChain.Head(number: number, hash: hash) }

    /// Whether it comes next in a chain, by its number and its hash.
    func follows(_ head: LedgerChain.Head) -> Bool {
        number == head.number + 1 && hash == computedHash(after: head.hash)
    }

    /// Writes what is hashed: the hash before it, and then the values.
    func write(to message: inout CanonicalBytes, after previous: [UInt8]) {
        message.append(previous)
        appendValues(to: &message)
    }

    /// Appends all values but the hash, in the order of `LedgerSQL.recordColumns`.
    func appendValues(to message: inout some LedgerValues) {
        message.append(writer)
        message.append(number)
        message.append(time.millisecondsSince1970)
        message.append(client)
        message.append(bundleId)
        message.append(productId)
        message.append(offerId)
        message.append(format)
        message.append(keyIdentifier)
        message.append(nonce)
        message.append(timestamp.millisecondsSince1970)
        message.append(reason)
        message.append(evidence)
        message.append(environment)
        message.append(originalTransactionId)
        message.append(account)
        message.append(customer)
    }
}

/// Takes the values of a record one after the other, to hash them or to put them into a row.
protocol LedgerValues {
    mutating func append(_ number: Int64)
    mutating func append(_ text: String?)
    mutating func append(_ bytes: [UInt8]?)
}

/// A place in the order of records by time.
package struct LedgerPlace: Equatable, Sendable {
    let time: Timestamp
    let writer: String
    let number: Int64

    /// The place before all records of a moment.
    package init(before time: Timestamp) {
        self.time = time
        writer = ""
        number = 0
    }

    package init(of record: LedgerRecord) {
        time = record.time
        writer = record.writer
        number = record.number
    }
}
