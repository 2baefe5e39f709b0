/// How many customers ask.
public enum CustomerCount: Equatable, Sendable, CustomStringConvertible {
    /// So many, in no order: of few, each comes again and again; of many, most come once.
    case number(Int)
    /// As many as there are requests: each is of a customer who has not asked before.
    case new
    /// One, whose evidence is shown for another account in each request: once a few were signed for, all are refused.
    case shared

    /// Reads a number from 1 to 1,000,000, `new` or `shared`; anything else gives `nil`.
    public init?(_ text: String) {
        switch text {
        case "new": self = .new
        case "shared": self = .shared
        default:
            guard let number = Int(text), (1...1_000_000).contains(number) else { return nil }
            self = .number(number)
        }
    }

    /// As it is read.
    public var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .new: "new"
        case .shared: "shared"
        }
    }

    /// The number of the customer whose evidence is in a request.
    func customer(of request: Int) -> Int {
        switch self {
        case .number(let number):
            var random = SplitMix64(seed: UInt64(request))
            return Int(random.next() % UInt64(number))
        case .new: return request
        case .shared: return 0
        }
    }

    /// The number of the account that a request names.
    func account(of request: Int) -> Int { self == .shared ? request : customer(of: request) }
}
