/// Who said what is held; the raw values are kept in storage.
public enum StateSource: Int, CaseIterable, Sendable {
    /// A client sent it: a verifyReceipt answer that its backend fetched, as it says.
    ///
    /// It is never held over what Apple said to this service.
    case client = 1
    /// Apple answered it to this service: verifyReceipt.
    case fetched = 2
    /// Apple signed it: signed transactions and renewal infos, wherever they came from.
    case signed = 3

    /// Whether it is certain that Apple said it.
    public var isApples: Bool { self != .client }
}
