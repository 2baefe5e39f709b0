/// What held state has in a history, of one subscription.
struct HeldShare: Equatable {
    /// Apple's clock when it told the newest of what decides and was taken from held state.
    var asOf: Timestamp
    /// Whether the evidence does not name the subscription, so that all that is said of it was held.
    var isWhole: Bool
}
