import AppStore
import OfferAPI
import Offers
import SubscriptionKeys

/// The whole configuration, read once and never changed: `offer-signer.yaml` with its overrides, catalog and clients.
///
/// Every value is checked, and every path is absolute. A setting of ``SettingTable`` is a member, by its name there;
/// the others have been derived from settings, or are read from lists and other files.
@dynamicMemberLookup
struct Settings: Sendable {
    /// The settings by their names: `settings.logLevel`.
    let values: SettingLayers
    let listeners: ListenAddresses
    /// The files of TLS of the public listener; `nil` for plain HTTP.
    let tls: TLSFiles?
    /// The names under which the operators' page may be opened, beside `localhost` and addresses.
    let adminHosts: [String]
    let ledger: LedgerSettings
    /// Roots of Apple's beside the built-in one, each pinned by its digest.
    let appleRoots: [TrustedRoot]
    /// Trusted beside Apple's pinned ones.
    let additionalRoots: [TrustedRoot]
    let tokenModules: [TokenModuleFile]
    /// In the catalog's order, at least one.
    let apps: [AppSettings]
    let clients: [Client]
    /// The values of the catalog and the clients, by their paths in ``ConfigurationInUse``.
    let recorded: [String: String]
    let warnings: [ConfigurationFinding]

    subscript<Value>(dynamicMember key: SettingLayers.Key<Value>) -> Value { values[dynamicMember: key] }
}

struct ListenAddresses: Equatable, Sendable {
    let server: ListenAddress
    let admin: ListenAddress
    /// `nil` when there is no listener for Apple's notifications.
    let notifications: ListenAddress?

    /// Where others than this machine may use the demo key and the demo token, which are refused then: such as
    /// "server.host 0.0.0.0"; `nil` where nobody can.
    var exposed: String? {
        let table = SettingTable.shared
        return [(table.serverHost.entry, server), (table.adminHost.entry, admin)].first { !$0.1.isLoopback }
            .map { entry, address in "\(entry.keyPath) \(Echo.name(address.host))" }
    }
}

struct ListenAddress: Equatable, Sendable {
    /// A name or an address, IPv6 without brackets.
    let host: String
    /// 0 for any free one.
    let port: Int

    /// Whether only this machine can reach the host: 127.0.0.0/8, ::1 or `localhost`.
    var isLoopback: Bool { HostName.isLoopback(host) }
}

struct LedgerSettings: Equatable, Sendable {
    let location: LedgerLocation
    let origin: LedgerOrigin
    /// The key for digests of accounts, 32 bytes or more; `nil` for the one beside an SQLite file.
    let digestKeyFile: LedgerKeyFile?
    /// The P-256 P8 that signs checkpoints; `nil` for the one beside an SQLite file.
    let checkpointKeyFile: LedgerKeyFile?
}

enum LedgerLocation: Equatable, Sendable {
    /// An SQLite file, by its absolute path.
    case sqlite(path: String)
    /// A PostgreSQL database, as a libpq URI without a password.
    case postgres(url: String)
}

enum LedgerOrigin: Equatable, Sendable {
    /// `ledger.url`.
    case url
    /// `$STATE_DIRECTORY`, which systemd makes before it starts the service.
    case stateDirectory
    /// Neither: an SQLite file beside the configuration.
    case none
}

/// The file of one of a ledger's keys, where the configuration names it.
struct LedgerKeyFile: Equatable, Sendable {
    let path: String
    /// Whether it is a systemd credential, whose mode shows the group's permission.
    let isCredential: Bool
}

struct AppSettings: Equatable, Sendable {
    let app: App
    /// `nil` when the catalog does not say.
    let appAppleId: Int64?
    /// At least one; the first signs, and has a `file` or is in a token.
    let keys: [KeySettings]
    /// For verifyReceipt.
    let sharedSecret: SharedSecret?
    let receipts: ReceiptLookup
    /// How long Apple's answer to a question is kept for the same question, in seconds; 0 for not at all.
    let appStoreCacheSeconds: Int
    let retention: [RetentionRule]?

    /// Whether a retention rule names an offer of a product.
    func isRetentionOffer(_ offer: PromotionalOffer, of product: Product) -> Bool {
        retention?.contains { rule in
            guard case .offer(offer.id, let named) = rule.proposal else { return false }
            return named.map { $0 == product.id } ?? rule.products?.contains(product.id) ?? true
        } == true
    }
}

/// A key in a token.
struct TokenSettings: Hashable, Sendable {
    let uri: TokenURI
    /// The absolute path that the URI names.
    let modulePath: String?
    /// The absolute path of the file with the PIN.
    let pinFile: String?
}

/// A key of an app, by its files, which are not read here.
struct KeySettings: Equatable, Sendable {
    let id: String
    /// The absolute path of the private key (P8); the first key of an app has one.
    let file: String?
    /// The absolute path of the public key; it is enough for a retired key.
    let publicKeyFile: String?
    /// The issuer of the key in App Store Connect, a UUID, where the key or its app names it.
    ///
    /// The format `jws` and calls to the App Store Server API need the first key's.
    let issuerId: String?
    /// The private key's place in a token, instead of `file`.
    var token: TokenSettings?

    var isPrivate: Bool { file != nil || token != nil }
}

enum ReceiptLookup: String, CaseIterable, Sendable {
    case verifyReceipt
    /// Looks up a transaction of the receipt at the App Store Server API.
    case serverAPI
}
