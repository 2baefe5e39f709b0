/// The members that an object may have, found by their bytes: no string is made for a name that is read.
///
/// Made once, for instance as a `static let`, from an enumeration whose raw values are the names.
public struct JSONMembers<Member: RawRepresentable & CaseIterable & Sendable>: Sendable
where Member.RawValue == String {
    @usableFromInline let members: [Member]
    @usableFromInline let names: JSONNames

    /// Makes the table of an enumeration's names.
    ///
    /// - Parameter type: The enumeration, of at most 64 cases.
    public init(_ type: Member.Type) {
        members = Array(type.allCases)
        names = JSONNames(members.map(\.rawValue))
    }
}

/// Names, found by their bytes in a time that does not grow with their number.
@usableFromInline
struct JSONNames: Sendable {
    private let names: [[UInt8]]
    /// Positions in `names`, by hash, the next free slot where two share one; -1 for none.
    private let slots: [Int8]

    init(_ texts: [String]) {
        let names = texts.prefix(64).map { Array($0.utf8) }
        var slots = [Int8](repeating: -1, count: 256)
        for (index, name) in names.enumerated() {
            var slot = Self.hash(name.span, from: 0, to: name.count)
            while slots[slot] >= 0 { slot = (slot + 1) & 255 }
            slots[slot] = Int8(index)
        }
        self.names = names
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
        var slot = Self.hash(text, from: start, to: end)
        // A quarter of the slots is taken at most, so that a free one ends the search.
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            if Self.isEqual(names[index], text, from: start, to: end) { return index }
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

    private static func isEqual(_ name: [UInt8], _ text: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard name.count == end - start else { return false }
        for index in 0..<name.count where name[index] != text[start + index] { return false }
        return true
    }
}
