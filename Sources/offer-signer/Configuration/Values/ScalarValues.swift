import Offers

enum WholeNumber {
    /// Decimal digits, nothing else.
    ///
    /// YAML's other spellings (`010`, `0x1F`, `1_000`, `1e3`) are refused: readers of a file disagree about them.
    static func parse(_ text: String, in range: ClosedRange<Int>) throws(ValueFault) -> Int {
        let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
        let isPlain =
            !digits.isEmpty && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && (digits.utf8.count == 1 || digits.utf8.first != UInt8(ascii: "0"))
        guard isPlain else {
            throw ValueFault("is not a whole number; write one \(describe(range))")
        }
        guard let number = Int(text), range.contains(number) else {
            throw ValueFault("is out of range; write a whole number \(describe(range))")
        }
        return number
    }

    static func describe(_ range: ClosedRange<Int>) -> String {
        range.upperBound == .max ? "from \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    }
}

enum TruthValue {
    static func parse(_ text: String) throws(ValueFault) -> Bool {
        switch text {
        case "true": return true
        case "false": return false
        default: throw ValueFault("is neither true nor false")
        }
    }
}

enum FilePathText {
    static func parse(_ text: String) throws(ValueFault) -> String {
        guard !text.isEmpty else { throw ValueFault("is empty; write the path of a file") }
        guard !Echo.holdsPrivateKey(text) else { throw ValueFault(Echo.keyItself) }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw ValueFault("is not the path of a file: it has line breaks or other control characters")
        }
        return text
    }
}

/// A text is not a value of the kind asked for.
struct ValueFault: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

extension SubscriptionPeriod {
    /// One unit, such as `P1M`.
    init(parsingISO8601 text: String) throws(ValueFault) {
        guard let period = SubscriptionPeriod(iso8601: text) else {
            throw ValueFault(
                "is not an ISO 8601 duration of one unit; write one such as P1W, P1M, P6M or P1Y"
            )
        }
        self = period
    }
}

extension CustomerSeparator {
    /// The separator is not repeated in a fault.
    static func parse(_ text: String) throws(ValueFault) -> CustomerSeparator {
        guard let separator = CustomerSeparator(text) else {
            throw ValueFault(
                "has \(text.utf8.count) bytes; write 1 to \(byteCounts.upperBound), the text that ends the customer's "
                    + "part of a name, such as \"-\""
            )
        }
        return separator
    }
}

extension Timestamp {
    init(parsingRFC3339 text: String) throws(ValueFault) {
        guard let time = Timestamp(writtenInRFC3339: text) else {
            throw ValueFault("is not an RFC 3339 time; write one such as 2026-01-01T00:00:00Z")
        }
        self = time
    }
}
