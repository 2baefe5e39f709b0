/// What a walk along the ledger found.
public struct LedgerVerification: Sendable {
    /// What is wrong with a chain, at the first place where anything is.
    public struct Fault: Sendable, CustomStringConvertible {
        /// The chain's writer.
        public let writer: String
        /// The first record that is broken or missing; `nil` when the whole chain is.
        public let number: Int64?
        /// What is wrong with it.
        public let detail: String

        /// The fault in a line.
        public var description: String {
            number.map { "record \($0) of chain \(writer): \(detail)" } ?? "chain \(writer): \(detail)"
        }
    }

    /// How many chains there are.
    public internal(set) var chains = 0
    /// How many records were found in order.
    public internal(set) var records = 0
    /// How many checkpoints were found in order.
    public internal(set) var checkpoints = 0
    /// How many records come after the last checkpoint of their chain: were the last of them missing, nobody could tell.
    public internal(set) var uncovered = 0
    /// What is wrong, for each chain the first.
    public internal(set) var faults: [Fault] = []
}
