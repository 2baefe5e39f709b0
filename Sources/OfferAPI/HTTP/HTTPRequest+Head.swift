import HTTPTypes

extension HTTPRequest {
    /// The bearer token (RFC 6750 §2.1): the only `Authorization` field, of the scheme Bearer in any case.
    var bearerToken: Substring? {
        guard let value = onlyValue(of: .authorization) else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bearer", !parts[1].isEmpty else { return nil }
        return parts[1]
    }

    /// Whether the body is said to be JSON.
    ///
    /// A `charset` other than UTF-8 is refused: RFC 8259 §8.1 knows no other.
    var hasJSONBody: Bool {
        guard let value = onlyValue(of: .contentType) else { return false }
        let parts = value.lowercased().split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
        guard parts.first == "application/json" else { return false }
        return parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || $0 == "charset=utf-8" }
    }

    /// The value of a field that must not repeat.
    private func onlyValue(of name: HTTPField.Name) -> String? {
        let values = headerFields[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
