import Offers

/// What a walk along the ledger found.
package struct LedgerVerification: Sendable {
    /// What is wrong with a chain, at the first place where anything is.
    package struct Fault: Error, Sendable, CustomStringConvertible {
        /// The chain's writer; `nil` when the ledger as a whole is at fault.
        package let writer: String?
        /// The first record that is broken or missing; `nil` when the whole chain is.
        package let number: Int64?
        /// What is wrong with it.
        package let detail: String

        /// The fault in a line.
        package var description: String {
            guard let writer else { return "the ledger: \(detail)" }
            return number.map { "record \($0) of chain \(writer): \(detail)" } ?? "chain \(writer): \(detail)"
        }
    }

    /// How many chains there are.
    package internal(set) var chains = 0
    /// How many records were found in order.
    package internal(set) var records = 0
    /// How many records come after what the newest checkpoint covers: were the last of them missing, nobody could tell.
    package internal(set) var uncovered = 0
    /// The newest checkpoint; `nil` where there is none.
    package internal(set) var checkpoint: LedgerCheckpoint?
    /// What a later verification can be held against.
    package internal(set) var anchor = LedgerAnchor()
    /// What the database lost, as whoever had written it says; it is no fault.
    package internal(set) var losses: [LedgerLoss] = []
    /// What is wrong, for each chain the first.
    package internal(set) var faults: [Fault] = []
}

/// What a ledger was when it was verified: held against it, a later one cannot have lost anything of that.
package struct LedgerAnchor: Equatable, Sendable {
    /// How many chains there were.
    package var chains = 0
    /// The writer of the chain that had begun last; empty where there was none.
    package var newest = ""
    /// The chains that had no end, by their writers, and how far they were.
    package var open: [String: LedgerChain.Head] = [:]

    /// A ledger with nothing in it.
    package init() {}
}
