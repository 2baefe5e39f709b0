import Foundation
import StrictJSON
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test("Foundation reads all written JSON back")
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
            object.member("escaped", strings[2])
            object.member("unescaped", strings[3])
            for string in strings {
                object.member(named: "of " + string)
                object.string(string)
            }
            object.member("last", "x")
        }
        let object = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any]
        #expect(object?["strings"] as? [String] == strings)
        #expect((object?["number"] as? NSNumber)?.int64Value == .min)
        #expect(object?["yes"] as? Bool == true)
        #expect((object?["empty"] as? [String: Any])?.isEmpty == true)
        #expect(object?["escaped"] as? String == strings[2])
        #expect(object?["unescaped"] as? String == strings[3])
        for string in strings { #expect(object?["of " + string] as? String == string) }
        #expect(object?["last"] as? String == "x")
    }

    @Test("Each character is written, at any place in a string of any length", arguments: 1..<20)
    func everyPlace(length: Int) throws {
        for place in 0..<length {
            for code in 0..<0x80 as Range<UInt8> {
                var text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                text[place] = code
                let string = String(decoding: text, as: UTF8.self)
                var writer = JSONWriter()
                writer.array { $0.string(string) }
                var reader = JSONReader(writer.bytes)
                var read: [String] = []
                try reader.readArray { (_, reader) throws(JSONFault) in read.append(try reader.readString()) }
                try reader.readEnd()
                #expect(read == [string], "\(code) at \(place) of \(length)")
                let isEscaped = code < 0x20 || code == UInt8(ascii: "\"") || code == UInt8(ascii: "\\")
                #expect((writer.bytes.count > length + 4) == isEscaped)
            }
        }
    }

    @Test("Bytes are written in Base64 as Foundation writes them", arguments: 0...80)
    func base64(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count &* 91) }
        var writer = JSONWriter()
        writer.base64(bytes)
        #expect(writer.bytes == Array("\"\(Data(bytes).base64EncodedString())\"".utf8))
    }
}
