import NIOCore

/// The requests of a run, and the order in which their kinds are sent, over and over.
package struct RequestDeck: Sendable {
    package let kinds: [String]
    package let descriptions: [String]
    package let offersPerRequest: Int
    /// Whether `evidence_shared` is the answer that is waited for, as to one customer's evidence for ever more accounts.
    package let isShared: Bool

    /// The name of the member that a signature is in, in its quotation marks.
    let signatureMember: StaticString
    /// The places of ``kinds`` in the order of sending.
    let order: [Int]

    private let hands: [Hand]

    /// Long enough for weights to show in it.
    private static let length = 1000

    struct Hand {
        let name: String
        let weight: Int
        let requests: Requests
        let description: String
    }

    enum Requests {
        /// Requests from a list that is not empty, over and over.
        case listed([LoadRequest])
        case madeUp(MadeUpRequests)
    }

    /// A request: its kind, and its number among those of the kind.
    struct Place: Equatable, Sendable {
        let kind: Int
        let number: Int
    }

    /// Shuffles the kinds so that every stretch of them has about the weights asked for.
    init(
        _ hands: [Hand],
        offersPerRequest: Int,
        isShared: Bool = false,
        signatureMember: StaticString = "\"signature\""
    ) {
        self.hands = hands
        self.signatureMember = signatureMember
        kinds = hands.map(\.name)
        descriptions = hands.map(\.description)
        self.offersPerRequest = offersPerRequest
        self.isShared = isShared
        let weights = max(hands.reduce(0) { $0 + $1.weight }, 1)
        var order: [Int] = []
        for (kind, hand) in hands.enumerated() {
            order += Array(repeating: kind, count: max(1, Self.length * hand.weight / weights))
        }
        var random = SplitMix64(seed: 1)
        order.shuffle(using: &random)
        self.order = order
    }

    func bytes(_ place: Place) -> ByteBuffer {
        switch hands[place.kind].requests {
        case .listed(let requests): requests[place.number % requests.count].bytes
        case .madeUp(let requests): requests.request(place.number)
        }
    }

    func expected(_ place: Place) -> ExpectedAnswer {
        switch hands[place.kind].requests {
        case .listed(let requests): requests[place.number % requests.count].expected
        case .madeUp(let requests): requests.expected(place.number)
        }
    }
}

/// A request that is ready to be sent, and what its answer has to be.
struct LoadRequest: Sendable {
    let bytes: ByteBuffer
    let expected: ExpectedAnswer
}

/// The answer that a request must have: the fields that are signed, but for nonce and time.
struct ExpectedAnswer: Sendable {
    struct Offer: Hashable, Sendable {
        let productId: String
        let offerId: String
    }

    let bundleId: String
    /// The account's field of the payload.
    let account: String
    /// The offers, in the order asked.
    let offers: [Offer]
    /// The subscription that Apple asks about; `nil` where a client asks.
    var originalTransactionId: String?
}
