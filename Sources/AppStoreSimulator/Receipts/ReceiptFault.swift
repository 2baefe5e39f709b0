/// Why a text is not a receipt of this simulator.
enum ReceiptFault: Error, Equatable {
    /// It does not have the form of a receipt: status 21002.
    case malformed
    /// It has, and another signed it: status 21003.
    case notAuthentic
}
