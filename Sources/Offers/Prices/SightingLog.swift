/// What clients reported about one thing, the newest first: a contradiction resolves to the newest, and the older values
/// are kept.
public struct SightingLog<Value: Equatable & Sendable>: Sendable {
    /// One value with when and how often it was reported.
    public struct Sighting: Sendable {
        /// The value.
        public let value: Value
        /// When it was first reported.
        public let firstSeen: Timestamp
        /// When it was last reported.
        public let lastSeen: Timestamp
        /// How often it was reported.
        public let count: Int

        /// Takes up a sighting where it was kept.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - firstSeen: When it was first reported.
        ///   - lastSeen: When it was last reported.
        ///   - count: How often it was reported.
        public init(value: Value, firstSeen: Timestamp, lastSeen: Timestamp, count: Int) {
            self.value = value
            self.firstSeen = firstSeen
            self.lastSeen = lastSeen
            self.count = count
        }
    }

    /// How many older values are kept.
    public static var mostOlder: Int { 4 }

    /// The value that counts.
    public private(set) var newest: Sighting
    /// Values that were reported before and contradict it, the newest first.
    public private(set) var older: [Sighting] = []

    /// Starts with a first report.
    ///
    /// - Parameters:
    ///   - value: What was reported.
    ///   - moment: When.
    public init(_ value: Value, at moment: Timestamp) {
        newest = Sighting(value: value, firstSeen: moment, lastSeen: moment, count: 1)
    }

    /// Takes up a log where it was kept.
    ///
    /// - Parameters:
    ///   - newest: The value that counts.
    ///   - older: Values that were reported before, the newest first; those beyond ``mostOlder`` are dropped.
    public init(newest: Sighting, older: [Sighting]) {
        self.newest = newest
        self.older = Array(older.prefix(Self.mostOlder))
    }

    /// Notes another report.
    ///
    /// - Parameters:
    ///   - value: What was reported.
    ///   - moment: When.
    public mutating func note(_ value: Value, at moment: Timestamp) {
        let known = [newest] + older
        let before = known.first { $0.value == value }
        var count = 1
        count.add(saturating: before?.count ?? 0)
        let sighting = Sighting(
            value: value,
            firstSeen: before?.firstSeen ?? moment,
            lastSeen: max(before?.lastSeen ?? moment, moment),
            count: count
        )
        newest = sighting
        older = Array(known.filter { $0.value != value }.prefix(Self.mostOlder))
    }
}
