import Crypto
import Offers

/// One walk along one chain, which ends at its end or at the first fault.
struct ChainWalk<Archive: LedgerArchive> {
    /// The last record that was found in order.
    private(set) var last: LedgerChain.Head
    /// How many records were found in order.
    private(set) var records = 0
    /// How many checkpoints were found in order.
    private(set) var checkpoints = 0
    /// The last record that a checkpoint covers.
    private(set) var covered: Int64 = 0

    private let archive: Archive
    private let key: P256.Signing.PublicKey
    private let page: Int
    private var step: Int
    private let writer: String
    /// The hash of the chain's beginning, by what is said of that now.
    private let beginning: [UInt8]
    /// Whether the last record that was found in order was read, and is no more than told of by who deleted it.
    private var isLastRead = false
    /// How far the chain was when others began.
    private let marks: [LedgerChain.Head]
    /// Checkpoints that are still ahead.
    private var ahead: [LedgerCheckpoint] = []
    private var aheadFrom: Int64 = 0
    private var hasMoreAhead = true

    init(
        _ archive: Archive,
        _ key: P256.Signing.PublicKey,
        page: Int,
        _ chain: LedgerChain,
        marks: [LedgerChain.Head]
    ) {
        self.archive = archive
        self.key = key
        self.page = page
        step = page
        writer = chain.writer
        beginning = chain.beginning
        last = LedgerChain.Head(number: 0, hash: chain.beginning)
        self.marks = marks
    }

    /// Walks.
    ///
    /// - Throws: `LedgerVerification.Fault` for the first fault; ``StorageFailure``.
    mutating func walk() throws {
        try beginAfterStump()
        try checkBeginning()
        try compareMarks()
        while true {
            // Before the records: what a checkpoint covers was there when it was written.
            try readAhead()
            guard let next = try nextRecords() else { continue }
            let before = last.number
            for record in next { try step(to: record) }
            if last.number == before { break }
        }
        if let checkpoint = ahead.first {
            throw fault(
                last.number + 1,
                "is missing, and all after it: a checkpoint of \(checkpoint.time.rfc3339) says that there were "
                    + "\(checkpoint.number)"
            )
        }
        if let mark = marks.map(\.number).max(), mark > last.number {
            throw fault(last.number + 1, "is missing: there were \(mark) when the next chain began")
        }
    }

    /// The next page; `nil` when a row on it is no record: the good ones before it come one by one from then on.
    ///
    /// The last record of the page before is read again, in case that there are two of its number.
    private mutating func nextRecords() throws -> [LedgerRecord]? {
        do throws(StorageFailure) {
            guard isLastRead else { return try archive.records(of: writer, after: last.number, limit: step) }
            let page = try archive.records(of: writer, after: last.number - 1, limit: step + 1)
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
        last = LedgerChain.Head(number: record.number, hash: record.hash)
        isLastRead = true
        records += 1
        try compareCheckpoints()
        try compareMarks()
    }

    /// Looks for records before the one that is the first: the walk would not come by them.
    private func checkBeginning() throws {
        guard let first = try archive.firstNumber(of: writer), first <= last.number else { return }
        throw fault(first, first < 1 ? "was inserted: a chain begins with record 1" : "is there though it was deleted")
    }

    /// Begins where retention ended, when it has deleted anything.
    private mutating func beginAfterStump() throws {
        var stump: LedgerCheckpoint?
        while true {
            let from = stump?.number ?? 0
            let found = try archive.checkpoints(.retention, of: writer, after: from, limit: page)
            guard let newest = found.last else { break }
            stump = newest
        }
        guard let stump, stump.number > last.number else { return }
        guard stump.isSigned(by: key, beginning: beginning) else {
            throw fault(
                stump.number,
                "is said to have been deleted for its age, but not by the checkpoint key, or how its chain began was "
                    + "changed since: a chain before it may be missing"
            )
        }
        last = LedgerChain.Head(number: stump.number, hash: stump.hash)
        isLastRead = false
        covered = max(covered, stump.number)
    }

    private mutating func readAhead() throws {
        guard ahead.isEmpty else { return }
        ahead = try archive.checkpoints(.checkpoint, of: writer, after: max(last.number, aheadFrom), limit: page)
        aheadFrom = ahead.last?.number ?? aheadFrom
        hasMoreAhead = ahead.count == page
    }

    private mutating func compareCheckpoints() throws {
        if ahead.isEmpty, hasMoreAhead { try readAhead() }
        while let checkpoint = ahead.first, checkpoint.number <= last.number {
            ahead.removeFirst()
            guard checkpoint.number == last.number else { continue }
            guard checkpoint.isSigned(by: key) else {
                throw fault(checkpoint.number, "has a checkpoint that is not by the checkpoint key")
            }
            guard checkpoint.hash == last.hash else {
                throw fault(
                    covered + 1,
                    "or one after it, up to \(last.number), was changed, with all the hashes after it"
                )
            }
            covered = checkpoint.number
            checkpoints += 1
        }
    }

    private func compareMarks() throws {
        for mark in marks where mark.number == last.number && mark.hash != last.hash {
            throw fault(max(last.number, 1), "or one before it was changed: the next chain began after another")
        }
    }

    private func fault(_ number: Int64, _ detail: String) -> LedgerVerification.Fault {
        LedgerVerification.Fault(writer: writer, number: number, detail: detail)
    }
}
