import StrictJSON
import Testing

@Suite("A value that is left to a reader of its own")
struct JSONRangeTests {
    /// What is passed of a text, from its first bracket on.
    private func passed(_ text: String) throws -> String {
        var reader = JSONReader(Array(text.utf8))
        let range = try reader.passValue()
        return String(decoding: reader.source[range], as: UTF8.self)
    }

    @Test(
        "It ends at its own bracket, whatever is in its strings",
        arguments: [
            "{}", "[]", #"{"a":[{"b":"}]"}],"c":"\"}"}"#, #"["\\"]"#, #"{"a":"\\\"]","b":"é€😀"}"#, "[[[[]]]]",
            #"{"a": 1, "b" : [true, null]}"#,
        ]
    )
    func ends(value: String) throws {
        #expect(try passed(" \(value),\"more\":{}") == value)
    }

    @Test(
        "Where it does not end, or is no object and no array, that is a fault",
        arguments: ["{", "[\"]", "{\"a\\", "\"a\"", "1", "", "}"]
    )
    func faults(text: String) {
        #expect(throws: JSONFault.self) { try passed(text) }
    }

    @Test("Its reader reads it to its end and no further, and names the place in the whole text")
    func range() throws {
        let text = Array(#"{"a":[1,2],"b":3}"#.utf8)
        var reader = JSONReader(text, in: 5..<10)
        var sum: Int64 = 0
        try reader.readArray { (_, reader) throws(JSONFault) in sum += try reader.readInt64() }
        try reader.readEnd()
        #expect(sum == 3)
        for range in [5..<9, 5..<8, 5..<11, 15..<15] {
            let fault = #expect(throws: JSONFault.self) {
                var reader = JSONReader(text, in: range)
                try reader.skipValue()
                try reader.readEnd()
            }
            let place = range.upperBound == 11 ? "at byte 10" : "at the end of the text"
            #expect(fault?.detail.contains(place) == true, "\(String(describing: fault))")
        }
        // Its quote is outside.
        #expect(throws: JSONFault.self) {
            var reader = JSONReader(Array(#"["a"]"#.utf8), in: 1..<3)
            _ = try reader.readString()
        }
    }
}
