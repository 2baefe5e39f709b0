import Offers
import StrictJSON

/// The calls of the App Store Server API about transactions, for one app in one environment.
struct ServerAPI {
    static let pageSize = 20

    let app: StoreApp
    let environment: AppStoreEnvironment
    let world: AppStoreWorld
    let signer: AppStoreSigner

    private func payloads(of customer: StoreCustomer) -> Payloads {
        Payloads(app, customer, signedDate: world.clock.now)
    }

    /// Get All Subscription Statuses (`StatusResponse`), by any transaction id of the customer; no statuses ask for
    /// all.
    func subscriptionStatuses(_ id: String, statuses: [String]) throws -> [UInt8] {
        let wanted = try Set(
            statuses.map { text in
                guard let status = Int64(text), (1...5).contains(status) else { throw ServerAPIError.invalidStatus }
                return status
            }
        )
        let customer = try customer(of: id)
        let payloads = payloads(of: customer)
        let subscriptions = customer.subscriptions.filter { wanted.isEmpty || wanted.contains($0.status) }
        var groups: [String] = []
        for id in subscriptions.map(\.latest.groupId) where !groups.contains(id) { groups.append(id) }
        return JSONWriter.text { json in
            json.member("environment", environment.rawValue)
            json.member("bundleId", app.bundleId)
            if environment == .production { json.member("appAppleId", app.appAppleId) }
            json.objects("data", groups) { group, json in
                json.member("subscriptionGroupIdentifier", group)
                json.objects("lastTransactions", subscriptions.filter { $0.latest.groupId == group }) {
                    (subscription, json) in
                    json.member("status", subscription.status)
                    json.member("originalTransactionId", subscription.originalTransactionId)
                    json.member("signedTransactionInfo", signer.jws(payloads.transaction(subscription.shown)))
                    json.member("signedRenewalInfo", signer.jws(payloads.renewal(subscription)))
                }
            }
        }
    }

    /// Get Transaction Info (`TransactionInfoResponse`).
    func transactionInfo(_ id: String) throws -> [UInt8] {
        let customer = try customer(of: id)
        guard let transaction = customer.transaction(id) else { throw ServerAPIError.transactionIdNotFound }
        let signed = signer.jws(payloads(of: customer).transaction(transaction))
        return JSONWriter.text { $0.member("signedTransactionInfo", signed) }
    }

    /// Get Transaction History, version 2 (`HistoryResponse`), by any transaction id of the customer.
    func history(
        _ id: String,
        revision: String?,
        sort: String?,
        filter: HistoryFilter = HistoryFilter()
    ) throws -> [UInt8] {
        let customer = try customer(of: id)
        let wanted = customer.transactions.filter(filter.lets)
        let transactions: [StoreTransaction]
        switch sort {
        case nil, "ASCENDING": transactions = wanted.reversed()
        case "DESCENDING": transactions = wanted
        default: throw ServerAPIError.invalidSort
        }
        // The revision names the first transaction of the next page.
        var start = 0
        if let revision {
            guard let index = transactions.firstIndex(where: { "\($0.transactionId)_rev" == revision }) else {
                throw ServerAPIError.invalidRevision
            }
            start = index + 1
        }
        let page = transactions[start...].prefix(Self.pageSize)
        let payloads = payloads(of: customer)
        return JSONWriter.text { json in
            json.optional("revision", page.last.map { "\($0.transactionId)_rev" } ?? revision)
            json.flag("hasMore", start + page.count < transactions.count)
            json.member("bundleId", app.bundleId)
            if environment == .production { json.member("appAppleId", app.appAppleId) }
            json.member("environment", environment.rawValue)
            json.list("signedTransactions", page) { $1.string(signer.jws(payloads.transaction($0))) }
        }
    }

    private func customer(of id: String) throws(ServerAPIError) -> StoreCustomer {
        guard !id.isEmpty, id.utf8.count <= 32, id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .invalidTransactionId
        }
        guard let customer = world.customers.index(owning: id).map({ world.customers.all[$0] }),
            customer.bundleId == app.bundleId, customer.environment == environment
        else { throw .transactionIdNotFound }
        return customer
    }
}

/// Checks the bearer tokens of the App Store Server API, as Apple's "Generating JSON Web Tokens for API requests" says.
enum ServerAPIToken {
    /// How long a token may be valid, in seconds.
    static let maximumLifetime: Int64 = 3600

    /// The app that a token is for; `nil` where Apple answers 401, which says nothing of the reason.
    ///
    /// The clock is the machine's: the maker of a token does not know that the simulator's may be another. Apple's own
    /// Python library leaves `iat` out, so a token without one is taken.
    static func app(named token: String, among apps: [StoreApp], at now: Timestamp) -> StoreApp? {
        let seconds = now.millisecondsSince1970 / 1000
        guard let jws = ES256JWS(token), let keyIdentifier = jws.keyIdentifier,
            let app = apps.first(where: { $0.bundleId == jws.string("bid") }),
            let key = app.keys[keyIdentifier], jws.isSigned(by: key),
            jws.string("aud") == "appstoreconnect-v1",
            let issuer = jws.string("iss"), app.issuerId == nil || app.issuerId == issuer,
            let expires = jws.integer("exp"), expires > seconds
        else { return nil }
        let issued = jws.claims["iat"] == nil ? seconds : jws.integer("iat")
        guard let issued, issued <= seconds, expires <= issued + maximumLifetime else {
            return nil
        }
        return app
    }
}

/// An error of the App Store Server API: `{"errorCode", "errorMessage"}`.
struct ServerAPIError: Error, Equatable {
    /// Apple's number; its first three digits are the HTTP status.
    let code: Int64
    /// Apple's words.
    let message: String

    var status: Int { Int(code / 10000) }

    var json: [UInt8] {
        JSONWriter.text { json in
            json.member("errorCode", code)
            json.member("errorMessage", message)
        }
    }

    static let invalidRevision = ServerAPIError(4_000_005, "Invalid request revision.")
    static let invalidTransactionId = ServerAPIError(4_000_006, "Invalid transaction id.")
    static let invalidPaginationToken = ServerAPIError(4_000_014, "Invalid pagination token.")
    static let invalidStartDate = ServerAPIError(4_000_015, "Invalid start date.")
    static let invalidEndDate = ServerAPIError(4_000_016, "Invalid end date.")
    static let startDateAfterEndDate = ServerAPIError(4_000_013, "Invalid date range: startDate is after endDate.")
    static let paginationTokenExpired = ServerAPIError(4_000_017, "The pagination token expired.")
    static let invalidSort = ServerAPIError(4_000_021, "Invalid sort order.")
    static let invalidProductType = ServerAPIError(4_000_022, "Invalid product type.")
    static let invalidProductId = ServerAPIError(4_000_023, "Invalid product id.")
    static let invalidSubscriptionGroupIdentifier = ServerAPIError(
        4_000_024,
        "Invalid subscription group identifier."
    )
    static let invalidInAppOwnershipType = ServerAPIError(4_000_026, "Invalid in-app ownership type.")
    static let invalidRevoked = ServerAPIError(4_000_030, "Invalid revoked.")
    static let invalidStatus = ServerAPIError(4_000_031, "Invalid status.")
    /// Of a path that the stand-in does not serve; Apple documents no number for it.
    static let noSuchCall = ServerAPIError(4_040_000, "The stand-in App Store does not serve this call.")
    static let notificationURLNotFound = ServerAPIError(4_040_007, "No App Store Server Notification URL found.")
    static let testNotificationNotFound = ServerAPIError(4_040_008, "Test notification token not found.")
    static let transactionIdNotFound = ServerAPIError(4_040_010, "Transaction id not found.")

    init(_ code: Int64, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of a number that a test asks for.
    static func injected(_ code: Int64) -> ServerAPIError {
        switch code {
        case 4_000_000: ServerAPIError(code, "Bad request.")
        case 4_000_012: ServerAPIError(code, "The start date is too far in the past.")
        case paginationTokenExpired.code: paginationTokenExpired
        case 4_290_000: ServerAPIError(code, "Rate limit exceeded.")
        case 5_000_000: ServerAPIError(code, "An unknown error occurred.")
        case 5_000_001: ServerAPIError(code, "An unknown error occurred. Please try again.")
        default: ServerAPIError(code, "Injected by the simulator.")
        }
    }
}
