/// Counts the request of a connection among those that are in flight: each once, whichever way it ends.
struct RequestCount {
    private let census: ConnectionCensus
    private var isCounted = false

    /// Counts nothing yet.
    ///
    /// - Parameter census: Where requests are counted.
    init(in census: ConnectionCensus) { self.census = census }

    /// A request has begun, or is refused.
    mutating func begin() {
        guard !isCounted else { return }
        isCounted = true
        census.requestBegan()
    }

    /// The request has its answer, or its connection is gone.
    mutating func end() {
        guard isCounted else { return }
        isCounted = false
        census.requestEnded()
    }
}
