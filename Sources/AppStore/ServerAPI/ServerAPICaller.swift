package import Offers

/// Sends calls of the App Store Server API that a person makes, in an app's name: each once, whatever comes of it.
package struct ServerAPICaller: Sendable {
    /// Apple's answer to a call.
    package struct Answer: Sendable {
        /// The body as it came; empty for none.
        package let body: [UInt8]
        /// The reason and the fix where Apple did not do it; `nil` for 2xx.
        package let fault: String?
    }

    private static let timeout = Duration.seconds(30)

    let app: AppStoreApp
    let environment: AppStoreEnvironment
    let urls: AppStoreURLs
    let transport: any HTTPTransport
    let now: @Sendable () -> Timestamp

    package init(
        of app: AppStoreApp,
        in environment: AppStoreEnvironment,
        urls: AppStoreURLs,
        transport: any HTTPTransport,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.app = app
        self.environment = environment
        self.urls = urls
        self.transport = transport
        self.now = now
    }

    /// Sends a call; the path begins with `/inApps/`.
    package func send(
        _ method: OutgoingRequest.Method,
        _ path: String,
        body: [UInt8]?,
        contentType: String
    ) async throws(ServerAPIFault) -> Answer {
        guard let credentials = app.serverAPI else { throw .noIssuer(of: app.bundleId) }
        let token: String
        do throws(SigningFailure) {
            token = try await credentials.bearerToken(at: now())
        } catch {
            throw ServerAPIFault("the token for the App Store Server API cannot be signed: \(error)")
        }
        let request = OutgoingRequest(
            method: method,
            service: .serverAPI,
            host: urls.serverAPI(in: environment),
            path: path,
            bundleId: app.bundleId,
            environment: environment,
            bearerToken: token,
            body: body,
            contentType: contentType
        )
        do throws(TransportFault) {
            let response = try await transport.send(request, timeout: Self.timeout)
            let isDone = (200..<300).contains(response.status)
            return Answer(
                body: response.body,
                fault: isDone ? nil : ServerAPIFault(response, for: app.bundleId, at: now()).description
            )
        } catch {
            throw ServerAPIFault(error)
        }
    }
}
