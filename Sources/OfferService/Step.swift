/// How far something came without waiting: to its value, or to where somebody has to be waited for.
///
/// The same lines serve an event loop, which must not wait, and a task, which may.
public enum Step<Value: Sendable, Failure: Error>: Sendable {
    /// The value.
    case now(Value)
    /// What gives the value after a wait, in a task.
    case later(@Sendable () async throws(Failure) -> Value)

    /// The value, waiting where that has to be.
    ///
    /// - Returns: The value.
    /// - Throws: What keeps it from coming.
    public func value() async throws(Failure) -> Value {
        switch self {
        case .now(let value): return value
        case .later(let work): return try await work()
        }
    }

    /// Goes on with the value: now, or after the wait for it.
    ///
    /// - Parameter goOn: What comes next.
    /// - Returns: How far that came.
    /// - Throws: What keeps it from coming.
    public func then<Next: Sendable>(
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
