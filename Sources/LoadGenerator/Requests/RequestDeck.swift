/// The requests of a run, and the order in which they are sent, over and over.
public struct RequestDeck: Sendable {
    /// The kinds of evidence that there are.
    public let kinds: [String]
    /// What is asked, a line for each kind.
    public let descriptions: [String]
    /// How many offers each request asks for.
    public let offersPerRequest: Int

    /// The requests.
    let requests: [LoadRequest]
    /// Their places in the order of sending.
    let order: [Int]

    /// The shortest order: long enough for weights to show in it.
    private static let shortestOrder = 1000

    /// The requests of one kind of evidence, one or more.
    struct Hand {
        let kind: EvidenceMix.Kind
        let weight: Int
        let requests: [LoadRequest]
        let description: String
    }

    /// Shuffles the requests so that every stretch of them has about the weights asked for.
    ///
    /// - Parameters:
    ///   - hands: The requests by kind.
    ///   - offersPerRequest: How many offers each request asks for.
    init(_ hands: [Hand], offersPerRequest: Int) {
        kinds = hands.map(\.kind.rawValue)
        descriptions = hands.map(\.description)
        self.offersPerRequest = offersPerRequest
        requests = hands.flatMap(\.requests)
        let weights = hands.reduce(0) { $0 + $1.weight }
        let length = max(Self.shortestOrder, requests.count)
        var order: [Int] = []
        var first = 0
        for hand in hands {
            let share = max(hand.requests.count == 0 ? 0 : 1, length * hand.weight / max(weights, 1))
            for index in 0..<share { order.append(first + index % hand.requests.count) }
            first += hand.requests.count
        }
        var random = SplitMix64(seed: 1)
        order.shuffle(using: &random)
        self.order = order
    }
}
