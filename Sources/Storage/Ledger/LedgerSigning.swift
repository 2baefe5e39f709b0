import Offers

/// What signs the ledger's statements, in a transaction that nobody else signs in at the same time.
///
/// Nothing is signed that somebody else may have put into the database: it goes on from the newest checkpoint, which has to
/// be by the checkpoint key, and every open chain has to go on from where that says it was.
struct LedgerSigning {
    private let session: any Session
    private var keys: LedgerKeys
    private let now: Timestamp
    private var checkpoint: LedgerCheckpoint

    init(_ session: any Session, keys: LedgerKeys, now: Timestamp) throws(StorageFailure) {
        self.session = session
        self.keys = keys
        self.now = now
        try session.lock(LockRows.chains)
        let found = try session.checkpoints()
        if let checkpoint = found.first {
            guard found.count == 1, checkpoint.isSigned(by: keys.checkpointKey) else {
                try keys.checkIsNewest(session)
                throw Self.changed("its checkpoint is not by the checkpoint key")
            }
            self.checkpoint = checkpoint
        } else {
            guard try session.run("SELECT 1 FROM ledger_chains LIMIT 1").count == 0 else {
                throw Self.changed("its checkpoint is missing")
            }
            checkpoint = LedgerCheckpoint()
        }
    }

    var isBegun: Bool { !checkpoint.signature.isEmpty }

    var openWriters: [String] { checkpoint.open.keys.sorted() }

    func isOpen(_ writer: String) -> Bool { checkpoint.open[writer] != nil }

    /// How far an open chain was when it began.
    func beginning(of writer: String) throws(StorageFailure) -> LedgerChain.Head {
        LedgerChain.Head(number: 0, hash: try chain(of: writer).beginning)
    }

    /// Sees that every open chain still has what the checkpoint says of it.
    func checkHeads() throws(StorageFailure) {
        let open = checkpoint.open.filter { $0.value.number > 0 }.sorted { $0.key < $1.key }
        let found = try session.run(open.map { SQLCall(LedgerSQL.hash, .text($0.key), .integer($0.value.number)) })
        for ((writer, head), rows) in zip(open, found) {
            if rows.count == 0 {
                try checkWasDeleted(head, of: writer)
            } else if try rows.bytes(0, 0) != head.hash {
                throw Self.changed(head, writer)
            }
        }
    }

    /// States of a writer's own chain what it remembers, whatever the database says.
    mutating func advance(_ writer: String, to head: LedgerChain.Head) {
        guard let before = checkpoint.open[writer], before.number <= head.number else { return }
        checkpoint.open[writer] = head
    }

    /// Takes in what another has written to its chain since the checkpoint, as far as each record continues the one before.
    mutating func readOn(_ writer: String) throws(StorageFailure) {
        guard var last = checkpoint.open[writer] else { return }
        if let stump = try session.statement(.retention, of: try chain(of: writer), by: keys)?.head,
            stump.number > last.number
        {
            last = stump
        }
        while true {
            let page = try session.run(
                LedgerSQL.records,
                .text(writer),
                .integer(last.number),
                .integer(Int64(LedgerSQL.deletionStep))
            ).records(isNamed: true)
            for record in page {
                guard record.follows(last) else { throw Self.changed(record.head, writer) }
                last = record.head
            }
            if page.count < LedgerSQL.deletionStep { break }
        }
        checkpoint.open[writer] = last
    }

    /// Signs the ends of chains that others have left.
    mutating func end(goneOf writers: some Sequence<String>) throws(StorageFailure) {
        for writer in writers.sorted() { try readOn(writer) }
        try end(writers)
    }

    /// Signs the ends of chains; what is not open is left as it is.
    mutating func end(_ writers: some Sequence<String>) throws(StorageFailure) {
        for writer in writers.sorted() {
            guard let head = checkpoint.open[writer] else { continue }
            let chain = try chain(of: writer)
            try session.put(try LedgerStatement(.end, of: chain, at: head, time: now, keys: keys))
            checkpoint.open[writer] = nil
        }
    }

    /// Begins a chain after the one that began last.
    mutating func begin(_ writer: String) throws(StorageFailure) -> LedgerChain.Head {
        var previous: LedgerChain?
        var head: LedgerChain.Head?
        if !checkpoint.newest.isEmpty {
            let (keys, place) = (try session.checkpointKeys(keys.checkpointKey), Int(checkpoint.chains) - 1)
            guard let chain = try session.chain(of: checkpoint.newest), keys.isSigned(chain, at: place) else {
                throw Self.unknown(checkpoint.newest)
            }
            previous = chain
            let end = try session.statements(of: chain.writer).first {
                $0.kind == .end && keys.isSigned($0, of: chain, at: place)
            }
            head = checkpoint.open[chain.writer] ?? end?.head
            guard head != nil else { throw Self.changed("the end of chain \(chain.writer) is missing") }
        }
        var chain = LedgerChain(
            writer: writer,
            startedAt: LedgerChain.start(at: now, after: previous),
            previousWriter: previous?.writer,
            previousHead: head
        )
        chain.signature = try keys.sign(chain.message)
        try session.insert(chain)
        checkpoint.chains += 1
        checkpoint.newest = writer
        let beginning = LedgerChain.Head(number: 0, hash: chain.beginning)
        checkpoint.open[writer] = beginning
        return beginning
    }

    mutating func finish() throws(StorageFailure) {
        try checkpoint.sign(with: keys, at: now)
        try session.put(checkpoint)
    }

    /// Signs from here on by another key: no chain is open.
    mutating func handOver(to keys: LedgerKeys) throws(StorageFailure) {
        self.keys = keys
        try finish()
    }

    /// An open chain: all of them are by the newest key.
    private func chain(of writer: String) throws(StorageFailure) -> LedgerChain {
        guard let chain = try session.chain(of: writer), chain.isSigned(by: keys.checkpointKey) else {
            throw Self.unknown(writer)
        }
        return chain
    }

    private static func unknown(_ writer: String) -> StorageFailure {
        changed("the beginning of chain \(writer) is missing or was changed")
    }

    private func checkWasDeleted(_ head: LedgerChain.Head, of writer: String) throws(StorageFailure) {
        let stump = try session.statement(.retention, of: try chain(of: writer), by: keys)
        guard let stump, stump.head.number >= head.number else { throw Self.changed(head, writer) }
    }

    private static func changed(_ head: LedgerChain.Head, _ writer: String) -> StorageFailure {
        changed("record \(head.number) of chain \(writer), or one before it, is not what it was")
    }

    static func changed(_ what: String) -> StorageFailure {
        StorageFailure(
            .malformed,
            "the ledger was changed by somebody: \(what); nothing more is signed of it: see what `offer-signer ledger "
                + "verify` says, and restore it from a backup"
        )
    }
}
