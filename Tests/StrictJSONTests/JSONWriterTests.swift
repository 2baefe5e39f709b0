import Foundation
import StrictJSON
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test("What is written, Foundation reads back")
    func roundTrip() throws {
        let strings = ["", "plain", "\"\\/\n\r\t\u{0}\u{1F}", "Zoë \u{2063} 😀", "</script>"]
        var writer = JSONWriter()
        writer.object { object in
            object.member("strings")
            object.array { array in
                for string in strings { array.string(string) }
            }
            object.member("number", Int64.min)
            object.member("yes")
            object.bool(true)
            object.member("empty")
            object.object { _ in }
            object.member("last", "x")
        }
        let object = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any]
        #expect(object?["strings"] as? [String] == strings)
        #expect((object?["number"] as? NSNumber)?.int64Value == .min)
        #expect(object?["yes"] as? Bool == true)
        #expect((object?["empty"] as? [String: Any])?.isEmpty == true)
        #expect(object?["last"] as? String == "x")
    }

    @Test("Bytes are written in Base64 as Foundation writes them", arguments: 0...80)
    func base64(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count &* 91) }
        var writer = JSONWriter()
        writer.base64(bytes)
        #expect(writer.bytes == Array("\"\(Data(bytes).base64EncodedString())\"".utf8))
    }
}
