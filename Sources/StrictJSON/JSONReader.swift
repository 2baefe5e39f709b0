/// Reads JSON (RFC 8259) front to back, without building a tree: the caller asks for what it expects, and skips the rest.
///
/// Strict: UTF-8 must be valid, surrogates paired, control characters escaped, numbers as the grammar says, nothing after
/// the document. Nesting is bounded. Faults carry a JSON Pointer. Foundation's decoder gives no pointer to a fault, does
/// not see repeated or unknown members, and takes ten times as long on the small bodies of this service.
@usableFromInline
package struct JSONReader {
    /// How deep objects and arrays may be nested.
    package static let maximumDepth = 32

    static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    @usableFromInline let bytes: [UInt8]
    /// The end of the text: behind it, ``bytes`` may have more that is not of it.
    let end: Int
    private let start: Int
    var position: Int
    private var depth = 0
    /// What ``readSharedText()`` has read of late.
    var sharedTexts: SharedTexts?
    let refusesDuplicates: Bool

    /// Where duplicates are refused, two members of one name are a fault in the objects that are read, not in those
    /// that are skipped.
    package init(_ bytes: [UInt8], refusesDuplicates: Bool = true) {
        self.init(bytes, in: bytes.indices, refusesDuplicates: refusesDuplicates)
    }

    /// Reads a text that is a part of another.
    package init(_ bytes: [UInt8], in range: Range<Int>, refusesDuplicates: Bool = true) {
        let range = range.clamped(to: bytes.indices)
        self.bytes = bytes
        (start, end) = (range.lowerBound, range.upperBound)
        position = start
        self.refusesDuplicates = refusesDuplicates
    }

    /// The type of the value that comes next; the value itself is checked when it is read.
    @usableFromInline
    package mutating func nextType() throws(JSONFault) -> JSONType {
        skipWhiteSpace()
        switch current {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t") where isNext("true"), UInt8(ascii: "f") where isNext("false"): return .boolean
        case UInt8(ascii: "n") where isNext("null"): return .null
        case let byte? where byte == UInt8(ascii: "-") || Self.digits.contains(byte): return .number
        default: throw malformed(beginsWithMark ? "a byte order mark is not allowed" : "a value is expected")
        }
    }

    /// Whether the reader is at a byte order mark before the document (RFC 8259 §8.1 does not want it).
    private var beginsWithMark: Bool { position == start && bytes[start..<end].starts(with: [0xEF, 0xBB, 0xBF]) }

    /// Reads an object, member by member; `read` must read or skip each value.
    package mutating func readObject(
        _ read: (_ name: String, _ reader: inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try expect(.object)
        var names = refusesDuplicates ? Set<String>() : nil
        try readMembers { (place, reader) throws(JSONFault) in
            let name = try reader.text(of: place)
            if names?.insert(name).inserted == false {
                throw JSONFault(.duplicateMember, "The member is there twice.").inside(member: name)
            }
            do throws(JSONFault) {
                try read(name, &reader)
            } catch {
                throw error.inside(member: name)
            }
        }
    }

    /// Reads the members of the object that comes next; `read` must read or skip each value.
    private mutating func readMembers(
        _ read: (_ name: NamePlace, _ reader: inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try descend()
        defer { ascend() }
        if consume(UInt8(ascii: "}")) { return }
        repeat { try read(try readNamePlace(), &self) } while consume(UInt8(ascii: ","))
        guard consume(UInt8(ascii: "}")) else { throw malformed("\",\" or \"}\" is expected") }
    }

    /// Reads an array, element by element; `read` must read or skip each.
    package mutating func readArray(
        _ read: (_ index: Int, _ reader: inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try expect(.array)
        try descend()
        defer { ascend() }
        if consume(UInt8(ascii: "]")) { return }
        var index = 0
        repeat {
            do throws(JSONFault) {
                try read(index, &self)
            } catch {
                throw error.inside(element: index)
            }
            index += 1
        } while consume(UInt8(ascii: ","))
        guard consume(UInt8(ascii: "]")) else { throw malformed("\",\" or \"]\" is expected") }
    }

    /// Checks the value that comes next, and takes its text as it is.
    package mutating func readText() throws(JSONFault) -> [UInt8] {
        skipWhiteSpace()
        let start = position
        try skipValue()
        return Array(bytes[start..<position])
    }

    /// Finds the object or array that comes next in ``source`` by its brackets and quotes alone, for a reader of its
    /// own that checks what is in it.
    package mutating func passValue() throws(JSONFault) -> Range<Int> {
        let type = try nextType()
        if type != .array { try expect(.object, found: type) }
        let start = position
        var open = 0
        repeat {
            switch current {
            case UInt8(ascii: "{"), UInt8(ascii: "["): open += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): open -= 1
            case UInt8(ascii: "\""): passString()
            case nil: throw malformed("the value does not end")
            default: break
            }
            position += 1
        } while open > 0
        return start..<position
    }

    /// The bytes that are read, and those around them.
    package var source: [UInt8] { bytes }

    /// Checks the value that comes next and passes it by.
    package mutating func skipValue() throws(JSONFault) {
        switch try nextType() {
        case .object: try readMembers { (_, reader) throws(JSONFault) in try reader.skipValue() }
        case .array:
            try descend()
            if !consume(UInt8(ascii: "]")) {
                repeat { try skipValue() } while consume(UInt8(ascii: ","))
                guard consume(UInt8(ascii: "]")) else { throw malformed("\",\" or \"]\" is expected") }
            }
            ascend()
        case .string: try skipString()
        case .number: try skipNumber()
        case .boolean, .null: _ = try readLiteral()
        }
    }

    /// Checks that nothing but white space is left.
    package mutating func readEnd() throws(JSONFault) {
        skipWhiteSpace()
        guard position == end else { throw malformed("the document has ended, and more text follows") }
    }

    // MARK: Tokens

    var current: UInt8? { position < end ? bytes[position] : nil }

    func isNext(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard end - position >= length else { return false }
        return text.withUTF8Buffer { text in
            for index in 0..<length where bytes[position + index] != text[index] { return false }
            return true
        }
    }

    func malformed(_ what: String) -> JSONFault {
        let place = position < end ? "at byte \(position)" : "at the end of the text"
        return JSONFault(.malformed, "This is not JSON (RFC 8259): \(what) \(place).")
    }

    func expect(_ expected: JSONType, found: JSONType) throws(JSONFault) {
        guard found == expected else {
            let fix = found == .null ? " A member without a value is left out." : ""
            throw JSONFault(.wrongType, "Expected is \(expected.phrase); this is \(found.phrase).\(fix)")
        }
    }

    mutating func expect(_ expected: JSONType) throws(JSONFault) {
        try expect(expected, found: try nextType())
    }

    /// Steps into an object or array, past its first byte.
    mutating func descend() throws(JSONFault) {
        depth += 1
        guard depth <= Self.maximumDepth else {
            throw JSONFault(.tooDeep, "Objects and arrays may be nested \(Self.maximumDepth) deep, no deeper.")
        }
        position += 1
    }

    /// Steps out of an object or array again.
    mutating func ascend() {
        depth -= 1
    }

    mutating func consume(_ byte: UInt8) -> Bool {
        skipWhiteSpace()
        guard current == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    private mutating func skipWhiteSpace() {
        // Mostly there is none.
        if let byte = current, byte <= 0x20 { skipSomeWhiteSpace() }
    }

    private mutating func skipSomeWhiteSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    mutating func nextIsString() -> Bool {
        skipWhiteSpace()
        return current == UInt8(ascii: "\"")
    }
}

extension JSONType {
    /// The type with its article, for a sentence.
    package var phrase: String {
        switch self {
        case .object, .array: "an \(rawValue)"
        case .null: "null"
        default: "a \(rawValue)"
        }
    }
}
