import StrictJSON

extension JSONFault {
    /// An object has a member that does not belong there, with those that do for who misspelt one.
    ///
    /// - Parameter names: The names of the members that the object may have.
    init(unknownAmong names: [String]) {
        self.init(.unknownMember, "There is no such member; known here: \(names.joined(separator: ", ")).")
    }
}
