/// The name of a request in logs: taken from `X-Request-ID`, or made.
struct RequestID: Equatable, Sendable {
    /// How long one may be that is taken, in characters.
    static let maximumLength = 128

    /// Letters, digits and `-._~+/=:@`.
    let text: String

    /// Takes what a client or a proxy sent.
    ///
    /// - Parameter text: The value of `X-Request-ID`.
    init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isSafe) else { return nil }
        self.text = text
    }

    /// Makes one: 128 random bits.
    init() {
        func hexadecimal(_ number: UInt64) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        text = hexadecimal(.random(in: 0 ... .max)) + hexadecimal(.random(in: 0 ... .max))
    }

    /// Whether a character can stand in any log or header without being quoted.
    private static func isSafe(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/=:@".utf8.contains(character)
        }
    }
}
