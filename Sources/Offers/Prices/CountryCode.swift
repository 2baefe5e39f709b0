/// A country by its codes of ISO 3166-1.
public struct CountryCode: Hashable, Sendable {
    /// The alpha-2 code, such as `DE`: two capital letters.
    public let alpha2: String

    private static let alpha2ByCode: [String: String] = {
        var codes: [String: String] = [:]
        for pair in pairs.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            let alpha2 = String(pair.prefix(2))
            codes[alpha2] = alpha2
            codes[String(pair.dropFirst(2))] = alpha2
        }
        return codes
    }()

    /// Reads a code.
    ///
    /// - Parameter code: Alpha-2, or alpha-3 as StoreKit's `Storefront.countryCode` has it, in capitals. One that is
    ///   neither gives `nil`.
    public init?(_ code: String) {
        guard let alpha2 = Self.alpha2ByCode[code] else { return nil }
        self.alpha2 = alpha2
    }
}
