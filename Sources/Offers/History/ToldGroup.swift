/// The group that transactions tell of a subscription or of a product.
///
/// Where they tell different ones none is taken: which of them is true cannot be seen, and lists come in no order that
/// counts.
struct ToldGroup {
    /// The group's identifier; `nil` where none is told, or more than one.
    private(set) var identifier: String?
    /// Whether any is told.
    private(set) var isTold = false

    /// Takes what one transaction tells into account.
    ///
    /// - Parameter other: The group; `nil` where the transaction tells none.
    mutating func note(_ other: String?) {
        guard let other else { return }
        if !isTold {
            (identifier, isTold) = (other, true)
        } else if identifier != other {
            identifier = nil
        }
    }
}
