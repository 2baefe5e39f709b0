/// A currency by its code of ISO 4217, such as `EUR`.
public struct CurrencyCode: Hashable, Sendable {
    /// The code: three capital letters.
    public let code: String
    /// How many decimals its amounts have, 0 to 4 (the minor unit of ISO 4217).
    public let decimals: Int

    private static let decimalsByCode: [String: Int] = Dictionary(
        uniqueKeysWithValues: codes.flatMap { decimals, codes in
            codes.split { $0 == " " || $0 == "\n" }.map { (String($0), decimals) }
        }
    )

    /// Reads a code.
    ///
    /// - Parameter code: The code, in capitals. One that ISO 4217 does not list gives `nil`.
    public init?(_ code: String) {
        guard let decimals = Self.decimalsByCode[code] else { return nil }
        self.code = code
        self.decimals = decimals
    }
}
