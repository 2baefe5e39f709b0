import Synchronization

/// A bounded number of places for what is done at once.
public final class Places: Sendable {
    private let free: Atomic<Int>

    /// Creates free places.
    ///
    /// - Parameter count: How many.
    public init(_ count: Int) { free = Atomic(count) }

    /// Takes a place.
    ///
    /// - Returns: `false` where none is free.
    public func take() -> Bool {
        let left = free.subtract(1, ordering: .relaxed).newValue
        if left >= 0 { return true }
        free.add(1, ordering: .relaxed)
        return false
    }

    /// Gives a place back.
    public func giveBack() { free.add(1, ordering: .relaxed) }
}
