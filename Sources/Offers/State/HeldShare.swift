/// What held state has in a history, of one subscription.
struct HeldShare: Equatable {
    /// Apple's clock when it told the newest of what decides and was taken from held state.
    var asOf: Timestamp
}
