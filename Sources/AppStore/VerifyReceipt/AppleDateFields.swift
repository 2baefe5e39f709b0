import Offers

/// A date that Apple writes twice: as milliseconds, which count, and as text.
///
/// Old answers have the text alone, and in it milliseconds or a date.
struct AppleDateFields {
    /// From the member that ends in `_ms`.
    var milliseconds: Timestamp?
    /// From the member that does not.
    var text: Timestamp?

    /// The date.
    var value: Timestamp? { milliseconds ?? text }
}
