/// The time to finish what was in flight was too short.
public struct DrainFailure: Error, Equatable, CustomStringConvertible {
    /// How many requests had no answer yet.
    public let requestsCutOff: Int

    /// Tells what became of a drain.
    ///
    /// There is none when every request was answered.
    ///
    /// - Parameter census: The connections of the listener, after it has ended.
    public init?(of census: ConnectionCensus) {
        guard census.requestsCutOff > 0 else { return nil }
        requestsCutOff = census.requestsCutOff
    }

    /// The failure in one line.
    public var description: String {
        "the drain took longer than server.drainTimeoutSeconds: "
            + (requestsCutOff == 1 ? "1 request was cut off" : "\(requestsCutOff) requests were cut off")
    }
}
