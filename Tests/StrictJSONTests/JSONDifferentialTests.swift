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

    /// How long to go on, in seconds: `make soak` sets it; without, a fixed number of texts is tried.
    private static let soakSeconds = ProcessInfo.processInfo.environment["OFFER_SIGNER_SOAK_SECONDS"].flatMap(
        Double.init
    )

    @Test("The same texts are taken and refused, and those that are taken say the same")
    func sameTexts() {
        var generator = SeededGenerator(seed: 20_261_121)
        let end = Self.soakSeconds.map { Date(timeIntervalSinceNow: $0) }
        for seed in Self.seeds { #expect(compare(seed)) }
        var round = 0
        var taken = 0
        while end.map({ $0 > Date() }) ?? (round < 30_000) {
            var text = Self.seeds[round % Self.seeds.count]
            for _ in 0..<Int.random(in: 1...3, using: &generator) { damage(&text, &generator) }
            if compare(text) { taken += 1 }
            round += 1
        }
        #expect(taken > round / 20, "\(taken) of \(round) texts are taken")
        if Self.soakSeconds != nil { print("JSON: \(round) texts read by both") }
    }

    /// Reads a text with both; `true` when both take it.
    private func compare(_ text: [UInt8]) -> Bool {
        let expected = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
        let found = JSONReaderTests.accepts(text)
        guard found == (expected != nil) else {
            #expect(!found, "taken by this reader alone: \(String(decoding: text, as: UTF8.self))")
            #expect(Self.isForFoundationAlone(text), "refused by this reader alone: \(text)")
            return false
        }
        // Of two members of one name, Foundation keeps one, and ours says that there are two.
        guard found, let value = Self.value(text), let expected else { return found }
        #expect(value == Self.value(ofFoundation: expected), "\(String(decoding: text, as: UTF8.self))")
        return true
    }

    /// Whether only Foundation may take a text: it also reads UTF-16 and 32, which have NUL bytes, half surrogate pairs, and
    /// a comma behind the last element.
    private static func isForFoundationAlone(_ text: [UInt8]) -> Bool {
        text.contains(0) || String(decoding: text, as: UTF8.self).contains(/\\u[dD][89a-fA-F]|,\s*[\]}]/)
    }

    /// A text's value, with flags as numbers: Foundation tells them apart by nothing else than their text.
    private enum Value: Equatable {
        case object([String: Value])
        case array([Value])
        case string(String)
        case number(Double)
        case null
        case unknown
    }

    /// What the reader makes of a text; `nil` when a member is there twice.
    private static func value(_ text: [UInt8]) -> Value? {
        var reader = JSONReader(text)
        return try? value(&reader)
    }

    private static func value(_ reader: inout JSONReader) throws(JSONFault) -> Value {
        switch try reader.nextType() {
        case .object:
            var object: [String: Value] = [:]
            try reader.readObject { (name, reader) throws(JSONFault) in object[name] = try value(&reader) }
            return .object(object)
        case .array:
            var array: [Value] = []
            try reader.readArray { (_, reader) throws(JSONFault) in array.append(try value(&reader)) }
            return .array(array)
        default:
            switch try reader.readScalar() {
            case .string(let text): return .string(text)
            case .number(let text): return .number(Double(text) ?? .nan)
            case .bool(let flag): return .number(flag ? 1 : 0)
            case .null: return .null
            }
        }
    }

    private static func value(ofFoundation value: Any) -> Value {
        switch value {
        case let object as [String: Any]: .object(object.mapValues(Self.value(ofFoundation:)))
        case let array as [Any]: .array(array.map(Self.value(ofFoundation:)))
        case let text as String: .string(text)
        case let number as NSNumber: .number(number.doubleValue)
        case is NSNull: .null
        default: .unknown
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
