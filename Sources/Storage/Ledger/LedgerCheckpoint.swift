import Crypto
package import Offers

/// A signed statement about the whole ledger: which chains it has, and how far those are that may still grow.
///
/// There is one, the newest. It is signed every second in which anything was recorded, and in the transaction of each
/// chain's beginning and end.
package struct LedgerCheckpoint: Equatable, Sendable {
    var chains: Int64 = 0
    /// The writer of the chain that began last; empty where there is none.
    var newest = ""
    /// The chains that have no end yet, by their writers, and how far they are.
    var open: [String: LedgerChain.Head] = [:]
    package var time = Timestamp(millisecondsSince1970: 0)
    /// The signature, ASN.1 DER, by ECDSA with P-256 and SHA-256.
    package var signature: [UInt8] = []

    /// The open chains as text: a line for each, in the order of their writers, with the number and hash of the last record.
    var openText: String {
        open.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value.number) \(Hexadecimal.text($0.value.hash))" }
            .joined(separator: "\n")
    }

    /// Reads the open chains; `nil` where it is no such text.
    static func open(_ text: String) -> [String: LedgerChain.Head]? {
        var open: [String: LedgerChain.Head] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let number = Int64(words[1]), let hash = Hexadecimal.bytes(String(words[2])) else {
                return nil
            }
            open[String(words[0])] = LedgerChain.Head(number: number, hash: hash)
        }
        return open
    }

    /// The values that are stored, and signed.
    var values: [SQLValue] { [.integer(chains), .text(newest), .text(openText), .time(time)] }

    private var message: [UInt8] { CanonicalBytes("offer-signer ledger checkpoint 1", values).bytes }

    mutating func sign(with keys: LedgerKeys, at time: Timestamp) throws(StorageFailure) {
        self.time = time
        signature = try keys.sign(message)
    }

    func isSigned(by key: P256.Signing.PublicKey) -> Bool { key.isSignature(signature, of: message) }
}
