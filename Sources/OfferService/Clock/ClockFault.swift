/// What makes the time of day useless for signing: a signature carries a timestamp that Apple judges.
public enum ClockFault: Equatable, Sendable, CustomStringConvertible {
    /// The time of day moved while the machine's uptime did not: by so many milliseconds, ahead above zero.
    case jumped(milliseconds: Int64)
    /// The time of day is so many milliseconds behind Apple's clock.
    case behindApple(milliseconds: Int64)
    /// The time of day is so many milliseconds ahead of Apple's clock.
    case aheadOfApple(milliseconds: Int64)

    /// The fault and the mend, in one line.
    public var description: String {
        switch self {
        case .jumped(let milliseconds):
            "the clock jumped \(abs(milliseconds) / 1000) seconds \(milliseconds > 0 ? "ahead" : "back")"
                + " while the service ran; see that it is right, then reload (SIGHUP) or restart the service"
        case .behindApple(let milliseconds):
            "the clock is \(milliseconds / 1000) seconds behind Apple's; set it right"
        case .aheadOfApple(let milliseconds):
            "the clock is \(milliseconds / 1000) seconds ahead of Apple's; set it right"
        }
    }
}
