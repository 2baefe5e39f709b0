import CPostgreSQL
import Offers

/// A transaction, or a look at one moment, on a connection.
final class PostgreSQLSession: Session {
    private let connection: PostgreSQLConnection
    private let place: String
    /// How long a batch of statements may take; as the connection's limits say where it is `nil`.
    private let patience: Duration?
    /// Whether each batch is a transaction by itself, and has to prove by itself in which session it runs.
    private let provesEach: Bool
    /// The calls to send with the next statements, and who looks at their answers.
    private var waiting: [(call: SQLCall, look: ((Rows) throws(StorageFailure) -> Void)?)] = []
    /// What went wrong, as the server says it.
    private(set) var error: PostgreSQLError?

    init(_ connection: PostgreSQLConnection, at place: String, patience: Duration? = nil, provesEach: Bool = false) {
        self.connection = connection
        self.place = place
        self.patience = patience
        self.provesEach = provesEach
    }

    var dialect: SQLDialect { .postgreSQL }

    func run(_ calls: [SQLCall]) throws(StorageFailure) -> [Rows] {
        if provesEach { waiting.insert((connection.proof, nil), at: 0) }
        let before = waiting
        waiting = []
        let answers: [Rows]
        do throws(PostgreSQLError) {
            answers = try connection.run(before.map(\.call) + calls, until: patience.map { .now + $0 })
        } catch {
            self.error = error
            throw StorageFailure(error, at: place)
        }
        for (asked, answer) in zip(before, answers) { try asked.look?(answer) }
        return Array(answers.suffix(calls.count))
    }

    func send(_ call: SQLCall) { waiting.append((call, nil)) }

    func expect(_ call: SQLCall, _ cells: [SQLValue]) { expect(call, cells, else: .notKept) }

    private func expect(_ call: SQLCall, _ cells: [SQLValue], else failure: StorageFailure) {
        waiting.append((call, { answer throws(StorageFailure) in if answer.cells != cells { throw failure } }))
    }

    /// Has the transaction fail where our tables are not as the migrations make them: its own locks keep changes out.
    private func checkSeal() throws(StorageFailure) {
        guard connection.seal == nil else {
            if let seal = connection.seal { send(PostgreSQLSchema.check(seal)) }
            return
        }
        // The seal comes first: a change between the two statements breaks it.
        let seed = Int64.random(in: .min ... .max)
        let rows = try run(PostgreSQLSchema.seal, try PostgreSQLSchema.tables(), .integer(seed))
        try checkSchema()
        connection.seal = PostgreSQLSchema.Seal(
            tables: try rows.text(0, 0),
            seed: seed,
            count: try rows.integer(0, 1),
            sum: try rows.text(0, 2)
        )
    }

    func lock(_ row: Int64) { lock([row]) }

    private func lock(_ rows: Set<Int64>) {
        guard !rows.isEmpty else { return }
        expect(LockRows.lock(rows), [.integer(Int64(rows.count))], else: LockRows.missing)
    }

    func hold(_ writer: String) -> Bool {
        let known = connection.lives[writer]
        guard known != true else { return false }
        // Nobody waits for it: a connection of before may have it still, or a stranger. The next transaction tries again.
        let call = SQLCall("SELECT pg_try_advisory_lock($1)", .integer(LockRows.life(of: writer)))
        waiting.append((call, { [connection] in connection.lives[writer] = $0.cells == [.boolean(true)] }))
        return known == nil
    }

    func gone(of writers: [String]) throws(StorageFailure) -> Set<String> {
        guard !writers.isEmpty else { return [] }
        let lives = """
            SELECT asked.number FROM unnest($1::int8[]) WITH ORDINALITY AS asked (key, number)
            WHERE pg_try_advisory_xact_lock(asked.key)
            """
        let answers = try run([
            LockRows.lockAvailable(Set(writers.map(LockRows.row(ofWriter:)))),
            SQLCall(lives, .integers(writers.map(LockRows.life(of:)))),
        ])
        guard answers.count == 2 else { throw .malformed("number") }
        let (free, dead) = (Set(try answers[0].integers()), Set(try answers[1].integers()))
        return Set(
            writers.enumerated().filter { dead.contains(Int64($0 + 1)) && free.contains(LockRows.row(ofWriter: $1)) }
                .map(\.element)
        )
    }
}

extension PostgreSQLSession {
    /// Whether another transaction was in the way, and nothing was done (class 40 of SQLSTATE).
    private var isCollision: Bool {
        guard case .refused(let state) = error?.code else { return false }
        return state.classCode == "40"
    }

    /// Runs a transaction; gives what failed where that is not the connection's.
    ///
    /// After an error nothing has an effect, except where the outcome is not known. Each proves first that it runs in the
    /// session that was set up, or nothing of it has an effect.
    ///
    /// `BEGIN` is sent with the first statements, and `COMMIT` with the last ones. Statements that are all sent at once need
    /// neither (`nil`). Sealed, it commits only if our tables are as the migrations make them. A batch of statements may take
    /// as long as the connection's limits say where no patience is given.
    static func transaction<Value>(
        on connection: PostgreSQLConnection,
        at place: String,
        begin: String? = "BEGIN ISOLATION LEVEL READ COMMITTED",
        locking rows: Set<Int64> = [],
        isSealed: Bool = false,
        patience: Duration? = nil,
        _ body: (any Session) throws(StorageFailure) -> Value
    ) throws(PostgreSQLError) -> Result<Value, StorageFailure> {
        var attempts = 0
        while true {
            attempts += 1
            let session = PostgreSQLSession(connection, at: place, patience: patience, provesEach: begin == nil)
            if let begin {
                session.send(SQLCall(begin))
                session.send(connection.proof)
            }
            session.lock(rows)
            do throws(StorageFailure) {
                let value = try body(session)
                guard begin != nil else { return .success(value) }
                if isSealed { try session.checkSeal() }
                // A transaction that failed before answers COMMIT with ROLLBACK.
                guard try session.run("COMMIT").command == "COMMIT" else {
                    throw StorageFailure(.unavailable, "\(place): there was no commit")
                }
                return .success(value)
            } catch {
                if begin != nil, !connection.isBroken { _ = try? connection.run(SQLCall("ROLLBACK")) }
                let wasSealed = connection.seal != nil
                if isSealed, !connection.isBroken, session.error?.isFinalRefusal ?? (error.code == .malformed) {
                    connection.forgetTables()
                }
                guard let cause = session.error else { return .failure(error) }
                if session.isCollision, attempts < 4, !connection.isBroken { continue }
                if isSealed, !connection.isBroken, case .refused(let state) = cause.code {
                    let look = Result { () throws(StorageFailure) in
                        try PostgreSQLSession(connection, at: place).checkSchema()
                    }
                    if case .failure(let fault) = look, fault.code == .malformed { return .failure(fault) }
                    // Sound, but not what it was, such as after a change of rights: once more, with a new seal.
                    if state == PostgreSQLSchema.broken, wasSealed { continue }
                }
                throw cause
            }
        }
    }
}

extension Rows {
    /// Reads a `PGresult`, which stays its owner's.
    init(_ result: OpaquePointer) {
        let width = PQnfields(result)
        var cells: [SQLValue] = []
        for row in 0..<PQntuples(result) {
            for column in 0..<width { cells.append(Self.value(in: result, row, column)) }
        }
        self.init(
            columns: (0..<width).map { PQfname(result, $0).map { String(cString: $0) } ?? "" },
            cells: cells,
            changes: Int(String(cString: PQcmdTuples(result))) ?? 0,
            command: String(cString: PQcmdStatus(result))
        )
    }

    private static func value(in result: OpaquePointer, _ row: Int32, _ column: Int32) -> SQLValue {
        guard PQgetisnull(result, row, column) == 0 else { return .null }
        guard PQfformat(result, column) == 1, let start = PQgetvalue(result, row, column) else { return .foreign }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
        switch PQftype(result, column) {
        case TypeIdentifier.int8: return .integer(bytes.reduce(0) { $0 << 8 | Int64($1) })
        case TypeIdentifier.int4:
            return .integer(Int64(Int32(truncatingIfNeeded: bytes.reduce(0) { $0 << 8 | Int64($1) })))
        case TypeIdentifier.text: return .text(String(decoding: bytes, as: UTF8.self))
        case TypeIdentifier.bytea: return .bytes(Array(bytes))
        case TypeIdentifier.bool: return .boolean(bytes.first == 1)
        default: return .foreign
        }
    }
}

extension SQLValue {
    /// The bytes on PostgreSQL's wire, in its binary form; `nil` for null.
    ///
    /// The statement's type has to be exactly the value's: write `$1::int8` where the server cannot infer it.
    var encoded: [UInt8]? {
        switch self {
        case .null, .foreign: nil
        case .integer(let number): Self.bigEndian(number)
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .boolean(let value): [value ? 1 : 0]
        case .integers(let numbers):
            Self.array(numbers.map { $0.map(Self.bigEndian) }, elementType: TypeIdentifier.int8)
        case .texts(let texts): Self.array(texts.map { $0.map { Array($0.utf8) } }, elementType: TypeIdentifier.text)
        case .byteStrings(let strings): Self.array(strings, elementType: TypeIdentifier.bytea)
        }
    }

    private static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// The binary form of an array with one dimension (array_recv in PostgreSQL's arrayfuncs.c).
    private static func array(_ elements: [[UInt8]?], elementType: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(elements.reduce(20) { $0 + 4 + ($1?.count ?? 0) })
        bytes += bigEndian(Int32(elements.isEmpty ? 0 : 1))
        bytes += bigEndian(Int32(elements.contains { $0 == nil } ? 1 : 0))
        bytes += bigEndian(elementType)
        guard !elements.isEmpty else { return bytes }
        bytes += bigEndian(Int32(clamping: elements.count))
        bytes += bigEndian(Int32(1))
        for element in elements {
            bytes += bigEndian(Int32(element.map { Int32(clamping: $0.count) } ?? -1))
            bytes += element ?? []
        }
        return bytes
    }
}

/// The numbers of PostgreSQL's types (`pg_type.oid`), which never change.
private enum TypeIdentifier {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let int8: UInt32 = 20
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
}
