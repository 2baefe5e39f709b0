import AppStore
import LogLines
import Logging
import OfferAPI
import OfferService
import Offers

/// The whole configuration, read once and never changed: `offer-signer.yaml` with its overrides, catalog and clients.
///
/// Every value is checked, and every path is absolute.
struct Settings: Equatable, Sendable {
    /// The public listener.
    let server: ServerSettings
    /// The operators' listener.
    let admin: AdminSettings
    /// The level and the format of the log.
    let log: LogSettings
    /// How keys are kept.
    let keyProtection: KeyProtection
    /// The ledger.
    let ledger: LedgerSettings
    /// How old evidence may be.
    let evidence: EvidenceSettings
    /// The listener for Apple's notifications; `nil` when there is none.
    let notifications: NotificationSettings?
    /// The time that a call for a retention message may take, and the number of calls at once.
    let retention: AnswerRetentionCalls.Limits
    /// Apple's addresses.
    let appStore: AppStoreSettings
    /// The apps of the catalog, in its order, at least one.
    let apps: [AppSettings]
    /// The clients, in the order of their file.
    let clients: [Client]
    /// The texts of the settings that only a start puts into effect, by key path.
    let valuesOfStart: [String: String]
}

/// The public listener.
struct ServerSettings: Equatable, Sendable {
    /// The address that it accepts requests on.
    let address: ListenAddress
    /// How long `/readyz` says no before the listener closes, in seconds, for load balancers to notice.
    let drainDelaySeconds: Int
    /// How long running requests may take to end after that, in seconds.
    let drainTimeoutSeconds: Int
    /// The limits of each connection.
    let limits: ConnectionLimits
    /// What TLS needs; `nil` for plain HTTP.
    let tls: TLSFiles?
}

/// The operators' listener: `/livez`, `/readyz`, `/metrics`, `/version`, and the page.
struct AdminSettings: Equatable, Sendable {
    /// The address that it accepts requests on.
    let address: ListenAddress
    /// Whether it has the page.
    let hasPage: Bool
    /// The names under which the page may be opened, beside `localhost` and addresses.
    let hosts: [String]
}

/// A host and a TCP port to accept connections on.
struct ListenAddress: Equatable, Sendable {
    /// A host name or an address, IPv6 without brackets.
    let host: String
    /// The port; 0 for any free one.
    let port: Int

    /// Whether only this machine can reach the host: 127.0.0.0/8, ::1 or `localhost`.
    ///
    /// The demo key and the demo token are refused on any other.
    var isLoopback: Bool { HostName.isLoopback(host) }
}

/// The level and the format of the log.
struct LogSettings: Equatable, Sendable {
    /// The least level that is written; a request has its line at `info`.
    let level: Logger.Level
    /// How lines look.
    let format: LogFormat
}

/// How keys are kept, of all apps alike.
struct KeyProtection: Equatable, Sendable {
    /// Whether to go on, with a warning, when the system does not lock the keys' memory.
    let allowsUnlockedMemory: Bool
    /// Whether the groups of key files may read them.
    let isGroupReadable: Bool
    /// Whether to use memory that not even root can read, where the kernel has it.
    let usesSecretMemory: Bool
}

/// The ledger of what was signed.
struct LedgerSettings: Equatable, Sendable {
    /// The database.
    let location: LedgerLocation
    /// The setting or variable that the location comes from.
    let origin: LedgerOrigin
    /// The key for digests of accounts, 32 bytes or more; `nil` for the one beside an SQLite file.
    let digestKeyFile: LedgerKeyFile?
    /// The P-256 P8 that signs checkpoints; `nil` for the one beside an SQLite file.
    let checkpointKeyFile: LedgerKeyFile?
    /// How many days records are kept; `nil` for ever.
    let retentionDays: Int?
}

/// The ledger's database.
enum LedgerLocation: Equatable, Sendable {
    /// An SQLite file, by its absolute path.
    case sqlite(path: String)
    /// A PostgreSQL database, as a libpq URI without a password.
    case postgres(url: String)
}

/// The setting or variable that the ledger's location comes from.
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
    /// Its absolute path.
    let path: String
    /// Whether it is a systemd credential, whose mode shows the group's permission.
    let isCredential: Bool
}

/// How old evidence may be.
struct EvidenceSettings: Equatable, Sendable {
    /// The age of verifyReceipt answers and of held state, in seconds; 0 for no limit.
    let maximumAgeSeconds: Int
    /// The age of StoreKit 2 JWS by their `signedDate`, in seconds; 0 for no limit.
    let signedTransactionMaximumAgeSeconds: Int
    /// Whether the App Store is asked before an eligible answer that rests on signed transactions.
    let confirmsSignedTransactions: Bool
}

/// The listener for App Store Server Notifications.
struct NotificationSettings: Equatable, Sendable {
    /// The address that it accepts requests on.
    let address: ListenAddress
}

/// Apple's addresses: `https`, or `http` on this machine for a stand-in.
struct AppStoreSettings: Equatable, Sendable {
    /// verifyReceipt in production.
    let verifyReceiptURL: String
    /// verifyReceipt in the Sandbox.
    let sandboxVerifyReceiptURL: String
    /// The App Store Server API in production.
    let serverAPIURL: String
    /// The App Store Server API in the Sandbox.
    let sandboxServerAPIURL: String
    /// How long a question may take, with all its attempts, in seconds.
    let timeoutSeconds: Int
    /// How often Apple is asked for one app in production, in requests a second.
    let requestsPerSecond: Int
    /// Roots trusted beside Apple's pinned one.
    let additionalRoots: [TrustedRoot]
}

/// An app of `catalog.yaml`: what the domain needs to know of it, and what the rooms around it need.
struct AppSettings: Equatable, Sendable {
    /// The app's products and offers, and the rules of whose purchases count.
    let app: App
    /// The app's Apple ID, a positive number; `nil` when the catalog does not say.
    let appAppleId: Int64?
    /// The app's keys, at least one; the first signs, and has a `file`.
    let keys: [KeySettings]
    /// The shared secret for verifyReceipt; `nil` when there is none.
    let sharedSecret: SharedSecret?
    /// How a receipt is looked up.
    let receipts: ReceiptLookup
    /// How long Apple's answer to a question is kept for the same question, in seconds; 0 for not at all.
    let appStoreCacheSeconds: Int
    /// What customers are shown who are about to cancel; `nil` for nothing.
    let retention: RetentionRules?
}

/// A key of an app, by its files, which are not read here.
struct KeySettings: Equatable, Sendable {
    /// The key's identifier in App Store Connect.
    let id: String
    /// The absolute path of the private key (P8); the first key of an app has one.
    let file: String?
    /// The absolute path of the public key; it is enough for a retired key.
    let publicKeyFile: String?
    /// The issuer of the key in App Store Connect, a UUID, where the key or its app names it: the format `jws` and calls to the App Store Server API need
    /// the first key's.
    let issuerId: String?
}

/// How a receipt is looked up; the raw values are those of `receipts` in `catalog.yaml`.
enum ReceiptLookup: String, CaseIterable, Sendable {
    /// Looks a receipt up at Apple's verifyReceipt.
    case verifyReceipt
    /// Looks up a transaction of the receipt at the App Store Server API.
    case serverAPI
}

/// The result of reading the configuration.
struct LoadedSettings: Equatable, Sendable {
    /// The configuration.
    let settings: Settings
    /// The warnings, by file and line.
    let warnings: [ConfigurationWarning]
}
