import OfferAPI

/// The public listener.
struct ServerSettings: Equatable, Sendable {
    /// Where it accepts requests.
    let address: ListenAddress
    /// How long `/readyz` says no before the listener closes, in seconds, for load balancers to notice.
    let drainDelaySeconds: Int
    /// How long running requests may take to end after that, in seconds.
    let drainTimeoutSeconds: Int
    /// What it gives each connection.
    let limits: ConnectionLimits
    /// What TLS needs; `nil` for plain HTTP.
    let tls: TLSFiles?
}
