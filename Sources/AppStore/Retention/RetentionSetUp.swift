package import Offers
import StrictJSON

/// Sends the calls that set retention messages up at Apple (Retention Messaging API), no faster than Apple allows: it
/// waits, and says so.
package actor RetentionSetUp {
    /// How often a call is sent at most that Apple answers with 429.
    private static let mostAttempts = 3
    /// The longest wait that Apple may ask for before a call is given up, in seconds.
    private static let patienceSeconds = 60
    private static let timeout = Duration.seconds(30)

    private let app: AppStoreApp
    package nonisolated let environment: AppStoreEnvironment
    private let host: String
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    private let reportWait: @Sendable (_ seconds: Int, _ reason: String) -> Void
    private var lastSent: [String: ContinuousClock.Instant] = [:]

    package init(
        of app: AppStoreApp,
        in environment: AppStoreEnvironment,
        urls: AppStoreURLs,
        transport: any HTTPTransport,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
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

    package func ask<Answer>(_ call: SetUpCall<Answer>) async throws(RetentionFault) -> Answer {
        let body = try await send(call)
        do throws(JSONFault) {
            return try call.read(body)
        } catch {
            let place = error.pointer.isEmpty ? "" : " at \(error.pointer)"
            throw RetentionFault("the App Store Server API's answer cannot be read\(place): \(error.detail)")
        }
    }

    private func send<Answer>(_ call: SetUpCall<Answer>) async throws(RetentionFault) -> [UInt8] {
        guard let credentials = app.serverAPI else {
            throw RetentionFault(
                "Apple wants the issuer of the key: write issuerId on the app \(app.bundleId) in the catalog"
            )
        }
        var attempt = 1
        while true {
            try await keepPace(call.name, call.interval(in: environment))
            let request = OutgoingRequest(
                method: call.method,
                service: .serverAPI,
                host: host,
                path: "/inApps/v1/messaging" + call.path,
                bundleId: app.bundleId,
                environment: environment,
                bearerToken: try await token(of: credentials),
                body: call.body
            )
            let response: IncomingResponse
            do throws(TransportFault) {
                response = try await transport.send(request, timeout: Self.timeout)
            } catch {
                throw RetentionFault(error)
            }
            if (200..<300).contains(response.status) { return response.body }
            guard response.status == 429, let seconds = RetryAfter.seconds(after: response, at: now()) else {
                throw RetentionFault(response, for: app.bundleId, at: now())
            }
            guard attempt < Self.mostAttempts, seconds <= Self.patienceSeconds else {
                throw RetentionFault(
                    "Apple was asked too often (4290000); it takes such a call again in \(seconds) s"
                )
            }
            attempt += 1
            try await wait(.seconds(seconds), "Apple asks for patience")
        }
    }

    private func token(of credentials: ServerAPICredentials) async throws(RetentionFault) -> String {
        do throws(SigningFailure) {
            return try await credentials.bearerToken(at: now())
        } catch {
            throw RetentionFault("the token for the App Store Server API cannot be signed: \(error)")
        }
    }

    private func keepPace(_ call: String, _ interval: Duration) async throws(RetentionFault) {
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
}
