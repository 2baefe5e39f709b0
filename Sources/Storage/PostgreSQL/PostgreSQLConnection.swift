import CPostgreSQL
import Glibc

/// A connection to a PostgreSQL server.
///
/// It owns libpq's connection, and closes it at its end. It is used on one thread, which its calls block, though never
/// for longer than their deadlines: libpq is in its non-blocking mode, and `poll(2)` waits with a deadline.
///
/// After an error whose outcome is not known the connection ``isBroken``: let go of it.
final class PostgreSQLConnection {
    private(set) var isBroken = false
    private let pointer: OpaquePointer
    let limits: PostgreSQLLimits
    /// The names of the statements that the server has prepared, by their text.
    ///
    /// They are short, as the server compares only the first 63 bytes of names.
    private var prepared: [String: String] = [:]
    private var names = 0
    /// The writers that this connection was to show as alive, and whether it could.
    var lives: [String: Bool] = [:]
    /// The state in which our tables were found to be as they have to be; `nil` where they were not looked at.
    var seal: PostgreSQLSchema.Seal?
    /// The host and its port, for messages.
    let place: String
    /// The server's history; `nil` of a standby, and of a server that does not give it.
    private(set) var history: PostgreSQLHosts.History?
    let location: PostgreSQLLocation
    /// A mark of this session: a pooler may put another in its place.
    let mark = String(UInt64.random(in: .min ... .max), radix: 16)
    /// The session's search path, as it was set up.
    var path = ""

    /// The last warning of the server; libpq calls from within its own functions, on the same thread.
    private final class Warnings {
        var last: SQLState?
    }

    private let warnings = Warnings()

    /// Connects to one host, and sets the connection up: durable commits, timeouts, nothing to standard error.
    init(to location: PostgreSQLLocation, limits: PostgreSQLLimits = PostgreSQLLimits()) throws(PostgreSQLError) {
        let deadline = ContinuousClock.now + limits.connecting
        let passFile = PassFile(location.parameters)
        var parameters = location.parameters
        if passFile != nil { parameters["passfile"] = PassFile.none }
        guard let pointer = Self.start(parameters) else {
            throw PostgreSQLError(.unreachable, "there is no memory for a connection")
        }
        self.pointer = pointer
        self.limits = limits
        self.location = location
        place = location.place
        // Thrown from here on, an error finds the connection owned: `deinit` closes it.
        PQsetNoticeReceiver(pointer, Self.takeNotice, Unmanaged.passUnretained(warnings).toOpaque())
        // Error texts then carry their codes: libpq gives the code of a failed attempt to connect in no other way.
        PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
        do throws(PostgreSQLError) {
            try Self.finish(pointer, until: deadline)
        } catch {
            let details = [error.detail, passFile?.fault].compactMap(\.self)
            throw PostgreSQLError(error.code, "\(place): \(details.joined(separator: "; "))")
        }
        guard PQsetnonblocking(pointer, 1) == 0, PQenterPipelineMode(pointer) == 1 else { throw failure() }
        do throws(PostgreSQLError) {
            try setUp(until: deadline)
        } catch {
            let details = [place, error.detail].filter { !$0.isEmpty }
            throw PostgreSQLError(
                error.code,
                error.detail.hasPrefix(place) ? error.detail : details.joined(separator: ": ")
            )
        }
    }

    deinit { PQfinish(pointer) }

    /// Runs statements, sent together and answered in order.
    ///
    /// Each batch is one transaction unless it begins or commits one itself. When a statement is refused, those after it
    /// are not run, and nothing of the batch has an effect. It gives up at the deadline, or as the limits say.
    @discardableResult
    func run(
        _ calls: [SQLCall],
        until deadline: ContinuousClock.Instant? = nil
    ) throws(PostgreSQLError) -> [Rows] {
        guard !isBroken else { throw PostgreSQLError(.connectionLost) }
        guard !calls.isEmpty else { return [] }
        do throws(PostgreSQLError) {
            let deadline = deadline ?? .now + limits.batch
            let preparations = try send(calls)
            return try receive(calls, preparations, until: deadline)
        } catch {
            if error.endsConnection { isBroken = true }
            guard case .refused(let state) = error.code, state.isOfAnotherSession else { throw error }
            isBroken = true
            throw PostgreSQLError(.pooled, place)
        }
    }

    @discardableResult
    func run(_ call: SQLCall) throws(PostgreSQLError) -> Rows {
        guard let rows = try run([call]).first else { throw PostgreSQLError(.unexpectedAnswer) }
        return rows
    }

    /// Forgets what it knew of the tables: a plan that the server made while a rule was there may stay what that made of it.
    func forgetTables() {
        seal = nil
        prepared = [:]
        _ = try? run(SQLCall("DEALLOCATE ALL"))
        prepared = [:]
    }

    /// Whether the connection still stands, as far as is known without asking the server; once the other side has closed it, it
    /// is broken.
    func isAlive() -> Bool {
        // First comes why the server closes it, and then the end: libpq reads them one by one.
        for _ in 0..<4 {
            guard !isBroken, PostgreSQLSocket.hasNews(pointer) else { break }
            if PQconsumeInput(pointer) == 0 || PQstatus(pointer) != CONNECTION_OK { isBroken = true }
        }
        return !isBroken
    }

    /// What libpq says of the connection's failure.
    private func failure() -> PostgreSQLError {
        isBroken = true
        return PostgreSQLError(.connectionLost, "\(place): \(Self.message(of: pointer))")
    }
}

// MARK: Connecting

extension PostgreSQLConnection {
    private static func start(_ parameters: [String: String]) -> OpaquePointer? {
        let sorted = parameters.sorted { $0.key < $1.key }
        let keywords = sorted.map { strdup($0.key) }
        let values = sorted.map { strdup($0.value) }
        defer { (keywords + values).forEach { free($0) } }
        // libpq copies both lists; each ends with a null.
        return (keywords + [nil]).map { UnsafePointer($0) }.withUnsafeBufferPointer { keywords in
            (values + [nil]).map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
                PQconnectStartParams(keywords.baseAddress, values.baseAddress, 0)
            }
        }
    }

    private static func finish(_ pointer: OpaquePointer, until deadline: ContinuousClock.Instant)
        throws(PostgreSQLError)
    {
        // Before the first poll, libpq asks to wait for writing.
        var state = PQstatus(pointer) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED else { throw refusal(of: pointer) }
            let isReading = state == PGRES_POLLING_READING
            guard PostgreSQLSocket.wait(pointer, reading: isReading, writing: !isReading, until: deadline) else {
                throw PostgreSQLError(.unreachable, "there was no answer in time")
            }
            state = PQconnectPoll(pointer)
        }
    }

    private func setUp(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        let answers = try run(
            [
                SQLCall(Self.durability),
                Self.setting("statement_timeout", "\(limits.statement.milliseconds)"),
                Self.setting("lock_timeout", "\(limits.lock.milliseconds)"),
                Self.setting("offer_signer.session", mark),
                Self.setting("idle_in_transaction_session_timeout", "\(limits.batch.milliseconds)"),
                SQLCall(Self.transactionTimeout, .text("\(limits.transaction.milliseconds)")),
            ] + Self.plansByKeys.map(Self.setting) + [SQLCall("SELECT pg_catalog.current_setting('search_path')")],
            until: deadline
        )
        if case .text(let path)? = answers.last?.cells.first { self.path = path }
        guard answers.first?.cells.first != .text("off") else { throw PostgreSQLError(.notDurable) }
        do throws(PostgreSQLError) {
            let rows = try run([SQLCall(Self.historyQuestion)], until: deadline)
            if case .integer(let system) = rows.first?.cells.first, case .text(let file) = rows.first?.cells.last,
                let timeline = Int64(file.prefix(8), radix: 16)
            {
                history = PostgreSQLHosts.History(system: system, timeline: timeline)
            }
        } catch {
            // What speaks PostgreSQL's protocol may have no such functions.
            guard case .refused = error.code, !isBroken else { throw error }
        }
    }

    /// The cluster, and a file of the log, whose name begins with the timeline: that in the control file is of the last
    /// checkpoint, and may be older.
    private static let historyQuestion = """
        SELECT (SELECT system_identifier FROM pg_catalog.pg_control_system()),
            CASE WHEN pg_catalog.pg_is_in_recovery() THEN NULL
                ELSE pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()) END
        """

    /// Commits wait for the disk, and for that of a synchronous standby, whatever the server, the database or the role
    /// say; a stronger promise is kept.
    ///
    /// No other schema's functions can be in the way, whatever the role's path is.
    private static let durability = """
        SELECT pg_catalog.current_setting('fsync', true),
            pg_catalog.set_config('synchronous_commit',
                CASE WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'remote_apply'
                THEN 'remote_apply' ELSE 'on' END, false)
        """

    /// PostgreSQL 17 and later end a transaction that goes on for too long, whatever it is at.
    private static let transactionTimeout = """
        SELECT pg_catalog.set_config('transaction_timeout', $1, false)
        WHERE pg_catalog.current_setting('transaction_timeout', true) IS NOT NULL
        """

    /// One plan of each statement, by indexes: commits and look-ups find a few rows by their keys.
    ///
    /// Reports are planned as the server would. A plan that was made while a table was small would read all of it until the server has analysed it: each commit of
    /// a new ledger took longer than the one before. What has no index is read as before, at a cost that looks so high that
    /// the server would compile the plan at each run (`jit`).
    static let plansByKeys = [
        ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"), ("enable_hashjoin", "off"),
        ("enable_mergejoin", "off"), ("jit", "off"),
    ].map { (name: $0, value: $1) }

    private static func setting(_ name: String, _ value: String) -> SQLCall {
        SQLCall("SELECT pg_catalog.set_config($1, $2, false)", .text(name), .text(value))
    }

    /// Takes the server's messages beside its answers: it keeps the code of a warning, and no text of any.
    private static let takeNotice: PQnoticeReceiver = { context, result in
        guard let context, let severity = PQresultErrorField(result, CPOSTGRESQL_SEVERITY),
            String(cString: severity) == "WARNING"
        else { return }
        let state = PQresultErrorField(result, CPOSTGRESQL_SQLSTATE).map { SQLState(String(cString: $0)) }
        Unmanaged<Warnings>.fromOpaque(context).takeUnretainedValue().last = state ?? SQLState("01000")
    }

    /// Why a connection was not made: by its code where the server said one.
    private static func refusal(of pointer: OpaquePointer) -> PostgreSQLError {
        let message = message(of: pointer)
        if PQconnectionNeedsPassword(pointer) == 1 { return PostgreSQLError(.turnedAway(SQLState("28P01")), message) }
        if let match = message.firstMatch(of: #/: +([0-9][0-9A-Z]{4}): /#) {
            return PostgreSQLError(.turnedAway(SQLState(String(match.1))), message)
        }
        let attempts = (PQerrorMessage(pointer).map { String(cString: $0) } ?? "").split(separator: "\n")
        return ConnectionFailure(attempts.filter { !$0.hasPrefix("\t") }.map(String.init)).error(message)
    }

    /// libpq's message in one line, without where in the server's sources it comes from.
    private static func message(of pointer: OpaquePointer) -> String {
        let lines = (PQerrorMessage(pointer).map { String(cString: $0) } ?? "").split(separator: "\n")
        let text = lines.filter { !$0.hasPrefix("LOCATION:") }.joined(separator: " ")
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(400).description
    }
}

// MARK: Sending

extension PostgreSQLConnection {
    /// Puts statements into libpq's buffer, each prepared before its first use.
    ///
    /// It gives for each the name under which it is prepared on the way; `nil` when it was prepared before.
    private func send(_ calls: [SQLCall]) throws(PostgreSQLError) -> [String?] {
        var preparations: [String?] = []
        var preparing: [String: String] = [:]
        warnings.last = nil
        for call in calls {
            if let name = prepared[call.sql] ?? preparing[call.sql] {
                preparations.append(nil)
                guard sendQuery(name, call.values.map(\.encoded)) else { throw failure() }
                continue
            }
            names += 1
            let name = "s\(names)"
            preparing[call.sql] = name
            preparations.append(name)
            guard PQsendPrepare(pointer, name, call.sql, 0, nil) == 1,
                sendQuery(name, call.values.map(\.encoded))
            else { throw failure() }
        }
        guard PQpipelineSync(pointer) == 1 else { throw failure() }
        return preparations
    }

    private func sendQuery(_ name: String, _ values: [[UInt8]?]) -> Bool {
        // One run of bytes with all the values behind one another, so that each pointer is good for the whole call.
        var bytes: [CChar] = []
        var starts: [Int?] = []
        for value in values {
            starts.append(value.map { _ in bytes.count })
            bytes += (value ?? []).map { CChar(bitPattern: $0) }
        }
        bytes.append(0)
        let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: values.count)
        return bytes.withUnsafeBufferPointer { bytes in
            let pointers = starts.map { start in start.flatMap { bytes.baseAddress?.advanced(by: $0) } }
            let count = Int32(clamping: values.count)
            return PQsendQueryPrepared(pointer, name, count, pointers, lengths, formats, 1) == 1
        }
    }
}

// MARK: Receiving

extension PostgreSQLConnection {
    private func receive(
        _ calls: [SQLCall],
        _ preparations: [String?],
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> [Rows] {
        var answers: [Rows] = []
        var refusal: PostgreSQLError?
        for (call, name) in zip(calls, preparations) {
            if let name, try answer(&refusal, until: deadline) != nil { prepared[call.sql] = name }
            if let rows = try answer(&refusal, until: deadline) { answers.append(rows) }
        }
        do throws(PostgreSQLError) {
            try receiveEnd(until: deadline)
        } catch {
            isBroken = true
            // A commit that the server has confirmed stands, whatever ends the connection after that. Without `COMMIT`,
            // the end of the batch commits.
            guard refusal == nil, answers.last?.command == "COMMIT" else { throw refusal ?? error }
        }
        if let refusal { throw refusal }
        try checkCommit(answers)
        return answers
    }

    /// A warning while a transaction is committed says that not all was done that was to be done: such as that a standby
    /// was not waited for, as somebody cancelled that.
    private func checkCommit(_ answers: [Rows]) throws(PostgreSQLError) {
        guard let warning = warnings.last, answers.last?.command != "ROLLBACK",
            PQtransactionStatus(pointer) != PQTRANS_INTRANS
        else { return }
        throw PostgreSQLError(.uncertain(warning))
    }

    /// Takes the end of a batch; a server that goes says why in its place.
    private func receiveEnd(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        guard let end = try next(until: deadline) else { throw PostgreSQLError(.unexpectedAnswer) }
        defer { PQclear(end) }
        guard PQresultStatus(end) != PGRES_PIPELINE_SYNC else { return }
        throw Self.refusal(in: end) ?? PostgreSQLError(.unexpectedAnswer)
    }

    /// Takes the answer to one statement, and the null that follows it; `nil` when the statement was refused (the first such
    /// error of the batch is kept), or not run as one before it was.
    private func answer(
        _ refusal: inout PostgreSQLError?,
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> Rows? {
        guard let result = try next(until: deadline) else { throw PostgreSQLError(.unexpectedAnswer) }
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        if status == PGRES_FATAL_ERROR {
            guard PQstatus(pointer) == CONNECTION_OK, let error = Self.refusal(in: result) else { throw failure() }
            refusal = refusal ?? error
        }
        let rows = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ? Rows(result) : nil
        guard try next(until: deadline) == nil else { throw PostgreSQLError(.unexpectedAnswer) }
        return rows
    }

    /// The next result, which the caller has to clear, or `nil` at the end of one statement's.
    private func next(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> OpaquePointer? {
        while true {
            let unsent = PQflush(pointer)
            guard unsent >= 0 else { throw failure() }
            if unsent == 0, PQisBusy(pointer) == 0 { return PQgetResult(pointer) }
            guard PostgreSQLSocket.wait(pointer, reading: true, writing: unsent > 0, until: deadline) else {
                throw PostgreSQLError(.timedOut)
            }
            guard PQconsumeInput(pointer) == 1 else { throw failure() }
        }
    }

    /// The server's reason to refuse a statement: its code, and the names of a table and a rule of ours.
    private static func refusal(in result: OpaquePointer) -> PostgreSQLError? {
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        guard let state = field(CPOSTGRESQL_SQLSTATE) else { return nil }
        let names = [field(CPOSTGRESQL_TABLE), field(CPOSTGRESQL_CONSTRAINT)].compactMap(\.self)
        return PostgreSQLError(.refused(SQLState(state)), names.joined(separator: ", "))
    }
}
