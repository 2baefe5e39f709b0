package import Offers
import StrictJSON

/// Sets up retention messages at Apple (Retention Messaging API): where Apple asks, which messages there are, the default
/// message of each product and language, and the test that Apple asks for before it asks in production.
///
/// It sends no faster than Apple allows: it waits, and says so.
package actor RetentionSetUp {
    /// How often a call is sent at most that Apple answers with 429.
    private static let mostAttempts = 3
    /// The longest wait that Apple may ask for before a call is given up, in seconds.
    private static let patienceSeconds = 60
    private static let timeout = Duration.seconds(30)
    private static let root = "/inApps/v1/messaging"

    private let app: AppStoreApp
    private let environment: AppStoreEnvironment
    private let host: String
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    private let reportWait: @Sendable (_ seconds: Int, _ reason: String) -> Void
    private var lastSent: [RetentionSetUpCall: ContinuousClock.Instant] = [:]

    package init(
        of app: AppStoreApp,
        in environment: AppStoreEnvironment,
        urls: AppStoreURLs,
        transport: AsyncHTTPTransport,
        now: @escaping @Sendable () -> Timestamp,
        reportWait: @escaping @Sendable (_ seconds: Int, _ reason: String) -> Void
    ) {
        self.init(
            of: app,
            in: environment,
            urls: urls,
            anyTransport: transport,
            now: now,
            sleep: { try await Task.sleep(for: $0) },
            reportWait: reportWait
        )
    }

    init(
        of app: AppStoreApp,
        in environment: AppStoreEnvironment,
        urls: AppStoreURLs,
        anyTransport transport: any HTTPTransport,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        reportWait: @escaping @Sendable (_ seconds: Int, _ reason: String) -> Void
    ) {
        self.app = app
        self.environment = environment
        host = urls.serverAPI(in: environment)
        self.transport = transport
        self.now = now
        self.sleep = sleep
        self.reportWait = reportWait
    }

    // MARK: The address that Apple asks

    /// The address that Apple asks (Get Realtime URL).
    package func url() async throws(RetentionFault) -> String {
        let answer = try await ask(.getURL, .get, "/realtime/url")
        return try read(answer) { (reader) throws(JSONFault) in
            try reader.readMember("realtimeURL") { (reader) throws(JSONFault) in try reader.readString() }
        }
    }

    /// Has Apple ask an address: https, at most 256 characters (Configure Realtime URL).
    package func setURL(_ url: String) async throws(RetentionFault) {
        try await ask(.setURL, .put, "/realtime/url", object { $0.member("realtimeURL", url) })
    }

    /// Has Apple ask nobody (Delete Realtime URL).
    package func deleteURL() async throws(RetentionFault) { try await ask(.deleteURL, .delete, "/realtime/url") }

    // MARK: Messages

    /// The messages that were uploaded, with Apple's verdict on each (Get Message List).
    package func messages() async throws(RetentionFault) -> [UploadedMessage] {
        let answer = try await ask(.listMessages, .get, "/message/list")
        return try read(answer) { (reader) throws(JSONFault) in
            var messages: [UploadedMessage] = []
            try reader.readObject { (name, reader) throws(JSONFault) in
                guard name == "messageIdentifiers" else { return try reader.skipValue() }
                try reader.readArray { (_, reader) throws(JSONFault) in
                    messages.append(try UploadedMessage(reading: &reader))
                }
            }
            return messages
        }
    }

    /// Uploads a message (Upload Message).
    ///
    /// Apple keeps it as it is: another text needs another identifier.
    package func upload(_ message: MessageUpload, as identifier: MessageIdentifier) async throws(RetentionFault) {
        try await ask(.putMessage, .put, "/message/\(identifier)", message.json)
    }

    /// Deletes a message (Delete Message).
    package func deleteMessage(_ identifier: MessageIdentifier) async throws(RetentionFault) {
        try await ask(.deleteMessage, .delete, "/message/\(identifier)")
    }

    // MARK: Default messages

    /// The default message of a product in a language (Get Default Message).
    package func defaultMessage(ofProduct productId: String, in locale: String) async throws(RetentionFault) -> String {
        let answer = try await ask(.getDefault, .get, path(productId, locale))
        return try read(answer) { (reader) throws(JSONFault) in
            try reader.readMember("messageIdentifier") { (reader) throws(JSONFault) in try reader.readString() }
        }
    }

    /// Makes a message the default of a product in a language (Configure Default Message).
    package func setDefaultMessage(
        _ identifier: MessageIdentifier,
        ofProduct productId: String,
        in locale: String
    ) async throws(RetentionFault) {
        let body = object { $0.member("messageIdentifier", identifier.description) }
        try await ask(.setDefault, .put, path(productId, locale), body)
    }

    /// Takes the default message of a product in a language away (Delete Default Message).
    package func deleteDefaultMessage(ofProduct productId: String, in locale: String) async throws(RetentionFault) {
        try await ask(.deleteDefault, .delete, path(productId, locale))
    }

    private func path(_ productId: String, _ locale: String) -> String {
        "/default/\(productId.percentEncoded)/\(locale.percentEncoded)"
    }

    // MARK: The test of the endpoint

    /// Has Apple test the address of the Sandbox, asking about a subscription there (Initiate Performance Test).
    package func startTest(originalTransactionId: String) async throws(RetentionFault) -> StartedPerformanceTest {
        let body = object { $0.member("originalTransactionId", originalTransactionId) }
        let answer = try await ask(.startTest, .post, "/performanceTest", body)
        return try read(answer) { (reader) throws(JSONFault) in
            try StartedPerformanceTest(reading: &reader, of: answer)
        }
    }

    /// The result of a test, as far as it is known (Get Performance Test Results).
    package func testResult(_ requestId: String) async throws(RetentionFault) -> PerformanceTestResult {
        let answer = try await ask(.testResult, .get, "/performanceTest/result/\(requestId.percentEncoded)")
        return try read(answer) { (reader) throws(JSONFault) in
            try PerformanceTestResult(reading: &reader, of: answer)
        }
    }

    // MARK: Asking

    @discardableResult
    private func ask(
        _ call: RetentionSetUpCall,
        _ method: OutgoingRequest.Method,
        _ path: String,
        _ body: [UInt8]? = nil
    ) async throws(RetentionFault) -> [UInt8] {
        guard let credentials = app.serverAPI else { throw .issuerUnknown(app.bundleId) }
        var attempt = 1
        while true {
            try await keepPace(call)
            let request = OutgoingRequest(
                method: method,
                service: .serverAPI,
                host: host,
                path: Self.root + path,
                bundleId: app.bundleId,
                environment: environment,
                bearerToken: try token(of: credentials),
                body: body
            )
            let response: IncomingResponse
            do throws(TransportFault) {
                response = try await transport.send(request, timeout: Self.timeout)
            } catch {
                throw RetentionFault(error)
            }
            if (200..<300).contains(response.status) { return response.body }
            guard let seconds = RetryAfter.seconds(after: response, at: now()), response.status == 429 else {
                throw RetentionFault(response, to: call, for: app.bundleId)
            }
            guard attempt < Self.mostAttempts, seconds <= Self.patienceSeconds else { throw .rateLimited(seconds) }
            attempt += 1
            try await wait(.seconds(seconds), "Apple asks for patience")
        }
    }

    private func token(of credentials: ServerAPICredentials) throws(RetentionFault) -> String {
        do throws(SigningFailure) {
            return try credentials.bearerToken(at: now())
        } catch {
            throw RetentionFault("the token for the App Store Server API cannot be signed: \(error)")
        }
    }

    private func keepPace(_ call: RetentionSetUpCall) async throws(RetentionFault) {
        let interval = call.interval(in: environment)
        if let last = lastSent[call] {
            let left = interval - last.duration(to: .now)
            if left > .zero { try await wait(left, "Apple takes one such call in \(interval.wholeSeconds) s") }
        }
        lastSent[call] = .now
    }

    private func wait(_ time: Duration, _ reason: String) async throws(RetentionFault) {
        // Nobody has to read about a tenth of a second.
        if time >= .milliseconds(500) { reportWait(time.wholeSeconds, reason) }
        do {
            try await sleep(time)
        } catch {
            throw RetentionFault("it was given up")
        }
    }

    private func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(members)
        return writer.bytes
    }

    private func read<Value>(
        _ answer: [UInt8],
        _ read: (inout JSONReader) throws(JSONFault) -> Value
    ) throws(RetentionFault) -> Value {
        var reader = JSONReader(answer, refusesDuplicates: false)
        do throws(JSONFault) {
            let value = try read(&reader)
            try reader.readEnd()
            return value
        } catch {
            let place = error.pointer.isEmpty ? "" : " at \(error.pointer)"
            throw RetentionFault("the App Store Server API's answer cannot be read\(place): \(error.detail)")
        }
    }
}

/// The calls of the Retention Messaging API, each of which Apple counts by itself.
enum RetentionSetUpCall: Hashable, Sendable {
    case getURL, setURL, deleteURL
    case listMessages, putMessage, deleteMessage
    case getDefault, setDefault, deleteDefault
    case startTest, testResult

    /// How long after a call the next one of its kind may follow ("Identifying rate limits"): a second in production, ten
    /// in the Sandbox, and a tenth of that for the setting of default messages.
    func interval(in environment: AppStoreEnvironment) -> Duration {
        let interval = self == .setDefault ? Duration.milliseconds(100) : .seconds(1)
        return environment == .production ? interval : interval * 10
    }
}
