/// Makes bad inputs of good ones, the same for the same seed (SplitMix64).
struct Mutator: RandomNumberGenerator {
    private static let interesting: [UInt8] = [0x00, 0x80, 0x84, 0x88, 0xFF, 0x7F, 0x30, 0x31, 0x04, 0x22, 0x5B, 0x7B]
    private static let largest = 65_536

    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// An input with one to eight changes.
    mutating func mutation(of seeds: [[UInt8]]) -> [UInt8] {
        guard var bytes = seeds.randomElement(using: &self) else { return [] }
        for _ in 0..<Int.random(in: 1...8, using: &self) { change(&bytes) }
        return Array(bytes.prefix(Self.largest))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes.append(UInt8.random(in: .min ... .max, using: &self)) }
        let place = Int.random(in: bytes.indices, using: &self)
        switch Int.random(in: 0..<7, using: &self) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 1: bytes[place] = Self.interesting.randomElement(using: &self) ?? 0
        case 2: bytes[place] = UInt8.random(in: .min ... .max, using: &self)
        case 3: bytes.removeSubrange(place..<min(place + Int.random(in: 1...16, using: &self), bytes.count))
        case 4: bytes.insert(Self.interesting.randomElement(using: &self) ?? 0, at: place)
        case 5: bytes.removeSubrange(place...)
        default:
            // A piece again: what nests or repeats grows this way.
            let piece = bytes[place..<min(place + Int.random(in: 1...64, using: &self), bytes.count)]
            for _ in 0..<Int.random(in: 1...32, using: &self) { bytes.insert(contentsOf: piece, at: place) }
        }
    }
}
