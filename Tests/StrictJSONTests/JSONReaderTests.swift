import Foundation
import StrictJSON
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
    /// Whether the reader takes the text, by skipping it and by reading all of it.
    static func accepts(_ bytes: [UInt8]) -> Bool {
        var skipping = JSONReader(bytes)
        let skipped = takes {
            try skipping.skipValue()
            try skipping.readEnd()
        }
        var reading = JSONReader(bytes, refusesDuplicates: false)
        let read = takes {
            try readAll(&reading)
            try reading.readEnd()
        }
        var readingByTable = JSONReader(bytes, refusesDuplicates: false)
        let readByTable = takes {
            try readAllByTable(&readingByTable)
            try readingByTable.readEnd()
        }
        #expect(skipped == read)
        #expect(skipped == readByTable)
        return skipped
    }

    private static func takes(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            return false
        }
    }

    static func readAll(_ reader: inout JSONReader) throws(JSONFault) {
        switch try reader.nextType() {
        case .object: try reader.readObject { (_, reader) throws(JSONFault) in try readAll(&reader) }
        case .array: try reader.readArray { (_, reader) throws(JSONFault) in try readAll(&reader) }
        default: _ = try reader.readScalar()
        }
    }

    private enum NoMember: String, CaseIterable {
        case none = "\u{0}"
    }

    private static let noMembers = JSONMembers(NoMember.self)

    static func readAllByTable(_ reader: inout JSONReader) throws(JSONFault) {
        switch try reader.nextType() {
        case .object: try reader.readObject(noMembers) { (_, reader) throws(JSONFault) in try readAllByTable(&reader) }
        case .array: try reader.readArray { (_, reader) throws(JSONFault) in try readAllByTable(&reader) }
        default: try reader.readPlain { (_, _) throws(JSONFault) in }
        }
    }

    @Test(
        "RFC 8259 and nothing else",
        arguments: [
            ("{}", true), ("[]", true), (" [ 1 , 2 ] ", true), ("\"\"", true), ("0", true), ("-0", true),
            ("1.5e+10", true), ("true", true), ("null", true), ("{\"a\":{\"b\":[null]}}", true),
            ("\"\\u0041\\n\\/\\ud83d\\ude00\"", true), ("\"\u{2063}\u{10FFFF}\"", true), ("\u{09}\u{0A}\u{0D} 1", true),
            ("", false), (" ", false), ("{", false), ("}", false), ("[1,]", false), ("{\"a\":1,}", false),
            ("{a:1}", false), ("{\"a\" 1}", false), ("{\"a\":}", false), ("[1 2]", false), ("01", false), ("+1", false),
            ("1.", false), (".5", false), ("1e", false), ("-", false), ("0x10", false), ("NaN", false), ("tru", false),
            ("nulll", false), ("'a'", false), ("\"a", false), ("\"\\x\"", false), ("\"\\u12g4\"", false),
            ("\"\\ud800\"", false), ("\"\\ud800\\u0041\"", false), ("\"\\udc00\"", false), ("\"\u{0A}\"", false),
            ("\"\u{00}\"", false), ("1 2", false), ("[]]", false), ("\u{FEFF}{}", false), ("{} x", false),
            ("// a\n1", false), ("\"\\", false), ("\"\\u", false), ("\"\\ud83d\\", false),
        ]
    )
    func grammar(text: String, valid: Bool) {
        #expect(Self.accepts(Array(text.utf8)) == valid)
    }

    @Test("Each byte ends a string, or does not, at any place and beside any other byte", arguments: 0..<19)
    func bytesOfStrings(place: Int) {
        for surroundings in ["aaaaaaaaaaaaaaaaaaa", " !#[]~ !#[]~ !#[]~ ", "éà é!éà é!é"] {
            var text = Array("\"\(surroundings)\"".utf8)
            // Only between characters may one be replaced.
            guard place + 1 < text.count - 1, text[place + 1] < 0x80 else { continue }
            for byte in UInt8.min...UInt8.max {
                text[place + 1] = byte
                let isPlain = byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                #expect(Self.accepts(text) == isPlain, "\(byte) in \(surroundings)")
            }
        }
    }

    @Test(
        "Invalid UTF-8 is refused",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x81, 0x22],
        ]
            as [[UInt8]]
    )
    func encoding(bytes: [UInt8]) {
        #expect(!Self.accepts(bytes))
    }

    @Test("Escapes are resolved")
    func escapes() throws {
        var reader = JSONReader(Array(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u2063\ud83d\ude00z""#.utf8))
        #expect(try reader.readString() == "\"\\/\u{8}\u{C}\n\r\tAé\u{2063}😀z")
    }

    @Test("Nesting is bounded, for values that are read and for those that are skipped")
    func depth() {
        let limit = JSONReader.maximumDepth
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(Self.accepts(nested(limit)))
        #expect(!Self.accepts(nested(limit + 1)))
        #expect(!Self.accepts(nested(1_000_000)))
        #expect(Self.accepts(Array("[\(Array(repeating: "[]", count: 100).joined(separator: ","))]".utf8)))
    }

    @Test(
        "A pointer ends before a member whose name may be a secret",
        arguments: [
            ("os_Zk3Qw7hT0pR9vX2sLmN8bYcJ5dGf1HuM4aEIoSxVtQz", "/a"), ("MIGHAgEAMBMG", "/a"),
            ("7b1c0d9e5f3a48b2a6c4e8f017d2953c", "/a"), ("Zk3Qw7hT0pR9vX2sLmN8bYcJ5dGf1HuM4aEIoSxVt", "/a"),
            ("grace_period_expires_date_ms", "/a/grace_period_expires_date_ms/1"), ("os", "/a/os/1"),
        ]
    )
    func secretNames(name: String, pointer: String) {
        let fault = JSONFault(.wrongType, "").inside(element: 1).inside(member: name).inside(member: "a")
        #expect(fault.pointer == pointer)
    }

    @Test("A fault points to its place, with RFC 6901's escapes")
    func pointer() {
        var reader = JSONReader(Array(#"{"a/b":[{"~":1},{"~":true}]}"#.utf8))
        let fault = #expect(throws: JSONFault.self) {
            try reader.readObject { (_, reader) throws(JSONFault) in
                try reader.readArray { (_, reader) throws(JSONFault) in
                    try reader.readObject { (_, reader) throws(JSONFault) in _ = try reader.readInt64() }
                }
            }
        }
        #expect(fault?.pointer == "/a~1b/1/~0")
        #expect(fault?.code == .wrongType)
        #expect(fault?.detail == "Expected is a number; this is a boolean.")
    }

    @Test("null where a value belongs, and a byte order mark, are reported with their remedy")
    func fixes() {
        var null = JSONReader(Array(" null".utf8))
        let fault = #expect(throws: JSONFault.self) { try null.readString() }
        #expect(fault?.detail == "Expected is a string; this is null. A member without a value is left out.")
        var marked = JSONReader([0xEF, 0xBB, 0xBF] + Array("{}".utf8))
        let mark = #expect(throws: JSONFault.self) { try marked.nextType() }
        #expect(mark?.detail == "This is not JSON (RFC 8259): a byte order mark is not allowed at byte 0.")
    }

    @Test("A repeated member is a fault, unless the reader is made to take it")
    func duplicates() throws {
        let text = Array(#"{"a":1,"\u0061":2}"#.utf8)
        var strict = JSONReader(text)
        let fault = #expect(throws: JSONFault.self) { try Self.readAll(&strict) }
        #expect(fault?.code == .duplicateMember)
        #expect(fault?.pointer == "/a")
        var lenient = JSONReader(text, refusesDuplicates: false)
        try Self.readAll(&lenient)
    }

    @Test("Numbers keep their text; whole ones are exact to the last of 64 bits")
    func numbers() throws {
        var reader = JSONReader(Array("[9223372036854775807,9223372036854775808,1.0,12345678901234567890.5]".utf8))
        var seen: [String] = []
        try reader.readArray { (index, reader) throws(JSONFault) in
            if index == 0 {
                seen.append(String(try reader.readInt64()))
            } else if index < 3 {
                do throws(JSONFault) { _ = try reader.readInt64() } catch { seen.append(error.code.rawValue) }
            } else {
                seen.append("\(try reader.readScalar())")
            }
        }
        #expect(
            seen == ["9223372036854775807", "invalid_value", "invalid_value", "number(\"12345678901234567890.5\")"]
        )
    }

    @Test("A skipped value is given as it was written")
    func skipped() throws {
        var reader = JSONReader(Array(#"{"a": {"b" : [1, "x"]} , "c":2}"#.utf8))
        var text = ""
        try reader.readObject { (name, reader) throws(JSONFault) in
            let bytes = try reader.readText()
            if name == "a" { text = String(decoding: bytes, as: UTF8.self) }
        }
        #expect(text == #"{"b" : [1, "x"]}"#)
    }
}
