/// Which part of an `applicationUsername` is the customer.
///
/// Many apps put an order into it, as in `4711-order-8`: the customer of many orders is one customer all the same.
public struct CustomerPattern: Equatable, Sendable {
    /// The regular expression, in the syntax of Swift's `Regex`, with one capture group.
    public let text: String

    // `nonisolated(unsafe)`: never changed, and made of text alone, without the closures for which Regex is not Sendable.
    private nonisolated(unsafe) let regex: Regex<AnyRegexOutput>

    /// Reads a pattern.
    ///
    /// - Parameter text: A regular expression with one capture group; what is none gives `nil`.
    public init?(_ text: String) {
        guard let regex = try? Regex(text) else { return nil }
        self.text = text
        self.regex = regex
    }

    /// The customer in a name.
    ///
    /// - Parameter name: The `applicationUsername`.
    /// - Returns: What the group caught; `nil` when the pattern is not found in the name, or its group caught nothing.
    public func customer(in name: String) -> String? {
        guard let match = try? regex.firstMatch(in: name), match.output.count > 1,
            let part = match.output[1].substring, !part.isEmpty
        else { return nil }
        return String(part)
    }

    /// Equal by their text.
    public static func == (left: CustomerPattern, right: CustomerPattern) -> Bool { left.text == right.text }
}

extension Account {
    /// The text by which the customer is counted; `nil` where no account is named.
    ///
    /// An `applicationUsername` that is a UUID and the same `appAccountToken` are one customer, as they are to StoreKit:
    /// no pattern is looked for in it.
    ///
    /// - Parameter pattern: Which part of an `applicationUsername` is the customer; `nil` when all of it is.
    /// - Returns: The text.
    public func customer(by pattern: CustomerPattern?) -> String? {
        switch self {
        case .appAccountToken(let token): token.lowercased
        case .applicationUsername(let name): storedToken?.lowercased ?? pattern?.customer(in: name) ?? name
        case .none: nil
        }
    }
}
