import Crypto
import Offers

/// One walk along one chain, which ends at its end or at the first fault.
struct ChainWalk {
    /// The last record that was found in order.
    private(set) var last: LedgerChain.Head
    private(set) var records = 0
    private(set) var configurations = 0
    /// The last record that was deleted for its age.
    private(set) var start: Int64 = 0

    private let database: any SQLDatabase
    private let key: P256.Signing.PublicKey
    private let chain: LedgerChain
    /// The statement that the chain ended; `nil` where it may still grow.
    private let end: LedgerStatement?
    /// How far the chain was, by what was signed of it.
    private let marks: [LedgerChain.Head]
    /// The last record up to which nothing that was signed speaks against the chain.
    private var agreed: Int64 = 0
    /// Whether the last record that was found in order was read, and is not only said to have been deleted.
    private var isLastRead = false
    private var step = 500

    init(
        _ database: any SQLDatabase,
        _ key: P256.Signing.PublicKey,
        _ chain: LedgerChain,
        end: LedgerStatement?,
        marks: [LedgerChain.Head]
    ) {
        self.database = database
        self.key = key
        self.chain = chain
        self.end = end
        self.marks = (marks + (end.map { [$0.head] } ?? [])).sorted { $0.number < $1.number }
        last = LedgerChain.Head(number: 0, hash: chain.beginning)
    }

    mutating func walk() throws {
        try beginAfterStump()
        try checkBeginning()
        try compareMarks()
        while true {
            guard let next = try nextRecords() else { continue }
            let before = last.number
            for record in next { try step(to: record) }
            if last.number == before { break }
        }
        if let mark = marks.last, mark.number > last.number {
            // It may have been deleted, by the rules, while this walk was on its way.
            try beginAfterStump()
            guard mark.number <= last.number else {
                throw fault(last.number + 1, "is missing: it is signed that there were \(mark.number)")
            }
        }
    }

    /// The next page; `nil` when a row on it is no record: the good ones before it come one by one from then on.
    ///
    /// The last record of the page before is read again, in case that there are two of its number.
    private mutating func nextRecords() throws -> [LedgerRecord]? {
        do throws(StorageFailure) {
            guard isLastRead else { return try database.records(of: chain.writer, after: last.number, limit: step) }
            let page = try database.records(of: chain.writer, after: last.number - 1, limit: step + 1)
            return page.first?.number == last.number ? Array(page.dropFirst()) : page
        } catch {
            guard error.code == .malformed else { throw error }
            if step == 1 { throw fault(last.number + 1, "is no record: \(error.detail)") }
            step = 1
            return nil
        }
    }

    private mutating func step(to record: LedgerRecord) throws {
        if record.number == last.number, isLastRead { throw fault(record.number, "is there twice") }
        if record.number <= last.number { return }
        if record.number != last.number + 1 {
            // Old records may have been deleted, by the rules, while this walk was on its way: this one, too.
            try beginAfterStump()
            if record.number <= last.number { return }
            guard record.number == last.number + 1 else { throw fault(last.number + 1, "is missing") }
        }
        guard record.hash == record.computedHash(after: last.hash) else {
            throw fault(record.number, "was changed, or does not belong after the one before it")
        }
        if let end, record.number > end.head.number {
            throw fault(record.number, "was put in: it is signed that the chain ended with \(end.head.number)")
        }
        if record.isConfiguration, try !database.hasText(of: record) {
            throw fault(record.number, "is of a configuration whose text was changed, or is missing")
        }
        last = record.head
        isLastRead = true
        if record.isConfiguration { configurations += 1 } else { records += 1 }
        try compareMarks()
    }

    /// Looks for records before the one that is the first: the walk would not come by them.
    private func checkBeginning() throws {
        guard let first = try database.firstNumber(of: chain.writer), first <= last.number else { return }
        throw fault(first, first < 1 ? "was inserted: a chain begins with record 1" : "is there though it was deleted")
    }

    /// Begins where retention ended, when it has deleted anything.
    private mutating func beginAfterStump() throws {
        guard let stump = try database.stump(of: chain.writer), stump.head.number > last.number else { return }
        guard stump.isSigned(by: key, of: chain) else {
            throw fault(
                stump.head.number,
                "is said to have been deleted for its age, but not by the checkpoint key, or how its chain began was "
                    + "changed since"
            )
        }
        last = stump.head
        start = stump.head.number
        agreed = start
        isLastRead = false
        try compareMarks()
    }

    private mutating func compareMarks() throws {
        for mark in marks where mark.number == last.number {
            guard mark.hash == last.hash else {
                throw fault(
                    agreed + 1,
                    "or one after it, up to \(last.number), was changed, with all the hashes after it: it is signed that "
                        + "record \(last.number) was another"
                )
            }
            agreed = last.number
        }
    }

    private func fault(_ number: Int64, _ detail: String) -> LedgerVerification.Fault {
        LedgerVerification.Fault(writer: chain.writer, number: number, detail: detail)
    }
}
