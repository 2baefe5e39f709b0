import StrictJSON

/// Why StoreKit refuses a purchase (`SKError.Code`), with the reason that StoreKit keeps to itself.
struct StoreKitError: Error, Equatable {
    /// The codes, by the names and numbers of StoreKit.
    enum Code: Int64, CaseIterable, Sendable {
        case storeProductNotAvailable = 5
        case invalidOfferIdentifier = 11
        case invalidSignature = 12
        case missingOfferParams = 13
        case invalidOfferPrice = 14
        case ineligibleForOffer = 18
    }

    /// The code.
    let code: Code
    /// The reason, for the developer who reads it.
    let reason: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - reason: The reason in a sentence.
    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The error as the simulator's routes answer it.
    var json: [UInt8] {
        JSONWriter.text { json in
            json.member("storeKitError", code.rawValue)
            json.member("name", "\(code)")
            json.member("reason", reason)
        }
    }
}
