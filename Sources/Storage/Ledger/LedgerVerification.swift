import Offers

/// The findings of a walk along the ledger.
package struct LedgerVerification: Sendable {
    /// The first fault of a chain.
    package struct Fault: Error, Sendable, CustomStringConvertible {
        /// `nil` when the ledger as a whole is at fault.
        package let writer: String?
        /// The first record that is broken or missing; `nil` when the whole chain is.
        package let number: Int64?
        package let detail: String

        package var description: String {
            guard let writer else { return "the ledger: \(detail)" }
            return number.map { "record \($0) of chain \(writer): \(detail)" } ?? "chain \(writer): \(detail)"
        }
    }

    package internal(set) var chains = 0
    /// Of signatures.
    package internal(set) var records = 0
    package internal(set) var configurations = 0
    /// How many records come after what the newest checkpoint covers: were the last of them missing, nobody could tell.
    package internal(set) var uncovered = 0
    package internal(set) var checkpoint: LedgerCheckpoint?
    /// The anchor that a later verification can be compared with.
    package internal(set) var anchor = LedgerAnchor()
    /// The records that the database lost, as their writers say; a loss is no fault.
    package internal(set) var losses: [LedgerLoss] = []
    /// The changes of the checkpoint key.
    package internal(set) var keyChanges: [LedgerKeyChange] = []
    /// The faults, for each chain the first.
    package internal(set) var faults: [Fault] = []

    /// Adds what the tables have that nobody made, or lack, before all other faults.
    package mutating func add(differences: [String]) {
        faults = differences.map { Fault(writer: nil, number: nil, detail: "its tables: \($0)") } + faults
    }
}

/// The extent of a ledger when it was verified: a later verification that is given it finds any loss since.
package struct LedgerAnchor: Equatable, Sendable {
    package var chains = 0
    /// The writer of the chain that had begun last; empty where there was none.
    package var newest = ""
    /// The chains that had no end, by their writers, and how far they were.
    package var open: [String: LedgerChain.Head] = [:]

    package init() {}
}
