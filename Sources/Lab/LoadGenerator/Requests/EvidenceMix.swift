/// The kinds of evidence that requests carry, and the share of each.
package struct EvidenceMix: Sendable {
    /// A kind of evidence; the raw values are those of requests, but for `held`.
    package enum Kind: String, CaseIterable, Sendable {
        /// A verifyReceipt answer, made up here.
        case receiptResponse
        /// An app receipt of the simulator.
        case receipt
        /// Signed transactions and renewal infos, made up here and signed as the simulator does.
        case signedTransactions
        /// A transaction identifier of the simulator.
        case transactionId
        /// None: the state that the service holds since it has seen signed transactions.
        case held

        /// Whether the evidence comes from the App Store simulator, because the service asks it.
        package var isAskedOfSimulator: Bool { self == .receipt || self == .transactionId }
    }

    /// The kinds with their weights, each once, in the order given.
    package let weights: [(kind: Kind, weight: Int)]

    package static let receiptResponses = EvidenceMix(weights: [(.receiptResponse, 1)])

    private init(weights: [(kind: Kind, weight: Int)]) { self.weights = weights }

    /// Reads a mix such as `receiptResponse=80,signedTransactions=10,transactionId=10`; a kind alone counts 1.
    package init(_ text: String) throws(LoadFault) {
        var weights: [(kind: Kind, weight: Int)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0].trimmingPrefix(" ")
            guard let kind = Kind(rawValue: String(name)) else {
                let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw LoadFault("\"\(name)\" is no kind of evidence; there are \(kinds)")
            }
            guard let weight = pair.count == 1 ? 1 : Int(pair[1]), (1...1000).contains(weight) else {
                throw LoadFault("\(name) needs a weight from 1 to 1000, such as \(name)=10")
            }
            guard !weights.contains(where: { $0.kind == kind }) else {
                throw LoadFault("\(name) is there twice")
            }
            weights.append((kind, weight))
        }
        self.weights = weights
    }

    package var kinds: [Kind] { weights.map(\.kind) }
}

package enum CustomerCount: Equatable, Sendable, CustomStringConvertible {
    /// A fixed number of customers, taken at random. If there are few, each comes again and again.
    case number(Int)
    /// A new customer for every request, who has not asked before.
    case new
    /// One, whose evidence is shown for another account in each request: once a few were signed for, all are refused.
    case shared

    /// Reads a number from 1 to 1,000,000, `new` or `shared`; anything else gives `nil`.
    package init?(_ text: String) {
        switch text {
        case "new": self = .new
        case "shared": self = .shared
        default:
            guard let number = Int(text), (1...1_000_000).contains(number) else { return nil }
            self = .number(number)
        }
    }

    package var description: String {
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

    func account(of request: Int) -> Int { self == .shared ? request : customer(of: request) }
}
