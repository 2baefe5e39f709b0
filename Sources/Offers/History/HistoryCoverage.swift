/// How much of a customer's past the evidence shows: whether what it leaves out is known not to have happened.
public enum HistoryCoverage: Sendable {
    /// Every subscription with every transaction, as a verifyReceipt answer has them.
    case complete
    /// Every subscription, each with its newest transaction alone, as Get All Subscription Statuses has them.
    ///
    /// That a group was never subscribed to can be told; that an introductory offer was never used cannot.
    case newestTransactions
    /// One subscription alone, as the answer about an iOS 6 style transaction receipt has it: of others, and of what
    /// that one was before, nothing can be told.
    case oneSubscription
    /// What the sender chose to show, as with signed transactions: what was left out cannot be seen.
    case partial

    /// Whether a subscription that it does not have is known not to exist.
    var showsEverySubscription: Bool {
        switch self {
        case .complete, .newestTransactions: true
        case .oneSubscription, .partial: false
        }
    }
}
