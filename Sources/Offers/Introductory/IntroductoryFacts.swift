/// What the introductory rules about evidence look at.
struct IntroductoryFacts {
    let app: App
    let productId: String
    /// The product's group; `nil` when the catalog does not have the product.
    let group: SubscriptionGroup?
    let account: Account
    let history: SubscriptionHistory?
    let reading: HistoryReading?
    let now: Timestamp
    /// How old what decides may be, in seconds; 0 for no limit.
    let maximumAgeSeconds: Int64
}
