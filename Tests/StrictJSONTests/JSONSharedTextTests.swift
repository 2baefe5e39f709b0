import StrictJSON
import Testing

@Suite("Texts that a document has several times")
struct JSONSharedTextTests {
    private func texts(_ json: String) throws -> [String] {
        var texts: [String] = []
        var reader = JSONReader(Array(json.utf8))
        try reader.readArray { (_, reader) throws(JSONFault) in texts.append(try reader.readSharedText().text) }
        try reader.readEnd()
        return texts
    }

    @Test("Each text is read as it stands, whichever were read before it", arguments: 0..<50 as Range<UInt64>)
    func mixed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Long and short, of equal ends, middles and lengths, so that several want one place.
        let words = [
            "", "1", "com.example.reader", "com.example.readar", "com.example.reade", "2000000123456789",
            "2000000123456780", "2000000923456789", "aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaa",
            "aaaaaaaabaaaaaaa", "baaaaaaaaaaaaaaa", "éééééééééééééééé", "ééééééééééééééeé",
        ]
        let chosen = (0..<200).map { _ in words.randomElement(using: &random) ?? "" }
        #expect(try texts("[\(chosen.map { "\"\($0)\"" }.joined(separator: ","))]") == chosen)
    }

    @Test("Numbers, flags, null and escapes are texts as well, objects and arrays are none")
    func types() throws {
        #expect(
            try texts(#"[1234567890123456789012, true, null, "a\u0041", "aaaaaaaaaaaaaaaa\n", "aaaaaaaaaaaaaaaa\n"]"#)
                == ["1234567890123456789012", "true", "null", "aA", "aaaaaaaaaaaaaaaa\n", "aaaaaaaaaaaaaaaa\n"]
        )
        var reader = JSONReader(Array("{}".utf8))
        #expect(throws: JSONFault.self) { try reader.readSharedText() }
        reader = JSONReader(Array("[".utf8))
        #expect(throws: JSONFault.self) { try reader.readSharedText() }
        reader = JSONReader([0x22] + [UInt8](repeating: 0xFF, count: 20) + [0x22])
        #expect(throws: JSONFault.self) { try reader.readSharedText() }
    }
}
