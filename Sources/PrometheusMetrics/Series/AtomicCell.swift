import Synchronization

/// A number that threads add to without a lock.
final class AtomicCell: Sendable {
    private let bits = Atomic<UInt64>(0)

    /// The bits as a whole number; additions wrap around, as a counter of Prometheus may.
    var integer: UInt64 { bits.load(ordering: .relaxed) }

    /// The bits as a floating point number.
    var double: Double { Double(bitPattern: integer) }

    func add(_ amount: UInt64) {
        bits.wrappingAdd(amount, ordering: .relaxed)
    }

    func add(_ amount: Double) {
        var known = integer
        while true {
            let sum = (Double(bitPattern: known) + amount).bitPattern
            let (done, now) = bits.weakCompareExchange(expected: known, desired: sum, ordering: .relaxed)
            if done { return }
            known = now
        }
    }

    func set(_ value: UInt64) {
        bits.store(value, ordering: .relaxed)
    }

    func set(_ value: Double) {
        set(value.bitPattern)
    }
}
