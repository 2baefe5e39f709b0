import Foundation
import Offers
import Testing

@Suite("Nonces")
struct NonceTests {
    @Test("Version 4, variant 10, lowercase, as Foundation reads it")
    func shape() throws {
        for _ in 0..<1000 {
            let text = Nonce().text
            #expect(text == text.lowercased())
            let uuid = try #require(UUID(uuidString: text)).uuid
            #expect(uuid.6 >> 4 == 4)
            #expect(uuid.8 >> 6 == 0b10)
        }
    }

    @Test("All other bits come from the generator")
    func bits() {
        var ones = Words(.max, .max)
        #expect(Nonce(using: &ones).text == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        var zeros = Words(0, 0)
        #expect(Nonce(using: &zeros).text == "00000000-0000-4000-8000-000000000000")
    }
}
