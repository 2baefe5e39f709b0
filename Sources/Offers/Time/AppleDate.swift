/// What tells something about Apple's clock.
///
/// Only what Apple signed, or what the service fetched from Apple by itself. A date that a client sends tells nothing:
/// with it, anybody could make the service believe that its own clock is wrong.
public enum AppleDate: Equatable, Sendable {
    /// A date in data whose signature by Apple was verified, such as a JWS's `signedDate`.
    ///
    /// The data may be old: Apple's clock shows this much by now, or more.
    case signed(Timestamp)
    /// A date in an answer that the service itself has fetched from Apple this moment.
    case fetched(Timestamp)
}
