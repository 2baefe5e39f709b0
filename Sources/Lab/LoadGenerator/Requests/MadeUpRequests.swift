import AppStoreSimulator
import NIOCore

/// The requests of customers who are made up, all alike but for identifiers, accounts and signatures: each is made when it
/// is sent, so that a million take no more memory than some.
struct MadeUpRequests: Sendable {
    enum Piece: Equatable, Sendable {
        case text([UInt8])
        /// The account of the request, or the identifier of the call.
        case account
        /// The transaction identifier of the customer.
        case identifier
        /// The JWS of one of the payloads.
        case signed(Int)
    }

    /// The transaction identifier in the text that a request is cut out of: as long as every other.
    static let identifierMark: Int64 = 9_876_543_210_123_456
    static let accountMark = "00000000-0000-8000-8000-000000000000"
    /// The text in the place of the JWS of a payload.
    static func signedMark(_ number: Int) -> String { "<JWS of payload \(number)>" }

    private let customers: CustomerCount
    /// The identifier of the first customer, of sixteen digits; the others count on from there.
    private let first: Int64
    private let expected: ExpectedAnswer
    /// Whether each is a call of Apple's about a customer, with an identifier of its own: no two are alike then.
    private let areCalls: Bool

    private var head: [UInt8] = []
    private let body: [Piece]
    private let payloads: [[Piece]]
    private let signer: AppStoreSigner?
    /// The signatures of the first customers, or calls, one after the other, payload by payload.
    private var signatures: [UInt8] = []
    /// The requests of all customers, where they are few: nothing is left to be done when one is sent.
    private var made: [ByteBuffer] = []
    private static let few = 4096

    /// The numbers from which a request is made: its customer, its account or call, and the place of its signatures.
    private struct Numbers {
        let customer: Int
        let account: Int
        let place: Int
    }

    /// Cuts up a body with marks, and payloads with marks; the head is made for the length of a body.
    init(
        _ customers: CustomerCount,
        from first: Int64,
        expecting expected: ExpectedAnswer,
        areCalls: Bool = false,
        body: [UInt8],
        payloads: [[UInt8]] = [],
        signer: AppStoreSigner? = nil,
        head: (_ bodyLength: Int) -> [UInt8]
    ) {
        self.customers = customers
        self.first = first
        self.expected = expected
        self.areCalls = areCalls
        self.signer = signer
        let marks = [(String(Self.identifierMark), Piece.identifier), (Self.accountMark, .account)]
        self.payloads = payloads.map { Self.cut($0, at: marks) }
        self.body = Self.cut(body, at: marks + payloads.indices.map { (Self.signedMark($0), .signed($0)) })
        self.head = head(self.body(of: 0).count)
    }

    /// Signs ahead of time, on all processors, for so many customers or calls, and makes the requests where all customers
    /// are few; the rest is done when it is sent.
    mutating func prepare(_ count: Int) async throws(LoadFault) {
        if let signer, !payloads.isEmpty {
            let requests = self
            signatures = try await signer.signatures(count * payloads.count) { number in
                let (place, payload) = number.quotientAndRemainder(dividingBy: requests.payloads.count)
                return requests.payload(payload, requests.numbers(at: place))
            }
        }
        guard !areCalls, case .number(let number) = customers, number <= Self.few else { return }
        made = (0..<number).map { HTTPRequestBytes.joined(head, body(numbers(at: $0))) }
    }

    /// Head and body.
    func request(_ number: Int) -> ByteBuffer {
        made.isEmpty
            ? HTTPRequestBytes.joined(head, body(of: number)) : made[customers.customer(of: number)]
    }

    func expected(_ number: Int) -> ExpectedAnswer {
        let numbers = numbers(of: number)
        return ExpectedAnswer(
            bundleId: expected.bundleId,
            account: areCalls ? "" : account(numbers),
            offers: expected.offers,
            originalTransactionId: areCalls ? identifier(numbers.customer) : nil
        )
    }

    func body(of number: Int) -> [UInt8] { body(numbers(of: number)) }

    private func numbers(of request: Int) -> Numbers {
        let customer = customers.customer(of: request)
        return areCalls
            ? Numbers(customer: customer, account: request, place: request)
            : Numbers(customer: customer, account: customers.account(of: request), place: customer)
    }

    private func numbers(at place: Int) -> Numbers {
        areCalls ? numbers(of: place) : Numbers(customer: place, account: place, place: place)
    }

    private func body(_ numbers: Numbers) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(12_288)
        for piece in body {
            guard case .signed(let number) = piece else {
                append(piece, numbers, to: &bytes)
                continue
            }
            guard let signer else { continue }
            let payload = payload(number, numbers)
            let start = (numbers.place * payloads.count + number) * 64
            let isSigned = start + 64 <= signatures.count
            let signature = isSigned ? signatures[start..<start + 64] : signer.jwsSignature(over: payload)[...]
            signer.appendJWS(payload, signature, to: &bytes)
        }
        return bytes
    }

    private func payload(_ number: Int, _ numbers: Numbers) -> [UInt8] {
        var payload: [UInt8] = []
        payload.reserveCapacity(1024)
        for piece in payloads[number] { append(piece, numbers, to: &payload) }
        return payload
    }

    private func append(_ piece: Piece, _ numbers: Numbers, to bytes: inout [UInt8]) {
        switch piece {
        case .text(let text): bytes += text
        case .account: bytes += account(numbers).utf8
        case .identifier: bytes += identifier(numbers.customer).utf8
        case .signed: break
        }
    }

    private func identifier(_ customer: Int) -> String { String(first + Int64(customer)) }

    private func account(_ numbers: Numbers) -> String {
        RequestBody.account(of: areCalls ? "call \(first) \(numbers.account)" : identifier(numbers.account))
    }

    static func cut(_ text: [UInt8], at marks: [(mark: String, piece: Piece)]) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while true {
            let found = marks.compactMap { mark in rest.firstRange(of: Array(mark.mark.utf8)).map { ($0, mark.piece) } }
            guard let (range, piece) = found.min(by: { $0.0.lowerBound < $1.0.lowerBound }) else { break }
            if range.lowerBound > rest.startIndex { pieces.append(.text(Array(rest[..<range.lowerBound]))) }
            pieces.append(piece)
            rest = rest[range.upperBound...]
        }
        return rest.isEmpty ? pieces : pieces + [.text(Array(rest))]
    }
}
