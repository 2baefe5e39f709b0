package import Logging
package import Offers
import StrictJSON

/// Asks Apple for its notification history, and has it send test notifications, in the name of apps with credentials.
///
/// Its calls pass by the pace and the circuit of requests' calls: its own pace is a pause before each.
package struct AppStoreNotificationHistory: NotificationHistory {
    /// The part of an app's calls to Apple that it takes at most.
    private static let share = 5
    private static let timeout = Duration.seconds(20)

    private let apps: [AppStoreApp]
    private let urls: AppStoreURLs
    private let transport: any HTTPTransport
    private let requestsPerSecond: Int
    private let now: @Sendable () -> Timestamp

    /// The transport stays the caller's.
    package init(
        apps: [AppStoreApp],
        urls: AppStoreURLs,
        transport: any HTTPTransport,
        requestsPerSecond: Int,
        metrics: AppStoreMetrics = AppStoreMetrics(),
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.apps = apps
        self.urls = urls
        self.transport = ObservedTransport(transport, metrics, logger: logger)
        self.requestsPerSecond = requestsPerSecond
        self.now = now
    }

    package var owners: [HistoryOwner] {
        apps.filter { $0.serverAPI != nil }.flatMap { app in
            [AppStoreEnvironment.production, .sandbox].filter(app.environments.contains)
                .map { HistoryOwner(bundleId: app.bundleId, environment: $0) }
        }
    }

    package func page(_ window: HistoryWindow, of owner: HistoryOwner) async throws(HistoryFault) -> HistoryPage {
        var body = JSONWriter(capacity: 64)
        body.object { request in
            request.member("startDate", window.start.millisecondsSince1970)
            request.member("endDate", window.end.millisecondsSince1970)
        }
        let token = window.paginationToken
        let page = try await ask(
            .post,
            "history" + (token.map { "?paginationToken=\($0.percentEncoded)" } ?? ""),
            body.bytes,
            of: owner,
            NotificationHistoryResponse.init(json:)
        )
        guard page.hasMore else { return HistoryPage(items: page.items, nextPage: nil) }
        guard let next = page.paginationToken else {
            throw HistoryFault("Apple's notification history names no next page, and has one", .pageRefused)
        }
        return HistoryPage(items: page.items, nextPage: next)
    }

    /// Has Apple send a test notification, and gives its token.
    package func requestTest(of owner: HistoryOwner) async throws(HistoryFault) -> String {
        try await ask(.post, "test", nil, of: owner) { (json) throws(JSONFault) in
            var token: String?
            try JSONReader.membersOfApple(json) { (name, reader) throws(JSONFault) in
                guard name == "testNotificationToken" else { return try reader.skipValue() }
                token = try reader.readString()
            }
            guard let token else { throw JSONFault(.missingMember, "The token is missing.") }
            return token
        }
    }

    /// The result of a test notification so far: Apple's attempts to send it.
    package func testAttempts(
        _ token: String,
        of owner: HistoryOwner
    ) async throws(HistoryFault) -> [HistoryPage.Attempt] {
        try await ask(.get, "test/\(token.percentEncoded)", nil, of: owner) { (json) throws(JSONFault) in
            try JSONReader.readingApple(json) { (reader) throws(JSONFault) in
                try NotificationHistoryResponse.item(reading: &reader)?.attempts ?? []
            }
        }
    }

    private func ask<Answer>(
        _ method: OutgoingRequest.Method,
        _ path: String,
        _ body: [UInt8]?,
        of owner: HistoryOwner,
        _ read: ([UInt8]) throws(JSONFault) -> Answer
    ) async throws(HistoryFault) -> Answer {
        guard let credentials = apps.first(where: { $0.bundleId == owner.bundleId })?.serverAPI else {
            throw HistoryFault(ServerAPIFault.noIssuer(of: owner.bundleId).description)
        }
        let response: IncomingResponse
        do {
            // A tenth in the Sandbox.
            let pace = max(requestsPerSecond / (owner.environment == .production ? 1 : 10) / Self.share, 1)
            try await Task.sleep(for: .seconds(1) / pace)
            let request = OutgoingRequest(
                method: method,
                service: .notificationHistory,
                host: urls.serverAPI(in: owner.environment),
                path: "/inApps/v1/notifications/" + path,
                bundleId: owner.bundleId,
                environment: owner.environment,
                bearerToken: try await credentials.bearerToken(at: now()),
                body: body
            )
            response = try await transport.send(request, timeout: Self.timeout)
        } catch let fault as TransportFault {
            throw HistoryFault(ServerAPIFault(fault).description)
        } catch {
            throw HistoryFault("Apple cannot be asked: \(error)")
        }
        guard response.status == 200 else { throw HistoryFault(response, of: owner, at: now()) }
        do throws(JSONFault) {
            return try read(response.body)
        } catch {
            throw HistoryFault("Apple's answer cannot be read: \(error.detail)")
        }
    }
}

extension HistoryFault {
    fileprivate init(_ response: IncomingResponse, of owner: HistoryOwner, at now: Timestamp) {
        let error = ServerAPIError(json: response.body)
        var kind = Kind.temporary
        let sentence: String
        switch (response.status, error?.code) {
        case (_, 4_040_007):
            sentence =
                "\(owner.bundleId) has no notification URL for \(owner.environment.rawValue) in App Store Connect; write "
                + "it there, with https and the path /v1/notifications"
        case (429, _): sentence = "Apple was asked too often, and asks for patience"
        case (401, _), (403, _):
            sentence = ServerAPIFault.unauthenticated(response, owner.bundleId, at: now)
            kind = .keyRefused
        default:
            let code = error.map { "errorCode \($0.code)" } ?? "no errorCode"
            let words = error?.message.map { ": \($0)" } ?? ""
            sentence = "Apple gave no notification history (HTTP \(response.status), \(code)\(words))"
            // Anything of 4xx is about what was asked for, but for what Apple says to ask again, or took too long for.
            let isAboutRequest = (400...499).contains(response.status) && response.status != 408
            if isAboutRequest, error?.meaning != .temporary { kind = .pageRefused }
        }
        self.init(sentence, retryAfterSeconds: RetryAfter.seconds(after: response, at: now), kind)
    }
}

/// The answer of Get Notification History (`NotificationHistoryResponse`).
private struct NotificationHistoryResponse {
    var items: [HistoryPage.Item] = []
    var hasMore = false
    var paginationToken: String?

    init(json: [UInt8]) throws(JSONFault) {
        var hasMore: Bool?
        try JSONReader.membersOfApple(json) { (name, reader) throws(JSONFault) in
            switch name {
            case "hasMore": hasMore = try reader.readBool()
            case "paginationToken": paginationToken = try reader.readAppleText()
            case "notificationHistory":
                try reader.readArray { (_, reader) throws(JSONFault) in
                    if let item = try Self.item(reading: &reader) { items.append(item) }
                }
            default: try reader.skipValue()
            }
        }
        guard let hasMore else { throw JSONFault(.missingMember, "A history says whether there is more.") }
        self.hasMore = hasMore
    }

    /// A notification (`notificationHistoryResponseItem`); `nil` without its payload.
    static func item(reading reader: inout JSONReader) throws(JSONFault) -> HistoryPage.Item? {
        var signedPayload: String?
        var attempts: [HistoryPage.Attempt] = []
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "signedPayload": signedPayload = try reader.readAppleText()
            case "sendAttempts":
                guard try reader.nextType() == .array else { return try reader.skipValue() }
                try reader.readArray { (_, reader) throws(JSONFault) in
                    var (date, result): (Timestamp?, String?)
                    try reader.readAppleObject { (name, reader) throws(JSONFault) in
                        switch name {
                        case "attemptDate": date = try reader.readAppleDate()
                        case "sendAttemptResult": result = try reader.readAppleText()
                        default: try reader.skipValue()
                        }
                    }
                    if let date, let result { attempts.append(HistoryPage.Attempt(date: date, result: result)) }
                }
            default: try reader.skipValue()
            }
        }
        return signedPayload.map { HistoryPage.Item(signedPayload: $0, attempts: attempts) }
    }
}
