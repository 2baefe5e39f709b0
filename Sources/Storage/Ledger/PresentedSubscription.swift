/// A subscription as it is presented in evidence.
struct PresentedSubscription: Hashable {
    let bundleId: String
    /// The environment; empty where the evidence does not say.
    let environment: String
    let originalTransactionId: String
}
