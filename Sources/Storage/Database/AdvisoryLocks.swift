import Crypto

/// The keys of locks, those of one transaction at a time among all services that share a database.
enum AdvisoryLocks {
    /// The lock of whoever makes the tables: "OfferSgn" in ASCII, so that another program on the server hardly uses the same.
    static let migration: Int64 = 0x4F66_6665_7253_676E
    /// The lock of whoever signs what the ledger's chains are: "OfferChn".
    static let chains: Int64 = 0x4F66_6665_7243_686E
    /// The lock of whoever deletes old records: "OfferDel".
    static let deletion: Int64 = 0x4F66_6665_7244_656C

    /// The key of what a lock stands for, 64 bits of a SHA-256; two that share one only wait for each other.
    static func key(_ name: [UInt8]) -> Int64 {
        SHA256.hash(data: name).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The key of the lock of a writer of the ledger.
    static func key(ofWriter writer: String) -> Int64 { key(Array("offer-signer ledger writer\n\(writer)".utf8)) }
}
