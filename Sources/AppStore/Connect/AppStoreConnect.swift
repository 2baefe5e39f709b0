package import Offers

/// Asks the App Store Connect API, one request after the other, no faster than Apple allows: it waits, and says so.
package struct AppStoreConnect: Sendable {
    /// Apple's address.
    package static let address = "https://api.appstoreconnect.apple.com"

    /// How often a request is sent again at most.
    private static let mostRepeats = 3
    /// The waits where Apple names none, in seconds: after a 429, and after a fault of its own.
    private static let (secondsAfterLimit, secondsAfterFault) = (10, 2)
    /// The longest wait that Apple may ask for before it is given up, in seconds.
    private static let patienceSeconds = 60
    /// How many pages a list may have: of 200 each, more than any team has.
    private static let mostPages = 1000
    private static let timeout = Duration.seconds(30)

    private let key: any ES256Signer
    private let issuerId: String?
    private let credentials: ServerAPICredentials
    private let address: String
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Timestamp
    private let wait: @Sendable (_ seconds: Int, _ reason: String) async throws -> Void

    /// Takes a key of the App Store Connect API; an individual's has no issuer.
    ///
    /// The address has `https`, or `http` to this machine. `wait` waits, and says so.
    package init(
        key: any ES256Signer,
        issuerId: String?,
        address: String,
        transport: any HTTPTransport,
        now: @escaping @Sendable () -> Timestamp,
        wait: @escaping @Sendable (_ seconds: Int, _ reason: String) async throws -> Void
    ) {
        self.key = key
        self.issuerId = issuerId
        credentials = ServerAPICredentials(appStoreConnectIssuer: issuerId, signer: key)
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        self.transport = transport
        self.now = now
        self.wait = wait
    }

    /// Reads a list from its first page to its last; or a single resource, as a list of one.
    func list(_ path: String) async throws(AppStoreConnectFault) -> ConnectDocument {
        var list = try await document(path)
        var known: Set<String> = []
        while let next = list.next {
            // Nobody but Apple's host is sent the token.
            guard next.hasPrefix(address + "/") else {
                throw AppStoreConnectFault("a list of App Store Connect goes on at another host than \(address)")
            }
            guard known.insert(next).inserted, known.count < Self.mostPages else {
                throw AppStoreConnectFault("a list of App Store Connect does not end")
            }
            list.add(try await document(String(next.dropFirst(address.count))))
        }
        return list
    }

    /// Repeats what may go better: a limit, a fault of Apple's, a call without an answer, and one that cannot be read.
    private func document(_ path: String) async throws(AppStoreConnectFault) -> ConnectDocument {
        var repeats = 0
        while true {
            let (fault, pause): (AppStoreConnectFault, Pause?)
            switch try await send(path) {
            case .success(let response) where response.status == 200:
                if let document = ConnectDocument(json: response.body) { return document }
                fault = AppStoreConnectFault("App Store Connect's answer cannot be read: it is none of its documents")
                pause = Pause(seconds: Self.secondsAfterFault, reason: "App Store Connect's answer cannot be read")
            case .success(let response):
                fault = AppStoreConnectFault(
                    response,
                    of: path,
                    key: key.keyIdentifier,
                    isTeams: issuerId != nil,
                    at: now()
                )
                pause = Pause(after: response, at: now())
            case .failure(let failure):
                fault = AppStoreConnectFault(failure.sentence(about: "App Store Connect"))
                pause = Pause(after: failure)
            }
            guard let pause, repeats < Self.mostRepeats, pause.seconds <= Self.patienceSeconds else { throw fault }
            repeats += 1
            do {
                try await wait(pause.seconds, pause.reason)
            } catch {
                throw AppStoreConnectFault("it was given up")
            }
        }
    }

    /// A wait before a request is sent again.
    private struct Pause {
        let seconds: Int
        let reason: String

        init(seconds: Int, reason: String) { (self.seconds, self.reason) = (seconds, reason) }

        init?(after response: IncomingResponse, at now: Timestamp) {
            let isLimit = response.status == 429
            guard isLimit || response.status >= 500 else { return nil }
            seconds =
                RetryAfter.seconds(response.retryAfter, at: now) ?? (isLimit ? secondsAfterLimit : secondsAfterFault)
            reason = "App Store Connect \(isLimit ? "asks for patience" : "has a fault")"
        }

        /// A name without an address, and TLS that was not agreed on, stay so.
        init?(after fault: TransportFault) {
            guard case .failed(let failure, _) = fault else { return nil }
            switch failure {
            case .connection, .timeout, .notHTTP: break
            case .name, .tls, .tooLarge: return nil
            }
            (seconds, reason) = (secondsAfterFault, "App Store Connect does not answer")
        }
    }

    private func send(
        _ path: String
    ) async throws(AppStoreConnectFault) -> Result<IncomingResponse, TransportFault> {
        let token: String
        do throws(SigningFailure) {
            token = try await credentials.bearerToken(at: now())
        } catch {
            throw AppStoreConnectFault("the token for App Store Connect cannot be signed: \(error)")
        }
        let request = OutgoingRequest(
            method: .get,
            // These name it in metrics, which commands have none of.
            service: .serverAPI,
            host: address,
            path: path,
            bundleId: "",
            environment: .production,
            bearerToken: token
        )
        do throws(TransportFault) {
            return .success(try await transport.send(request, timeout: Self.timeout))
        } catch {
            return .failure(error)
        }
    }
}
