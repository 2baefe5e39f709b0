import StrictJSON

/// The body of an answer that is no success (`errorCode`, `errorMessage`).
struct ServerAPIError {
    /// What an error means for whoever asked about a transaction.
    enum Meaning {
        /// The transaction is not of this environment.
        case notHere
        /// There is no such transaction, or no such customer any more.
        case unknown
        /// It passes.
        case temporary
        /// Apple does not know the app, or not by the service's key.
        case ours
        /// It says nothing of the transaction, the app or the key.
        case unexpected
    }

    /// Apple's code; its first three digits are the HTTP status.
    let code: Int64

    /// Reads a body.
    ///
    /// - Parameter json: The body. An unreleased app gets a 401 that is no JSON, which gives `nil`.
    init?(json: [UInt8]) {
        var code: Int64?
        var reader = JSONReader(json, refusesDuplicates: false)
        do throws(JSONFault) {
            try reader.readObject { (name, reader) throws(JSONFault) in
                if name == "errorCode" { code = try reader.readAppleInteger() } else { try reader.skipValue() }
            }
        } catch {
            return nil
        }
        guard let code else { return nil }
        self.code = code
    }

    /// What the code means (App Store Server API, "Error codes").
    var meaning: Meaning {
        switch code {
        case 4_040_010: .notHere
        case 4_000_006, 4_040_001, 4_040_005: .unknown
        case 4_040_002, 4_040_004, 4_040_006, 5_000_000...5_999_999: .temporary
        case 4_040_003: .ours
        default: .unexpected
        }
    }
}
