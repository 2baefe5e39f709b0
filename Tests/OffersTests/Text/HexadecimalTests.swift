import Offers
import Testing

@Suite("Hexadecimal")
struct HexadecimalTests {
    @Test("The test vectors of RFC 4648 §10", arguments: [("", ""), ("f", "66"), ("foobar", "666F6F626172")])
    func vectors(text: String, digits: String) {
        #expect(Hexadecimal.text(text.utf8) == digits.lowercased())
        #expect(Hexadecimal.bytes(digits) == Array(text.utf8))
        #expect(Hexadecimal.bytes(digits.lowercased()) == Array(text.utf8))
    }

    @Test("All bytes come back; text without two digits a byte is refused")
    func roundTrip() {
        let all = Array(UInt8.min...UInt8.max)
        #expect(Hexadecimal.bytes(Hexadecimal.text(all)) == all)
        for text in ["6", "666", "6g", "g6", "0x", " 66", "６６"] { #expect(Hexadecimal.bytes(text) == nil) }
        for byte in all { #expect(Hexadecimal.isDigit(byte) == "0123456789abcdefABCDEF".utf8.contains(byte)) }
    }
}
