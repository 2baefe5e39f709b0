/// The result of work that may have to wait: the value, or the rest of the work.
///
/// So the same code serves an event loop, which must not wait, and a task, which may.
package enum Step<Value: Sendable, Failure: Error>: Sendable {
    case now(Value)
    /// The rest of the work, which waits: to be run in a task.
    case later(@Sendable () async throws(Failure) -> Value)

    /// The value, after a wait if there has to be one.
    package func value() async throws(Failure) -> Value {
        switch self {
        case .now(let value): return value
        case .later(let work): return try await work()
        }
    }

    /// Goes on with the value: now, or after the wait for it.
    package func then<Next: Sendable>(
        _ goOn: @escaping @Sendable (Value) throws(Failure) -> Step<Next, Failure>
    ) throws(Failure) -> Step<Next, Failure> {
        switch self {
        case .now(let value): return try goOn(value)
        case .later(let work):
            return .later { () async throws(Failure) in
                try await goOn(try await work()).value()
            }
        }
    }
}
