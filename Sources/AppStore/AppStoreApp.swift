package import Offers

/// An app as Apple's side of the service knows it: by what it is asked about, and in whose name.
package struct AppStoreApp: Sendable {
    package let bundleId: String
    /// The app's Apple ID; `nil` when the catalog does not say.
    package let appAppleId: Int64?
    package let environments: Set<AppStoreEnvironment>
    /// The secret for verifyReceipt; `nil` when there is none.
    package let sharedSecret: SharedSecret?
    /// The issuer and key for requests to the App Store Server API; `nil` when the app has none.
    package let serverAPI: ServerAPICredentials?
    /// Whether a receipt is looked up at the App Store Server API, by a transaction in it, instead of at verifyReceipt.
    package let looksReceiptsUpAtServerAPI: Bool
    /// How long an answer of Apple counts for the same question, in seconds; 0 for not at all.
    package let answerLifetimeSeconds: Int
    /// Whether redemptions are counted, for which the App Store Server API has to tell the whole history.
    package let countsRedemptions: Bool
    /// Whether offers ask about the running period, for which the whole history is needed where the newest one is ahead.
    package let readsRunningPeriods: Bool

    package init(
        bundleId: String,
        appAppleId: Int64? = nil,
        environments: Set<AppStoreEnvironment>,
        sharedSecret: SharedSecret? = nil,
        serverAPI: ServerAPICredentials? = nil,
        looksReceiptsUpAtServerAPI: Bool = false,
        answerLifetimeSeconds: Int = 0,
        countsRedemptions: Bool = false,
        readsRunningPeriods: Bool = false
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environments = environments
        self.sharedSecret = sharedSecret
        self.serverAPI = serverAPI
        self.looksReceiptsUpAtServerAPI = looksReceiptsUpAtServerAPI
        self.answerLifetimeSeconds = answerLifetimeSeconds
        self.countsRedemptions = countsRedemptions
        self.readsRunningPeriods = readsRunningPeriods
    }

    /// The environment that is asked first: production, as Apple asks for, unless its customers do not count.
    var firstEnvironment: AppStoreEnvironment {
        environments.contains(.production) || !environments.contains(.sandbox) ? .production : .sandbox
    }

    /// The service that answers a question.
    func service(for question: AppStoreQuestion) -> AppStoreService {
        switch question {
        case .receipt: looksReceiptsUpAtServerAPI ? .serverAPI : .verifyReceipt
        case .transactionId: .serverAPI
        }
    }
}

/// An app's shared secret, by which verifyReceipt knows the app that asks about subscriptions.
///
/// It is sent to Apple alone; no text of it appears in logs or descriptions.
package struct SharedSecret: Sendable {
    let text: String

    /// Reads the content of a secret's file: 1 to 256 visible ASCII characters in one line, white space at its end left out.
    package init?(contents bytes: [UInt8]) {
        let end = bytes.lastIndex { !Self.isWhiteSpace($0) }.map { $0 + 1 } ?? 0
        let secret = bytes[..<end]
        guard (1...256).contains(secret.count), secret.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        text = String(decoding: secret, as: UTF8.self)
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension SharedSecret: Equatable, CustomStringConvertible {
    package var description: String { "shared secret" }
}
