import Offers

/// How far this process saw each chain, its own and others': a database that has less was set back.
struct SeenHeads: Sendable {
    /// The most chains that have ended and are remembered.
    private static let mostEnded = 64

    private(set) var heads: [String: LedgerChain.Head] = [:]

    struct Look: Sendable {
        /// How far the open chains are.
        var open: [String: LedgerChain.Head] = [:]
        /// The chains that no longer have the record that was seen last.
        var lost: [String: LedgerChain.Head] = [:]
        /// The chains that stand where they stood, beyond the newest checkpoint: their writers sign nothing any more.
        var left: [String] = []
    }

    mutating func record(_ head: LedgerChain.Head, of writer: String) {
        if head.number > 0 { heads[writer] = head }
    }

    /// Remembers what was found, and no longer what is lost.
    mutating func update(with look: Look) {
        for writer in look.lost.keys { heads[writer] = nil }
        for (writer, head) in look.open where look.lost[writer] == nil { record(head, of: writer) }
        let ended = heads.keys.filter { look.open[$0] == nil }
        for writer in ended.dropFirst(Self.mostEnded) { heads[writer] = nil }
    }

    /// Compares it with a database, in a transaction or a look at one moment.
    ///
    /// Of this writer's own chain it remembers what it has written, and nothing else.
    func compare(with session: any Session, own: String, keys: LedgerKeys) throws(StorageFailure) -> Look {
        let covered = try session.checkpoints().first?.open ?? [:]
        let (open, seen) = (covered.keys.sorted(), heads.sorted { $0.key < $1.key })
        let answers = try session.run(
            seen.map { SQLCall(LedgerSQL.hash, .text($0.key), .integer($0.value.number)) }
                + open.map { SQLCall(LedgerSQL.head, .text($0)) }
        )
        var look = Look()
        for ((writer, head), rows) in zip(seen, answers) {
            if rows.count > 0, try rows.bytes(0, 0) == head.hash { continue }
            if try !session.has(head, of: writer, by: keys) { look.lost[writer] = head }
        }
        for (writer, rows) in zip(open, answers.dropFirst(seen.count)) {
            guard writer != own else {
                look.open[own] = heads[own]
                continue
            }
            guard let head = try rows.head() else { continue }
            look.open[writer] = head
            let isStanding = heads[writer] == head && head.number > covered[writer]?.number ?? 0
            if isStanding { look.left.append(writer) }
        }
        return look
    }
}

extension Session {
    /// Whether a chain has a record, or has had it until it was deleted for its age.
    func has(_ head: LedgerChain.Head, of writer: String, by keys: LedgerKeys) throws(StorageFailure) -> Bool {
        let rows = try run(LedgerSQL.hash, .text(writer), .integer(head.number))
        if rows.count > 0, try rows.bytes(0, 0) == head.hash { return true }
        guard rows.count == 0, let chain = try chain(of: writer) else { return false }
        return try statement(.retention, of: chain, by: keys).map { $0.head.number >= head.number } ?? false
    }
}
