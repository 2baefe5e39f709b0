import Offers
import Synchronization

@testable import Storage

/// A database in which a test has something happen before or after each call, or has the call fail.
final class TroubledDatabase: SQLDatabase {
    enum Call: Equatable, Sendable {
        case read
        case atOnce
        case answer
        case write(SQLLane)

        var isWrite: Bool { if case .write = self { true } else { false } }
    }

    typealias Trouble = @Sendable (Call) throws(StorageFailure) -> Void

    private let database: any SQLDatabase
    private let before: Trouble
    private let after: Trouble

    init(_ database: any SQLDatabase, before: @escaping Trouble = { _ in }, after: @escaping Trouble = { _ in }) {
        (self.database, self.before, self.after) = (database, before, after)
    }

    var name: String { database.name }

    var dialect: SQLDialect { database.dialect }

    private func around<Value>(
        _ call: Call,
        _ body: () throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value {
        try before(call)
        let value = try body()
        try after(call)
        return value
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value { try around(.read) { () throws(StorageFailure) in try database.read(body) } }

    func readAtOnce<Value>(_ body: (any Session) throws(StorageFailure) -> Value) throws(StorageFailure) -> Value? {
        try around(.atOnce) { () throws(StorageFailure) in try database.readAtOnce(body) }
    }

    func answer<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) async throws(StorageFailure) -> Value {
        try await database.answer { [self] session throws(StorageFailure) in
            try around(.answer) { () throws(StorageFailure) in try body(session) }
        }
    }

    var leads: Bool? { database.leads }

    func transaction<Value: Sendable>(
        _ lane: SQLLane,
        locking rows: Set<Int64>,
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value {
        try around(.write(lane)) { () throws(StorageFailure) in try database.transaction(lane, locking: rows, body) }
    }
}
