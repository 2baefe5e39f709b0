extension JSONReader {
    /// Reads a value that is neither object nor array.
    ///
    /// - Returns: The value.
    /// - Throws: ``JSONFault`` when it is not one.
    public mutating func readScalar() throws(JSONFault) -> JSONScalar {
        switch try nextType() {
        case .string: return .string(try readString())
        case .number:
            let start = position
            try skipNumber()
            return .number(String(decoding: bytes[start..<position], as: UTF8.self))
        case .boolean, .null: return try readLiteral()
        case .object: throw JSONFault(.wrongType, "A plain value is expected; this is an object.")
        case .array: throw JSONFault(.wrongType, "A plain value is expected; this is an array.")
        }
    }

    /// Reads a value that is neither object nor array as it is written, so that a number or date in it can be read
    /// without making a string first.
    ///
    /// - Returns: The value's type, and its bytes: a string's content with its escapes resolved, a number's or literal's
    ///   text.
    /// - Throws: ``JSONFault`` when it is not one.
    public mutating func readPlain() throws(JSONFault) -> (type: JSONType, bytes: ArraySlice<UInt8>) {
        let type = try nextType()
        let start = position
        switch type {
        case .string:
            let hasEscapes = try skipString()
            let content = bytes[(start + 1)..<(position - 1)]
            return (type, hasEscapes ? Array(try resolved(content).utf8)[...] : content)
        case .number: try skipNumber()
        case .boolean, .null: _ = try readLiteral()
        case .object: throw JSONFault(.wrongType, "A plain value is expected; this is an object.")
        case .array: throw JSONFault(.wrongType, "A plain value is expected; this is an array.")
        }
        return (type, bytes[start..<position])
    }

    /// Reads `true` or `false`.
    ///
    /// - Returns: The value.
    /// - Throws: ``JSONFault`` when it is neither.
    public mutating func readBool() throws(JSONFault) -> Bool {
        try expect(.boolean)
        return try readLiteral() == .bool(true)
    }

    /// Reads a number that is a whole one and fits 64 bits, such as `12`; `12.0` and `1e3` do not count as whole.
    ///
    /// - Returns: The number.
    /// - Throws: ``JSONFault`` when it is another value.
    public mutating func readInt64() throws(JSONFault) -> Int64 {
        try expect(.number)
        let start = position
        try skipNumber()
        guard let number = Int64(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            throw JSONFault(.invalidValue, "A whole number of at most 64 bits is expected.")
        }
        return number
    }

    /// Reads `true`, `false` or `null`.
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
