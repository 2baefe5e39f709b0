import NIOCore
import StrictJSON

/// Apple's calls about customers who are about to cancel, each about one of so many customers, with an identifier of its own,
/// and signed as the stand-in App Store signs.
struct RetentionRequests: Sendable {
    /// The identifier of the first customer, of sixteen digits; the others count on from there.
    private let first: Int64
    private let customers: Int
    private let expected: ExpectedAnswer
    private let payload: [MadeUpRequests.Piece]
    private let signer: StandInSigner
    private var head: [UInt8] = []
    /// The signatures of the first requests, one after the other.
    private var signatures: [UInt8] = []

    private static let opening = Array(#"{"signedPayload":""#.utf8)
    private static let closing = Array(#""}"#.utf8)

    init(
        of customers: Int,
        from first: Int64,
        expecting expected: ExpectedAnswer,
        payload: [UInt8],
        signer: StandInSigner,
        head: (_ bodyLength: Int) -> [UInt8]
    ) {
        self.customers = customers
        self.first = first
        self.expected = expected
        self.signer = signer
        self.payload = MadeUpRequests.cut(
            payload,
            at: [(MadeUpRequests.identifierMark, .identifier), (MadeUpRequests.accountMark, .account)]
        )
        self.head = head(body(of: 0).count)
    }

    mutating func prepare(_ count: Int) async throws(LoadFault) {
        let requests = self
        signatures = try await signer.signatures(count) { requests.payload(of: $0) }
    }

    func request(_ number: Int) -> ByteBuffer {
        let body = body(of: number)
        var buffer = ByteBuffer()
        buffer.reserveCapacity(head.count + body.count)
        buffer.writeBytes(head)
        buffer.writeBytes(body)
        return buffer
    }

    func expected(_ number: Int) -> ExpectedAnswer {
        var expected = expected
        expected.originalTransactionId = identifier(of: number)
        return expected
    }

    func body(of number: Int) -> [UInt8] {
        var bytes = Self.opening
        bytes.reserveCapacity(8192)
        let payload = payload(of: number)
        let start = number * 64
        let isSigned = start + 64 <= signatures.count
        let signature = isSigned ? signatures[start..<start + 64] : signer.signature(over: payload)[...]
        signer.appendJWS(payload, signature, to: &bytes)
        return bytes + Self.closing
    }

    private func identifier(of number: Int) -> String {
        String(first + Int64(CustomerCount.number(customers).customer(of: number)))
    }

    private func payload(of number: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        for piece in payload {
            switch piece {
            case .text(let text): bytes += text
            case .account: bytes += RequestBody.account(of: "call \(first) \(number)").utf8
            case .identifier, .signed: bytes += identifier(of: number).utf8
            }
        }
        return bytes
    }
}
