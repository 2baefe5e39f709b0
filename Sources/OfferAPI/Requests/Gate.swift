import NIOCore
import NIOHTTP1

/// Decides by a request's head alone whether its body is worth reading, and stores its findings in the request.
struct Gate {
    enum Judgement: Equatable {
        case admit(maximumBodyBytes: Int)
        /// The request is answered at once, and its body is thrown away.
        case refuse(Problem, closes: Bool = false)
    }

    /// The clients that a listener answers.
    enum Callers {
        /// Clients with a token, by the configuration in use.
        case clients(of: @Sendable () -> PublicEndpoints)
        /// Everybody, at these paths, each by its method.
        case everybody(at: [String: HTTPMethod])
        /// Everybody at the first paths and at those of pages; clients with a token at the calls. Pages and calls
        /// are opened under known hosts alone, and refuse requests from pages of another origin.
        case operators(
            at: [String: HTTPMethod],
            pages: [String: HTTPMethod],
            hosts: @Sendable () -> PageHosts,
            of: @Sendable () -> PublicEndpoints
        )
    }

    let limits: ConnectionLimits
    let callers: Callers
    /// The bound on waiting requests; `nil` for none.
    let admission: Admission?

    func judge(_ request: Request) -> Judgement {
        let head = request.head
        if let fault = head.framingFault { return .refuse(fault, closes: true) }
        let limit: Int
        var isForSignatures = false
        switch callers {
        case .everybody(let methods):
            if let refusal = judge(request, byMethods: methods) { return refusal }
            limit = limits.maximumBodyBytes
        case .clients(let endpoints):
            // Paths match exactly: neither `//v1/signatures` nor `/v1/signatures/` leads to a call.
            guard let call = Call.all.call(of: head) else {
                return .refuse(.notFound(head.path, among: Call.all.map(\.path)))
            }
            if let refusal = judge(request, for: call, of: endpoints()) { return refusal }
            limit = limits.maximumBodyBytes(of: call)
            isForSignatures = call.isForSignatures
        case .operators(let methods, let pages, let hosts, let endpoints):
            let call = Call.ofPage.call(of: head)
            let isPage = call != nil || head.path.map { pages[$0] != nil } == true
            if isPage {
                guard let host = head.host, hosts().contains(host) else { return .refuse(.misdirected) }
                if head.isFromForeignOrigin { return .refuse(.foreignOrigin) }
            }
            if let call {
                if let refusal = judge(request, for: call, of: endpoints()) { return refusal }
                limit = limits.maximumBodyBytes(of: call)
            } else {
                if let refusal = judge(request, byMethods: isPage ? pages : methods) { return refusal }
                limit = limits.maximumBodyBytes
            }
        }
        if let length = head.contentLength, length > limit { return .refuse(.bodyTooLarge(limit: limit), closes: true) }
        if admission?.hasRoom(isForSignatures: isForSignatures) == false { return .refuse(.overloaded) }
        do throws(Problem) {
            try request.begin()
        } catch {
            return .refuse(error)
        }
        return .admit(maximumBodyBytes: limit)
    }

    /// The refusal of a request that needs no client; `nil` for none.
    private func judge(_ request: Request, byMethods methods: [String: HTTPMethod]) -> Judgement? {
        guard let path = request.head.path, let method = methods[path] else {
            return .refuse(.notFound(request.head.path, among: methods.keys.sorted()))
        }
        guard request.head.asks(method) else { return .refuse(.methodNotAllowed(allow: method.allow)) }
        request.path = path
        return nil
    }

    /// The refusal of a client's request; `nil` for none.
    private func judge(_ request: Request, for call: Call, of endpoints: PublicEndpoints) -> Judgement? {
        guard request.head.asks(call.method) else { return .refuse(.methodNotAllowed(allow: call.method.allow)) }
        (request.path, request.call, request.endpoints) = (call.path, call, endpoints)
        do throws(Problem) {
            try admit(request, to: call, endpoints.clients)
            return nil
        } catch {
            return .refuse(error)
        }
    }

    private func admit(_ request: Request, to call: Call, _ clients: ClientDirectory) throws(Problem) {
        let head = request.head
        if let scope = call.scope {
            guard let token = head.token else { throw .tokenMissing }
            let known = try clients.validToken(with: token)
            request.token = known
            guard known.client.scopes.contains(scope) else {
                throw .scopeNotAllowed(scope, for: known.client)
            }
            if call.method == .POST {
                guard head.hasJSONBody else { throw .unsupportedMediaType }
                guard !head.hasContentCoding else { throw .unsupportedContentCoding }
            }
        }
        // Nearly always the target is the path.
        if head.target != call.path { _ = try request.parameters() }
    }
}

extension ConnectionLimits {
    fileprivate func maximumBodyBytes(of call: Call) -> Int {
        call.body == .large ? maximumEvidenceBodyBytes : maximumBodyBytes
    }
}

extension HTTPMethod {
    /// The methods that a route with this method takes, as the `Allow` field lists them: `HEAD` goes with `GET` (RFC
    /// 9110 §9.3.2).
    var allow: String { self == .GET ? "GET, HEAD" : rawValue }
}

extension RequestHead {
    fileprivate func asks(_ method: HTTPMethod) -> Bool {
        sent.method == method || sent.method == .HEAD && method == .GET
    }
}
