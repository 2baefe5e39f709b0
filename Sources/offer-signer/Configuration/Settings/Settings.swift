import OfferAPI

/// The whole configuration, read once and never changed: `offer-signer.yaml` with its overrides, catalog and clients.
///
/// Every value is checked, and every path is absolute.
struct Settings: Equatable, Sendable {
    /// The public listener.
    let server: ServerSettings
    /// The operators' listener.
    let admin: AdminSettings
    /// What is logged, and how.
    let log: LogSettings
    /// How keys are kept.
    let keyProtection: KeyProtection
    /// The ledger.
    let ledger: LedgerSettings
    /// How old evidence may be.
    let evidence: EvidenceSettings
    /// The listener for Apple's notifications; `nil` when there is none.
    let notifications: NotificationSettings?
    /// Apple's addresses.
    let appStore: AppStoreSettings
    /// The apps of the catalog, in its order, at least one.
    let apps: [AppSettings]
    /// The clients, in the order of their file.
    let clients: [Client]
}
