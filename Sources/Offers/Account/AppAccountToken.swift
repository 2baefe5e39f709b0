/// The UUID by which an app ties a purchase to its own account (`Product.PurchaseOption.appAccountToken` of StoreKit 2).
///
/// Apple signs and compares it in lowercase, whatever case the app wrote.
public struct AppAccountToken: Hashable, Sendable {
    /// The UUID's text in lowercase: 36 characters, RFC 9562 §4.
    public let lowercased: String

    /// Reads a UUID's text in either case.
    ///
    /// - Parameter text: `8-4-4-4-12` hexadecimal digits. Anything else gives `nil`.
    public init?(_ text: String) {
        let bytes = text.utf8.span
        guard bytes.count == 36 else { return nil }
        var hasUppercase = false
        for index in bytes.indices {
            let byte = bytes[index]
            switch index {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            default:
                guard Hexadecimal.isDigit(byte) else { return nil }
                hasUppercase = hasUppercase || byte < UInt8(ascii: "a") && byte > UInt8(ascii: "9")
            }
        }
        // Nearly always it is written in lowercase already.
        self.lowercased = hasUppercase ? text.lowercased() : text
    }

    /// Takes a text that is known to be a UUID's in lowercase.
    init(lowercased: String) {
        self.lowercased = lowercased
    }
}
