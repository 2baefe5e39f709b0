extension JSONReader {
    /// Reads an object whose members are known beforehand, member by member.
    ///
    /// Where duplicates are refused, those of known members are.
    ///
    /// - Parameters:
    ///   - members: The members that are known.
    ///   - read: Called for each member, `nil` for one that is not known, with the reader at its value, which it must read
    ///     or skip.
    /// - Throws: ``JSONFault``, from the text or from `read`.
    @inlinable
    public mutating func readObject<Member>(
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
        if take(UInt8(ascii: "}")) { return }
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
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw malformed("\",\" or \"}\" is expected") }
    }

    /// Where a member's name stands in the text, its quotes left out.
    private struct NamePlace {
        let range: Range<Int>
        let hasEscapes: Bool
    }

    private mutating func readNamePlace() throws(JSONFault) -> NamePlace {
        guard nextIsString() else { throw malformed("a member's name is expected") }
        let start = position + 1
        let hasEscapes = try skipString()
        let end = position - 1
        guard take(UInt8(ascii: ":")) else { throw malformed("\":\" is expected") }
        return NamePlace(range: start..<end, hasEscapes: hasEscapes)
    }

    private func index(of name: NamePlace, in names: JSONNames) throws(JSONFault) -> Int? {
        guard name.hasEscapes else {
            return names.index(of: bytes.span, from: name.range.lowerBound, to: name.range.upperBound)
        }
        let resolved = Array(try text(of: name).utf8)
        return names.index(of: resolved.span, from: 0, to: resolved.count)
    }

    private func text(of name: NamePlace) throws(JSONFault) -> String {
        let content = bytes[name.range]
        return name.hasEscapes ? try resolved(content) : String(decoding: content, as: UTF8.self)
    }
}
