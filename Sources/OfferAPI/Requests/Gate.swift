import NIOCore
import NIOHTTP1

/// Decides by a request's head alone whether its body is worth reading, before anything of it is read.
///
/// The request keeps what it finds out: route, client and configuration.
struct Gate {
    /// Its judgement of a request.
    enum Judgement: Equatable {
        /// The body is worth reading.
        case admit(maximumBodyBytes: Int)
        /// The request is answered at once, or after a while to slow the client down, and its body is thrown away.
        case refuse(Problem, after: TimeAmount = .zero, closes: Bool = false)
    }

    /// The clients that a listener answers.
    enum Guests {
        /// Clients with a token, by the configuration in use; guesses are slowed down.
        case clients(of: @Sendable () -> PublicEndpoints, failures: FailedAuthentications)
        /// Everybody, at these paths, each by its method.
        case everybody(at: [String: HTTPMethod])
    }

    /// Sizes of bodies.
    let limits: ConnectionLimits
    /// The clients that the listener answers.
    let guests: Guests
    /// How much may wait; `nil` for any number.
    let admission: Admission?

    /// Judges whether a request's body is worth reading.
    func judge(_ request: Request) -> Judgement {
        let head = request.head
        if let fault = head.framingFault { return .refuse(fault, closes: true) }
        let limit: Int
        var isForSignatures = false
        switch guests {
        case .everybody(let methods):
            guard let path = head.path, let method = methods[path] else { return .refuse(.notFound) }
            guard head.asks(method) else { return .refuse(.methodNotAllowed(allow: method.allow)) }
            request.path = path
            limit = limits.maximumBodyBytes
        case .clients(let endpoints, let failures):
            // A path is what it is: neither `//v1/signatures` nor `/v1/signatures/` is another way to a call.
            guard let route = PublicRoute(head) else { return .refuse(.notFound) }
            guard head.asks(route.method) else { return .refuse(.methodNotAllowed(allow: route.method.allow)) }
            (request.path, request.route) = (route.path, route)
            let endpoints = endpoints()
            request.endpoints = endpoints
            do throws(Problem) {
                try admit(request, to: route, endpoints.clients)
            } catch {
                guard error.status == 401 else { return .refuse(error) }
                let delay = failures.note(
                    from: PeerNetwork(request.channel?.remoteAddress),
                    at: ClientDirectory.uptime
                )
                return .refuse(error, after: TimeAmount(delay))
            }
            limit = route.takesMuch ? limits.maximumEvidenceBodyBytes : limits.maximumBodyBytes
            isForSignatures = route.isForSignatures
        }
        if let length = head.contentLength, length > limit { return .refuse(.bodyTooLarge(limit: limit), closes: true) }
        if admission?.hasRoom(isForSignatures: isForSignatures) == false { return .refuse(.overloaded) }
        return .admit(maximumBodyBytes: limit)
    }

    private func admit(_ request: Request, to route: PublicRoute, _ clients: ClientDirectory) throws(Problem) {
        let head = request.head
        if let scope = route.scope {
            guard let token = head.token else { throw .tokenMissing }
            guard let known = clients.token(with: token) else { throw .tokenUnknown }
            request.token = known
            known.use.note()
            guard known.client.scopes.contains(scope) else { throw .scopeNotAllowed(scope) }
            if route.method == .POST {
                guard head.hasJSONBody else { throw .unsupportedMediaType }
                guard !head.hasContentCoding else { throw .unsupportedContentCoding }
            }
        }
        // Nearly always the target is the path.
        if head.target != route.path { _ = try QueryParameters(of: head.target, names: route.parameters) }
    }
}

extension HTTPMethod {
    /// The methods that a route for this one takes, as the `Allow` field lists them: where there is something to get, its
    /// head alone may be asked for (RFC 9110 §9.3.2).
    var allow: String { self == .GET ? "GET, HEAD" : rawValue }
}

extension RequestHead {
    /// Whether a route for a method takes this.
    fileprivate func asks(_ method: HTTPMethod) -> Bool {
        sent.method == method || sent.method == .HEAD && method == .GET
    }
}
