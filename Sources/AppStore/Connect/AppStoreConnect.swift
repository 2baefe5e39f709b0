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

    private func document(_ path: String) async throws(AppStoreConnectFault) -> ConnectDocument {
        var repeats = 0
        while true {
            let response = try await send(path)
            if response.status == 200 {
                guard let document = ConnectDocument(json: response.body) else {
                    throw AppStoreConnectFault("App Store Connect's answer cannot be read: it is none of its documents")
                }
                return document
            }
            let isLimit = response.status == 429
            let seconds =
                RetryAfter.seconds(response.retryAfter, at: now())
                ?? (isLimit ? Self.secondsAfterLimit : Self.secondsAfterFault)
            guard isLimit || response.status >= 500, repeats < Self.mostRepeats, seconds <= Self.patienceSeconds else {
                throw AppStoreConnectFault(
                    response,
                    of: path,
                    key: key.keyIdentifier,
                    isTeams: issuerId != nil,
                    at: now()
                )
            }
            repeats += 1
            do {
                try await wait(seconds, "App Store Connect \(isLimit ? "asks for patience" : "has a fault")")
            } catch {
                throw AppStoreConnectFault("it was given up")
            }
        }
    }

    private func send(_ path: String) async throws(AppStoreConnectFault) -> IncomingResponse {
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
            return try await transport.send(request, timeout: Self.timeout)
        } catch {
            throw AppStoreConnectFault(error.sentence(about: "App Store Connect"))
        }
    }
}
