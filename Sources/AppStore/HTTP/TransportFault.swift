/// Why nothing came back.
enum TransportFault: Error, Equatable, Sendable {
    /// There was no answer in time.
    case timeout
    /// There was no connection, it broke, or what came was no HTTP.
    case connection
    /// The answer is larger than any that makes sense.
    case tooLarge
    /// Nothing was sent: the service was down just now, or has been asked too much; ask again after that time.
    case heldBack(seconds: Int)
}
