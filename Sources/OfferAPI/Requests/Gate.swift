import NIOCore
import NIOHTTP1

/// Decides by a request's head alone whether its body is worth reading, and stores its findings in the request.
struct Gate {
    enum Judgement: Equatable {
        case admit(maximumBodyBytes: Int)
        /// The request is answered at once, and its body is thrown away.
        case refuse(Problem, closes: Bool = false)
    }

    let limits: ConnectionLimits
    /// The calls of the listener.
    let calls: [Call]
    /// The configuration in use; `nil` where no call asks for a client.
    var endpoints: (@Sendable () -> PublicEndpoints)?
    /// The names of the operators' page; `nil` where there is none.
    var hosts: (@Sendable () -> PageHosts)?
    /// The bound on waiting requests; `nil` for none.
    var admission: Admission?

    func judge(_ request: Request) -> Judgement {
        let head = request.head
        if let fault = head.framingFault { return .refuse(fault, closes: true) }
        // Paths match exactly: neither `//v1/signatures` nor `/v1/signatures/` leads to a call.
        guard let call = calls.call(of: head) else {
            recognise(request)
            return .refuse(.notFound(head.path, among: calls.filter { !$0.isOfPage }.map(\.path)))
        }
        if call.isOfPage {
            guard let host = head.host, hosts?().contains(host) == true else { return .refuse(.misdirected) }
            if head.isFromForeignOrigin { return .refuse(.foreignOrigin) }
        }
        guard head.asks(call.method) else {
            recognise(request)
            return .refuse(.methodNotAllowed(allow: call.method.allow))
        }
        (request.call, request.endpoints) = (call, endpoints?())
        let limit = limits.maximumBodyBytes(of: call)
        do throws(Problem) {
            try admit(request, to: call)
            if let length = head.contentLength, length > limit {
                return .refuse(.bodyTooLarge(limit: limit), closes: true)
            }
            if admission?.hasRoom(isForSignatures: call.isForSignatures) == false { return .refuse(.overloaded) }
            try request.begin()
        } catch {
            return .refuse(error)
        }
        return .admit(maximumBodyBytes: limit)
    }

    /// Looks who sent a request that no call answers: a client's refusal has a line of the log.
    private func recognise(_ request: Request) {
        request.token = request.head.token.flatMap { try? endpoints?().clients.validToken(with: $0) }
    }

    private func admit(_ request: Request, to call: Call) throws(Problem) {
        let head = request.head
        if let scope = call.scope {
            guard let token = head.token, let clients = request.endpoints?.clients else { throw .tokenMissing }
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
        if call.parameters != nil, head.target != call.path { _ = try request.parameters() }
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
