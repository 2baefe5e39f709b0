import Offers
import StrictJSON

/// The body of an answer that is no success (`errorCode`, `errorMessage`).
struct ServerAPIError {
    /// What an error means for whoever asked about a transaction.
    enum Meaning {
        /// The transaction is not of this environment.
        case notHere
        /// There is no such transaction, or no such customer any more.
        case unknown
        /// The transaction is a family member's, of which the call tells nothing.
        case familyShared
        /// Apple knows no such app.
        case unknownApp
        /// It passes.
        case temporary
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
        case 4_040_010, 4_040_019: .notHere
        case 4_000_006, 4_040_001, 4_040_005: .unknown
        case 4_040_002, 4_040_004, 4_040_006, 5_000_000...5_999_999: .temporary
        case 4_000_185: .familyShared
        case 4_040_003: .unknownApp
        default: .unexpected
        }
    }
}

extension EvidenceFault {
    /// The App Store knows no such transaction, in either environment.
    static var transactionNotFound: EvidenceFault {
        EvidenceFault(
            .rejected,
            code: "transaction_not_found",
            detail: "The App Store knows no such transaction of this app."
        )
    }

    /// The transaction is a family member's.
    static var transactionFamilyShared: EvidenceFault {
        EvidenceFault(
            .rejected,
            code: "transaction_family_shared",
            detail:
                "The transaction is shared within a family, and the App Store tells nothing of it: send one that the "
                + "customer bought."
        )
    }

    /// The App Store knows no app of this bundle identifier.
    static var appNotFound: EvidenceFault {
        EvidenceFault(
            .rejected,
            code: "app_not_found",
            detail: "The App Store knows no app of this bundle identifier. Its operator has to compare the catalog's "
                + "bundleId with App Store Connect."
        )
    }
}
