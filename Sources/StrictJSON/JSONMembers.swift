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
