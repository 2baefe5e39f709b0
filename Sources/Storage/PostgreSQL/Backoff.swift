/// How long to pause between attempts that fail: twice as long each time, half of it by chance.
///
/// By chance, so that replicas which lost their server together do not come back together. Pure arithmetic.
struct Backoff: Sendable {
    static let first = Duration.milliseconds(100)
    static let longest = Duration.seconds(2)

    private var failures = 0

    /// Records one more failure; the chance is a random number from 0 to 1.
    mutating func pause(chance: Double) -> Duration {
        let whole = min(Self.first * (1 << min(failures, 10)), Self.longest)
        failures += 1
        return whole / 2 + whole / 2 * chance
    }

    /// Records a success: the next pause is a short one again.
    mutating func reset() { failures = 0 }
}
