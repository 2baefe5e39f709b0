/// What is to be asked, how often and for how long.
public struct LoadPlan: Sendable {
    /// Where the service listens.
    public var address: ServiceAddress
    /// How many connections there are, 1 or more.
    public var connections = 16
    /// How many event loops send, 1 or more.
    ///
    /// One is enough for most services, and leaves them the CPUs.
    public var eventLoops = 1
    /// How many requests are sent a second, whatever the service does: an open loop.
    ///
    /// `nil` for a closed loop, in which each connection sends its next request when the answer to the last one is
    /// there.
    public var rate: Double?
    /// How long requests are sent before anything is measured, in seconds.
    public var warmUpSeconds = 2.0
    /// How long is measured, in seconds.
    public var durationSeconds = 10.0
    /// How long an answer may take, in seconds, before its connection is given up.
    public var timeoutSeconds = 10.0
    /// How many answers are kept, so that their signatures can be checked; `nil` for all.
    public var keptAnswers: Int? = 1000
    /// The service's processes on this machine, if their CPU time and memory are to be measured.
    public var processes: [Int32] = []
    /// The requests, and in which order they are sent.
    public var deck: RequestDeck

    /// Creates a plan with the defaults.
    ///
    /// - Parameters:
    ///   - deck: The requests.
    ///   - address: Where the service listens.
    public init(_ deck: RequestDeck, to address: ServiceAddress) {
        self.deck = deck
        self.address = address
    }
}
