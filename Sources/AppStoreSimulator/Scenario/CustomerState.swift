/// The states that a customer's subscription can be described with.
enum CustomerState: String, Decodable, Sendable {
    /// Paid for, and renews.
    case active
    /// Paid for, and ends with the period.
    case activeAutoRenewOff
    /// The payment failed; the customer keeps access.
    case gracePeriod
    /// The payment failed; the App Store tries again.
    case billingRetry
    /// Ended.
    case lapsed
    /// The latest payment was refunded.
    case refunded
    /// The customer moved to a product of a higher level.
    case upgraded
    /// Active, and paid by another member of the family.
    case familyShared
    /// Paid by another member of the family, who has stopped sharing.
    case familyRevoked

    /// The `status` of the Server API that it comes to.
    var status: Int64 {
        switch self {
        case .active, .activeAutoRenewOff, .upgraded, .familyShared: 1
        case .lapsed: 2
        case .billingRetry: 3
        case .gracePeriod: 4
        case .refunded, .familyRevoked: 5
        }
    }
}
