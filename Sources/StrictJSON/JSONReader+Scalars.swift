extension JSONReader {
    /// Reads a value that is neither object nor array.
    package mutating func readScalar() throws(JSONFault) -> JSONScalar {
        let type = try nextType()
        switch type {
        case .string: return .string(try readString())
        case .number:
            let start = position
            try skipNumber()
            return .number(String(decoding: bytes[start..<position], as: UTF8.self))
        case .boolean, .null: return try readLiteral()
        case .object, .array: throw JSONFault(.wrongType, "A plain value is expected; this is \(type.phrase).")
        }
    }

    /// Reads a string, number, `true`, `false` or `null` without making a value of it: `read` gets its type and its
    /// text, a string's without its quotes and with its escapes resolved.
    @inlinable
    package mutating func readPlain<Value>(
        _ read: (_ type: JSONType, _ text: Span<UInt8>) throws(JSONFault) -> Value
    ) throws(JSONFault) -> Value {
        let type = try nextType()
        let (place, hasEscapes) = try skipPlain(type)
        guard !hasEscapes else {
            let resolved = try resolvedText(at: place)
            return try read(type, resolved.span)
        }
        return try read(type, bytes.span.extracting(place))
    }

    @usableFromInline
    mutating func skipPlain(_ type: JSONType) throws(JSONFault) -> (place: Range<Int>, hasEscapes: Bool) {
        let start = position
        switch type {
        case .string:
            let hasEscapes = try skipString()
            return ((start + 1)..<(position - 1), hasEscapes)
        case .number: try skipNumber()
        case .boolean, .null: _ = try readLiteral()
        case .object, .array: throw JSONFault(.wrongType, "A plain value is expected; this is \(type.phrase).")
        }
        return (start..<position, false)
    }

    @usableFromInline
    func resolvedText(at place: Range<Int>) throws(JSONFault) -> [UInt8] { Array(try resolved(bytes[place]).utf8) }

    package mutating func readBool() throws(JSONFault) -> Bool {
        try expect(.boolean)
        return try readLiteral() == .bool(true)
    }

    /// Reads a number that is a whole one and fits 64 bits, such as `12`; `12.0` and `1e3` do not count as whole.
    package mutating func readInt64() throws(JSONFault) -> Int64 {
        try expect(.number)
        let start = position
        try skipNumber()
        guard let number = Int64(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            throw JSONFault(.invalidValue, "A whole number of at most 64 bits is expected, in digits alone.")
        }
        return number
    }

    mutating func readLiteral() throws(JSONFault) -> JSONScalar {
        if isNext("true") {
            position += 4
            return .bool(true)
        }
        if isNext("false") {
            position += 5
            return .bool(false)
        }
        if isNext("null") {
            position += 4
            return .null
        }
        throw malformed("a value is expected")
    }

    /// Passes a number by: RFC 8259 §6.
    mutating func skipNumber() throws(JSONFault) {
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
        } else {
            try skipDigits()
        }
        if current == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(JSONFault) {
        let start = position
        while let byte = current, Self.digits.contains(byte) { position += 1 }
        guard position > start else { throw malformed("a digit is expected") }
    }
}

/// A JSON value that is neither object nor array, a number as it was written.
package enum JSONScalar: Equatable, Sendable {
    case string(String)
    /// A number's text, which RFC 8259's grammar allows: no rounding has happened.
    case number(String)
    /// `true` or `false`.
    case bool(Bool)
    case null
}

/// The type of a JSON value, known by its first byte.
@usableFromInline
package enum JSONType: String, Sendable {
    case object
    case array
    case string
    case number
    /// `true` or `false`.
    case boolean
    case null
}
