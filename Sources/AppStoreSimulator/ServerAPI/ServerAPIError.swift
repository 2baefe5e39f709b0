import StrictJSON

/// An error of the App Store Server API: `{"errorCode", "errorMessage"}`.
struct ServerAPIError: Error, Equatable {
    /// Apple's number; its first three digits are the HTTP status.
    let code: Int64
    /// Apple's words.
    let message: String

    /// The HTTP status.
    var status: Int { Int(code / 10000) }

    /// The body.
    var json: [UInt8] {
        JSONWriter.text { json in
            json.member("errorCode", code)
            json.member("errorMessage", message)
        }
    }

    static let invalidRevision = ServerAPIError(4_000_005, "Invalid request revision.")
    static let invalidTransactionId = ServerAPIError(4_000_006, "Invalid transaction id.")
    static let invalidPaginationToken = ServerAPIError(4_000_014, "Invalid pagination token.")
    static let invalidStartDate = ServerAPIError(4_000_015, "Invalid start date.")
    static let invalidEndDate = ServerAPIError(4_000_016, "Invalid end date.")
    static let startDateAfterEndDate = ServerAPIError(4_000_017, "Invalid date range: startDate is after endDate.")
    static let invalidSort = ServerAPIError(4_000_021, "Invalid sort order.")
    static let invalidProductType = ServerAPIError(4_000_022, "Invalid product type.")
    static let invalidProductId = ServerAPIError(4_000_023, "Invalid product id.")
    static let invalidSubscriptionGroupIdentifier = ServerAPIError(
        4_000_024,
        "Invalid subscription group identifier."
    )
    static let invalidInAppOwnershipType = ServerAPIError(4_000_026, "Invalid in-app ownership type.")
    static let invalidRevoked = ServerAPIError(4_000_030, "Invalid revoked.")
    static let invalidStatus = ServerAPIError(4_000_031, "Invalid status.")
    static let notificationURLNotFound = ServerAPIError(4_040_007, "No App Store Server Notification URL found.")
    static let testNotificationNotFound = ServerAPIError(4_040_008, "Test notification token not found.")
    static let transactionIdNotFound = ServerAPIError(4_040_010, "Transaction id not found.")

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: Apple's number, seven digits.
    ///   - message: Apple's words.
    init(_ code: Int64, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of a number that a test asks for.
    ///
    /// - Parameter code: Apple's number, seven digits.
    /// - Returns: The error.
    static func injected(_ code: Int64) -> ServerAPIError {
        switch code {
        case 4_290_000: ServerAPIError(code, "Rate limit exceeded.")
        case 5_000_000: ServerAPIError(code, "An unknown error occurred.")
        case 5_000_001: ServerAPIError(code, "An unknown error occurred. Please try again.")
        default: ServerAPIError(code, "Injected by the simulator.")
        }
    }
}
