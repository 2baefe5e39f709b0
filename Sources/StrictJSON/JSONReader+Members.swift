extension JSONReader {
    /// Reads an object whose members are known beforehand.
    ///
    /// `read` must read or skip each value; it gets `nil` for a member that is not known. Where duplicates are refused,
    /// those of known members are.
    @inlinable
    package mutating func readObject<Member>(
        _ members: JSONMembers<Member>,
        _ read: (_ member: Member?, _ reader: inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        let cases = members.members
        try readObject(names: members.names) { (index, reader) throws(JSONFault) in
            try read(index.map { cases[$0] }, &reader)
        }
    }

    @usableFromInline
    mutating func readObject(
        names: JSONNames,
        _ read: (_ index: Int?, _ reader: inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try expect(.object)
        try descend()
        defer { ascend() }
        if consume(UInt8(ascii: "}")) { return }
        var seen: UInt64 = 0
        repeat {
            let name = try readNamePlace()
            let index = try index(of: name, in: names)
            if let index, refusesDuplicates {
                let bit: UInt64 = 1 << UInt64(index)
                guard seen & bit == 0 else {
                    throw JSONFault(.duplicateMember, "The member is there twice.").inside(member: try text(of: name))
                }
                seen |= bit
            }
            do throws(JSONFault) {
                try read(index, &self)
            } catch {
                throw error.inside(member: try text(of: name))
            }
        } while consume(UInt8(ascii: ","))
        guard consume(UInt8(ascii: "}")) else { throw malformed("\",\" or \"}\" is expected") }
    }

    struct NamePlace {
        let range: Range<Int>
        let hasEscapes: Bool
    }

    mutating func readNamePlace() throws(JSONFault) -> NamePlace {
        guard nextIsString() else { throw malformed("a member's name is expected") }
        let start = position + 1
        let hasEscapes = try skipString()
        let end = position - 1
        guard consume(UInt8(ascii: ":")) else { throw malformed("\":\" is expected") }
        return NamePlace(range: start..<end, hasEscapes: hasEscapes)
    }

    private func index(of name: NamePlace, in names: JSONNames) throws(JSONFault) -> Int? {
        guard name.hasEscapes else {
            return names.index(of: bytes.span, from: name.range.lowerBound, to: name.range.upperBound)
        }
        let resolved = Array(try text(of: name).utf8)
        return names.index(of: resolved.span, from: 0, to: resolved.count)
    }

    func text(of name: NamePlace) throws(JSONFault) -> String {
        let content = bytes[name.range]
        return name.hasEscapes ? try resolved(content) : String(decoding: content, as: UTF8.self)
    }
}

/// The members that an object may have, found by their bytes: no string is made for a name that is read.
///
/// Made once, for instance as a `static let`, from an enumeration whose raw values are the names.
@usableFromInline
package struct JSONMembers<Member: RawRepresentable & CaseIterable & Sendable>: Sendable
where Member.RawValue == String {
    @usableFromInline let members: [Member]
    @usableFromInline let names: JSONNames

    /// Makes the table of an enumeration of at most 64 cases.
    package init(_ type: Member.Type) {
        members = Array(type.allCases)
        names = JSONNames(members.map(\.rawValue))
    }
}

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

    /// The position of a name in the list; `nil` when it is none of them.
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
