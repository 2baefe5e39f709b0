import OfferAPI

/// A client of `clients.yaml`.
struct ClientSettings: Equatable, Sendable {
    /// Who it is and what it may do.
    let client: Client
    /// How many offers it may ask for in a second; `nil` when there is no limit.
    let signaturesPerSecond: Int?
}
