import Offers
import StrictJSON

// Apple's answers have written the same thing as string, number and boolean over the years. `null` and the empty string
// stand for a member that is not there.

extension JSONReader {
    /// Reads an answer of Apple's to its end; of two members of one name the last counts.
    static func readingApple<Value>(
        _ json: [UInt8],
        _ read: (inout JSONReader) throws(JSONFault) -> Value
    ) throws(JSONFault) -> Value {
        var reader = JSONReader(json, refusesDuplicates: false)
        let value = try read(&reader)
        try reader.readEnd()
        return value
    }

    /// Reads the members of an answer of Apple's to its end.
    static func membersOfApple(
        _ json: [UInt8],
        _ read: (_ name: String, _ reader: inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try readingApple(json) { (reader) throws(JSONFault) in try reader.readObject(read) }
    }

    /// Reads a plain value: a string's text, or a number or boolean as it is written.
    private mutating func readApple<Value>(
        _ read: (_ text: Span<UInt8>) throws(JSONFault) -> Value
    ) throws(JSONFault) -> Value? {
        try readPlain { (type, text) throws(JSONFault) in
            type == .null || text.isEmpty ? nil : try read(text)
        }
    }

    /// Reads text: a string, or a number or boolean as it is written.
    mutating func readAppleText() throws(JSONFault) -> String? {
        let (type, text) = try readSharedText()
        return type == .null || text.isEmpty ? nil : text
    }

    /// Reads an identifier of a product, a subscription, a transaction or an offer.
    ///
    /// It is kept, and a client may have made it up: what a database could not give back as it was must not get there.
    mutating func readAppleIdentifier() throws(JSONFault) -> String? {
        guard let text = try readAppleText() else { return nil }
        guard text.utf8.count <= Self.longestIdentifier else {
            throw JSONFault(.invalidValue, "An identifier has at most \(Self.longestIdentifier) bytes.")
        }
        guard !ControlCharacter.isFound(in: text) else {
            throw JSONFault(.invalidValue, "An identifier has no control characters.")
        }
        return text
    }

    /// How many bytes an identifier may have; App Store Connect takes at most 100 characters for a product's.
    static var longestIdentifier: Int { 255 }

    /// Reads a whole number, or its text.
    mutating func readAppleInteger() throws(JSONFault) -> Int64? {
        try readApple { (text) throws(JSONFault) in
            guard let number = Int64(decimalDigits: text) else {
                throw JSONFault(.invalidValue, "A whole number is expected.")
            }
            return number
        }
    }

    /// Reads a flag: `true`, `1`, `"true"`, `"1"`, and their opposites.
    mutating func readAppleFlag() throws(JSONFault) -> Bool? {
        try readApple { (text) throws(JSONFault) in
            // A longer text is no flag; a short one becomes a string without allocating memory.
            switch text.count <= 5 ? String(text) : "" {
            case "false", "0": return false
            case "true", "1": return true
            default: throw JSONFault(.invalidValue, "A flag is expected: 1, 0, true or false.")
            }
        }
    }

    /// Reads `expiration_intent`.
    mutating func readAppleIntent(into renewal: inout RenewalInfo) throws(JSONFault) {
        let intent = try readAppleText()
        renewal.hasExpirationIntent = intent != nil && intent != "0"
        renewal.lapseReason = intent.flatMap { Int64($0) }.flatMap(LapseReason.init)
    }

    /// Reads a moment: milliseconds since 1970 (a fraction, as Xcode writes it, is cut off), or `2020-07-14 19:41:40
    /// Etc/GMT`; 0 stands for a date that is not there.
    mutating func readAppleDate() throws(JSONFault) -> Timestamp? {
        let date = try readApple { (text) throws(JSONFault) in
            guard let date = Timestamp(apple: text) else { throw .noAppleDate }
            return date
        }
        return date?.millisecondsSince1970 == 0 ? nil : date
    }

    /// Reads whose purchase a transaction is: not known for another text than Apple's, also for an empty one.
    mutating func readOwnership() throws(JSONFault) -> Ownership? {
        let (type, text) = try readSharedText()
        return type == .null ? nil : Ownership(String(text.prefix(Self.longestIdentifier)))
    }

    /// Reads an account's UUID; anything else is a fault, as evidence of an unknown account must not pass as free.
    mutating func readAppleAccountToken() throws(JSONFault) -> AppAccountToken? {
        guard let text = try readAppleText() else { return nil }
        guard let token = AppAccountToken(text) else { throw JSONFault(.invalidValue, "A UUID is expected.") }
        return token
    }

    /// Reads an object's members; anything else is passed by, and gives `false`.
    @discardableResult
    mutating func readAppleObject(
        _ read: (_ name: String, _ reader: inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) -> Bool {
        guard try nextType() == .object else {
            try skipValue()
            return false
        }
        try readObject(read)
        return true
    }

    /// Reads a list of objects, or one object that stands for a list of one; `null` is an empty list.
    mutating func readOneOrMany(_ read: (inout JSONReader) throws(JSONFault) -> Void) throws(JSONFault) {
        switch try nextType() {
        case .null: try skipValue()
        case .object: try read(&self)
        default: try readArray { (_, reader) throws(JSONFault) in try read(&reader) }
        }
    }
}

extension Timestamp {
    init?(apple text: Span<UInt8>) {
        if let milliseconds = Int64(decimalDigits: text) {
            self.init(millisecondsSince1970: milliseconds)
        } else if let date = Timestamp(appleText: text) {
            self = date
        } else {
            let text = String(text)
            // A whole number that is no Int64 is none as a Double either, which would round it into the range.
            guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }),
                let milliseconds = Double(text), let whole = Int64(exactly: milliseconds.rounded(.towardZero))
            else { return nil }
            self.init(millisecondsSince1970: whole)
        }
    }
}

extension JSONFault {
    /// A date is none.
    static let noAppleDate = JSONFault(.invalidValue, "A date is expected, in milliseconds since 1970.")
}

extension String {
    /// A text that the reader found to be UTF-8.
    fileprivate init(_ text: Span<UInt8>) {
        self = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
