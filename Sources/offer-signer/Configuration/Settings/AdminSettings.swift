/// The operators' listener: `/livez`, `/readyz`, `/metrics`, `/version`.
struct AdminSettings: Equatable, Sendable {
    /// Where it accepts requests.
    let address: ListenAddress
}
