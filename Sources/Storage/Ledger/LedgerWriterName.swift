/// The identifiers of writers.
enum LedgerWriterName {
    /// Makes a new one.
    ///
    /// - Returns: 16 random hexadecimal digits.
    static func random() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
