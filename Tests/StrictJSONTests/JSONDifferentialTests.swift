import Foundation
import StrictJSON
import Testing

/// Holds the reader to Foundation's on texts made by damaging good ones.
@Suite("The reader against Foundation's")
struct JSONDifferentialTests {
    private static let seeds = [
        #"{"bundleId":"com.example","offers":[{"productId":"a","offerId":"b"}],"n":-12.5e3,"t":true,"z":null}"#,
        #"["\u00e9\ud83d\ude00\n","😀",{"a":{"b":[[[]]]}},0.1,1E5,false]"#,
        #"{"a":"\"\\\/\b\f","":[{},[],""]," ":0}"#,
    ].map { Array($0.utf8) }

    @Test("The same texts are taken and refused")
    func sameTexts() {
        var generator = SeededGenerator(seed: 20_261_121)
        for round in 0..<30_000 {
            var text = Self.seeds[round % Self.seeds.count]
            for _ in 0..<Int.random(in: 1...3, using: &generator) { damage(&text, &generator) }
            let expected = (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil
            let found = JSONReaderTests.accepts(text)
            // Foundation also takes a byte order mark and UTF-16 and 32, which have NUL bytes, and is lax with some
            // surrogates; where the two differ, ours must be the one that refuses.
            if found != expected {
                #expect(!found, "taken by this reader alone: \(String(decoding: text, as: UTF8.self))")
            }
        }
    }

    private func damage(_ text: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !text.isEmpty else { return }
        let index = Int.random(in: 0..<text.count, using: &generator)
        let pieces: [UInt8] = Array("{}[]\",:\\u0e-.tfn \u{0}\u{7F}".utf8) + [0xFF, 0xC0, 0xED, 0xE2]
        let byte = pieces.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: text[index] = byte
        case 1: text.insert(byte, at: index)
        case 2: text.remove(at: index)
        default: text.removeSubrange(index...)
        }
    }
}

/// SplitMix64: the same texts in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
