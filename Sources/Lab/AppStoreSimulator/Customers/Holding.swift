/// The payer of a transaction (`inAppOwnershipType`).
enum Ownership: String, Sendable {
    case purchased = "PURCHASED"
    /// A member of the customer's family.
    case familyShared = "FAMILY_SHARED"
    /// An organisation, or the purchaser of a group's seats.
    case assigned = "ASSIGNED"

    /// The simulator's route that ends such a transaction.
    var revocationRoute: String {
        switch self {
        case .purchased: "refunds"
        case .familyShared: "family-revocations"
        case .assigned: "assignment-revocations"
        }
    }
}

/// How a customer holds a subscription: every renewal carries it on.
struct Holding: Equatable, Sendable {
    var ownership = Ownership.purchased
    /// The original transaction that the customer had before this one (`previousOriginalTransactionId`).
    var previousOriginalTransactionId: String?
    /// The seats of a group; `nil` where no group was bought for.
    var seats: Seats?
}

/// The seats that a transaction covers (`quantity` and `multiSeatInfo`).
struct Seats: Equatable, Sendable {
    enum InvitationManagement: String, Decodable, Sendable {
        /// Apple: each member has a transaction, with the purchaser's seats in it.
        case apple = "APPLE"
        /// The app: members have no transactions.
        case developer = "DEVELOPER"
    }

    /// How many seats can be bought at once.
    static let quantities: ClosedRange<Int64> = 1...10_000

    let invitationManagement: InvitationManagement
    var quantity: Int64
    /// How many of them were refunded (`revokedSeatQuantity`).
    var revoked: Int64 = 0

    /// How many of them were not refunded.
    var remaining: Int64 { quantity - revoked }
}
