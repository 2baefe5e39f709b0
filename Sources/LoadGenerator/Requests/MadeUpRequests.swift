import NIOCore

/// The requests of customers who are made up, all alike but for identifiers, accounts and what is signed over them: each is
/// made when it is sent, so that a million take no more memory than some.
struct MadeUpRequests: Sendable {
    enum Piece: Equatable, Sendable {
        case text([UInt8])
        /// The account of the request.
        case account
        /// The transaction identifier of the customer.
        case identifier
        /// The JWS of one of the payloads.
        case signed(Int)
    }

    /// The transaction identifier in the text that a request is cut out of: as long as every other.
    static let identifierMark = "9876543210123456"
    static let accountMark = "00000000-0000-8000-8000-000000000000"
    /// What stands in it for the JWS of a payload.
    static func signedMark(_ number: Int) -> String { "<JWS of payload \(number)>" }

    let customers: CustomerCount
    /// The identifier of the first customer, of sixteen digits; the others count on from there.
    let first: Int64
    let expected: ExpectedAnswer

    private var head: [UInt8] = []
    private let body: [Piece]
    private let payloads: [[Piece]]
    private let signer: StandInSigner?
    /// The signatures of the first customers, one after the other, payload by payload.
    private var signatures: [UInt8] = []
    /// The requests of all customers, where they are few: nothing is left to be done when one is sent.
    private var made: [ByteBuffer] = []
    private static let few = 4096

    /// Cuts up a body with marks, and payloads with marks for identifiers; the head is made for the length of a body.
    init(
        _ customers: CustomerCount,
        from first: Int64,
        expecting expected: ExpectedAnswer,
        body: [UInt8],
        payloads: [[UInt8]] = [],
        signer: StandInSigner? = nil,
        head: (_ bodyLength: Int) -> [UInt8]
    ) {
        self.customers = customers
        self.first = first
        self.expected = expected
        self.signer = signer
        let identifier = (Self.identifierMark, Piece.identifier)
        self.payloads = payloads.map { Self.cut($0, at: [identifier]) }
        let signed = payloads.indices.map { (Self.signedMark($0), Piece.signed($0)) }
        self.body = Self.cut(body, at: [identifier, (Self.accountMark, .account)] + signed)
        self.head = head(self.body(of: 0).count)
    }

    /// Signs ahead of time, on all processors, for so many customers, and makes the requests where all customers are
    /// few; the rest is done when it is sent.
    mutating func prepare(_ count: Int) async throws(LoadFault) {
        try await sign(count)
        guard case .number(let number) = customers, number <= Self.few else { return }
        made = (0..<number).map { request($0, account: $0) }
    }

    private mutating func sign(_ count: Int) async throws(LoadFault) {
        guard let signer, !payloads.isEmpty else { return }
        let requests = self
        signatures = try await signer.signatures(count * payloads.count) { number in
            let (customer, place) = number.quotientAndRemainder(dividingBy: requests.payloads.count)
            return requests.payload(place, of: Array(requests.identifier(customer).utf8))
        }
    }

    func request(_ number: Int) -> ByteBuffer {
        let customer = customers.customer(of: number)
        return made.isEmpty ? request(customer, account: customers.account(of: number)) : made[customer]
    }

    private func request(_ customer: Int, account: Int) -> ByteBuffer {
        let body = body(customer, account: account)
        var buffer = ByteBuffer()
        buffer.reserveCapacity(head.count + body.count)
        buffer.writeBytes(head)
        buffer.writeBytes(body)
        return buffer
    }

    func expected(_ number: Int) -> ExpectedAnswer {
        ExpectedAnswer(
            bundleId: expected.bundleId,
            account: RequestBody.account(of: identifier(customers.account(of: number))),
            offers: expected.offers
        )
    }

    func body(of number: Int) -> [UInt8] {
        body(customers.customer(of: number), account: customers.account(of: number))
    }

    private func body(_ customer: Int, account: Int) -> [UInt8] {
        let identifier = Array(identifier(customer).utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(12_288)
        for piece in body {
            switch piece {
            case .text(let text): bytes += text
            case .account: bytes += RequestBody.account(of: self.identifier(account)).utf8
            case .identifier: bytes += identifier
            case .signed(let place):
                guard let signer else { break }
                let payload = payload(place, of: identifier)
                let start = (customer * payloads.count + place) * 64
                let isSigned = start + 64 <= signatures.count
                let signature = isSigned ? signatures[start..<start + 64] : signer.signature(over: payload)[...]
                signer.appendJWS(payload, signature, to: &bytes)
            }
        }
        return bytes
    }

    private func identifier(_ number: Int) -> String { String(first + Int64(number)) }

    private func payload(_ place: Int, of identifier: [UInt8]) -> [UInt8] {
        var payload: [UInt8] = []
        payload.reserveCapacity(1024)
        for piece in payloads[place] {
            if case .text(let text) = piece { payload += text } else { payload += identifier }
        }
        return payload
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
