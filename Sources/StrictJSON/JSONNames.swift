/// Names, found by their bytes in a time that does not grow with their number.
@usableFromInline
struct JSONNames: Sendable {
    /// All names, one after the other: an array for each would be retained for each look at it.
    private let text: [UInt8]
    /// Where each begins, and where the last one ends.
    private let starts: [Int32]
    /// Positions of names, by hash, the next free slot where two share one; -1 for none.
    private let slots: [Int8]

    init(_ texts: [String]) {
        var text: [UInt8] = []
        var starts: [Int32] = [0]
        var slots = [Int8](repeating: -1, count: 256)
        for (index, name) in texts.prefix(64).enumerated() {
            let start = text.count
            text += name.utf8
            starts.append(Int32(text.count))
            var slot = Self.hash(text.span, from: start, to: text.count)
            while slots[slot] >= 0 { slot = (slot + 1) & 255 }
            slots[slot] = Int8(index)
        }
        self.text = text
        self.starts = starts
        self.slots = slots
    }

    /// The position of a name.
    ///
    /// - Parameters:
    ///   - text: The text that the name is in.
    ///   - start: Where the name begins.
    ///   - end: Where it ends.
    /// - Returns: Its position in the list; `nil` when it is none of them.
    func index(of text: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        let name = text.extracting(start..<end)
        let slots = slots.span
        let starts = starts.span
        let names = self.text.span
        var slot = Self.hash(text, from: start, to: end)
        // A quarter of the slots is taken at most, so that a free one ends the search.
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            if EightBytes.areEqual(names.extracting(Int(starts[index])..<Int(starts[index + 1])), name) { return index }
            slot = (slot + 1) & 255
        }
        return nil
    }

    private static func hash(_ text: Span<UInt8>, from start: Int, to end: Int) -> Int {
        guard start < end else { return 0 }
        let middle = (start + end) / 2
        let sum =
            (end - start) &* 37 &+ Int(text[start]) &* 3 &+ Int(text[middle]) &* 17 &+ Int(text[end - 1]) &* 31
        return sum & 255
    }
}
