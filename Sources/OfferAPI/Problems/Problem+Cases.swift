import NIOHTTP1
import OfferService
import Offers
import StrictJSON

// Every problem that the service answers with, in one place.

extension Problem {
    init(_ fault: JSONFault) {
        self.init(
            status: 400,
            code: fault.code.rawValue,
            detail: fault.detail,
            pointer: fault.pointer.isEmpty ? nil : fault.pointer
        )
    }

    init(_ fault: SignatureFault, evidence kind: EvidenceKind?) {
        switch fault {
        case .unknownApp: self = .appNotAllowed
        case .accountRequired:
            self.init(
                status: 400,
                code: "account_required",
                detail: "The app asks for an account: send appAccountToken or applicationUsername.",
                pointer: "/appAccountToken"
            )
        case .issuerUnknown:
            self.init(
                status: 400,
                code: "not_supported",
                detail: "A JWS names the issuer of the app's key, which the catalog leaves out: its operator has to "
                    + "write the issuerId beside the key. A discount of a promotional offer needs none."
            )
        case .transactionRequired:
            self.init(
                status: 400,
                code: "missing_member",
                detail: "The JWS names a transaction of the customer, and the evidence has none: send a transactionId, "
                    + "which may be the appTransactionID of StoreKit 2's AppTransaction.",
                pointer: "/transactionId"
            )
        case .transactionMismatch:
            self.init(
                status: 422,
                code: "transaction_mismatch",
                detail:
                    "The transactionId is none of the evidence, nor of what is held of the account: send one of the "
                    + "customer's, beside evidence that has it.",
                pointer: "/transactionId"
            )
        case .evidenceOfOthers(let detail):
            self.init(
                status: 422,
                code: "transaction_mismatch",
                detail: "No transaction of the evidence is known to be the customer's. \(detail)",
                pointer: "/evidence"
            )
        case .evidence(let fault):
            // Without evidence in the request, what is held was confirmed.
            let pointer = (fault.member ?? kind?.rawValue).map { "/evidence/\($0)\(fault.pointer)" }
            switch fault.kind {
            case .malformed, .unsupported:
                self.init(status: 400, code: fault.code, detail: fault.detail, pointer: pointer)
            case .rejected: self.init(status: 422, code: fault.code, detail: fault.detail, pointer: pointer)
            case .unavailable(let seconds):
                self.init(status: 503, code: fault.code, detail: fault.detail, retryAfterSeconds: seconds)
            }
        case .signing(let failure) where failure.isUnavailability:
            self.init(
                status: 503,
                code: "signing_unavailable",
                detail:
                    "The key, or the token that has it, does not sign now. Nothing was given out or recorded; ask again.",
                retryAfterSeconds: 5,
                reason: failure.description
            )
        case .signing(let failure):
            self.init(
                status: 503,
                code: "signing_failed",
                detail: "The service could not sign. Nothing was given out; ask again.",
                retryAfterSeconds: 5,
                reason: failure.description
            )
        case .ledger:
            self.init(
                status: 503,
                code: "ledger_unavailable",
                detail: "What is signed could not be recorded. Nothing was given out; ask again.",
                retryAfterSeconds: 5
            )
        case .givenUp: self = .shuttingDown
        }
    }

    /// The message is no request, or its head is too large.
    init(_ fault: HTTPParserError, within limits: ConnectionLimits) {
        switch fault {
        case .headerOverflow:
            // The parser does not say which of the two it is.
            self.init(
                status: 431,
                code: "headers_too_large",
                detail: "The head of a request may have \(limits.maximumHeaderBytes) bytes here, in "
                    + "\(limits.maximumHeaderFields) fields at the most."
            )
        case .invalidMethod:
            self = .malformedHTTP("This begins with no method that is known here, such as POST, in upper case.")
        default: self = .malformedHTTP("This is not HTTP/1.1 (RFC 9112).")
        }
    }

    static func invalidParameter(_ detail: String) -> Problem {
        Problem(status: 400, code: "invalid_parameter", detail: detail)
    }

    static let storeUnavailable = Problem(
        status: 503,
        code: "store_unavailable",
        detail: "The store of product reports does not answer. Nothing was kept; ask again.",
        retryAfterSeconds: 5
    )

    static let tokenMissing = Problem(
        status: 401,
        code: "unauthorized",
        detail: "The request has no bearer token, or more than one: send one field, Authorization: Bearer TOKEN."
    )

    static let tokenUnknown = Problem(
        status: 401,
        code: "unauthorized",
        detail:
            "No client has this token. The SHA-256 of a client's token is its tokenSHA256 in clients.yaml, which is "
            + "read at the start and on SIGHUP; `offer-signer clients token` makes both."
    )

    static func tokenExpired(_ end: Timestamp, of client: Client) -> Problem {
        Problem(
            status: 401,
            code: "unauthorized",
            detail:
                "The token of the client \(client.name) ended at \(end.rfc3339), by `expires` in clients.yaml. "
                + "`offer-signer clients token` makes another one."
        )
    }

    static let appNotAllowed = Problem(
        status: 403,
        code: "app_not_allowed",
        detail: "This client may not ask for this app: it is not among the apps of the client in clients.yaml.",
        pointer: "/bundleId"
    )

    static func scopeNotAllowed(_ scope: ClientScope, for client: Client) -> Problem {
        let scopes = ClientScope.allCases.filter { client.scopes.contains($0) || $0 == scope }.map(\.rawValue)
        return Problem(
            status: 403,
            code: "scope_not_allowed",
            detail:
                "The client \(client.name) lacks the scope \(scope.rawValue). What it may do is `scopes` of the client "
                + "in clients.yaml: to allow this too, write scopes: [\(scopes.joined(separator: ", "))]."
        )
    }

    static let misdirected = Problem(
        status: 421,
        code: "misdirected_request",
        detail: "The page is not opened under this name. Use an address or localhost, or list the name in admin.hosts "
            + "of offer-signer.yaml."
    )

    static let foreignOrigin = Problem(
        status: 403,
        code: "foreign_origin",
        detail: "A page of another origin asks. The operators' listener answers its own page alone, and programs that "
            + "send no Origin."
    )

    static func evidenceNotAllowed(_ kind: EvidenceKind, for client: Client) -> Problem {
        let kinds = EvidenceKind.allCases.filter { client.evidence.contains($0) || $0 == kind }.map(\.rawValue)
        let caution =
            kind.isApplesWord
            ? ""
            : " Allow it only where the backend fetches it from Apple itself: it is not signed, and anybody with the token "
                + "can make one up."
        return Problem(
            status: 403,
            code: "evidence_not_allowed",
            detail:
                "The client \(client.name) may not send \(kind.rawValue). What it may send is `evidence` of the client "
                + "in clients.yaml: to allow this too, write evidence: [\(kinds.joined(separator: ", "))].\(caution)",
            pointer: "/evidence/\(kind.rawValue)"
        )
    }

    static let notFound = notFound(nil, among: [])

    /// Nothing is at the path; one that is near is named.
    static func notFound(_ path: String?, among paths: [String]) -> Problem {
        let question = path.flatMap { NearestName.question(for: $0, among: paths) }
        let detail = "There is nothing at this path" + (question.map { ": " + $0 } ?? ".")
        return Problem(status: 404, code: "not_found", detail: detail)
    }

    static func methodNotAllowed(allow: String) -> Problem {
        Problem(status: 405, code: "method_not_allowed", detail: "This path takes \(allow).", allow: allow)
    }

    static func bodyTooLarge(limit: Int) -> Problem {
        Problem(status: 413, code: "body_too_large", detail: "A body may have \(limit) bytes here.")
    }

    static func invalidTimeout(longest: Int64) -> Problem {
        Problem(
            status: 400,
            code: "invalid_value",
            detail: "Request-Timeout-Milliseconds is one whole number, from 1 to \(longest)."
        )
    }

    static func invalidIdempotencyKey(longest: Int) -> Problem {
        Problem(
            status: 400,
            code: "invalid_value",
            detail:
                "Idempotency-Key is there once, with 1 to \(longest) visible characters of ASCII, such as a new UUID "
                + "for each purchase."
        )
    }

    static let explainedOnce = Problem(
        status: 400,
        code: "invalid_value",
        detail: "An answer with explanations is not kept: leave out explain, or the Idempotency-Key.",
        pointer: "/explain"
    )

    static let idempotencyKeyReused = Problem(
        status: 422,
        code: "idempotency_key_reused",
        detail:
            "This Idempotency-Key was used within the hour for another request. Make a new one for each request, and "
            + "send it again with the very bytes of that request alone."
    )

    static func malformedHTTP(_ detail: String) -> Problem {
        Problem(status: 400, code: "malformed_http", detail: detail)
    }

    static let requestTimeout = Problem(
        status: 408,
        code: "request_timeout",
        detail: "The request took too long to come. Send it anew, at once as a whole."
    )

    static let expectationFailed = Problem(
        status: 417,
        code: "expectation_failed",
        detail: "The only expectation that is met is 100-continue."
    )

    static func rateLimited(perSecond: Int, retryAfterSeconds: Int) -> Problem {
        Problem(
            status: 429,
            code: "rate_limited",
            detail: "This client may ask for \(perSecond) signatures a second; every offer of a request counts.",
            retryAfterSeconds: retryAfterSeconds
        )
    }

    static func tooManyRequests(limit: Int) -> Problem {
        Problem(
            status: 429,
            code: "too_many_requests",
            detail: "This client may have \(limit) requests at once. Wait for their answers.",
            retryAfterSeconds: 1
        )
    }

    static func tooManyUnfinishedBytes(limit: Int) -> Problem {
        Problem(
            status: 429,
            code: "too_many_requests",
            detail: "This client may have \(limit) bytes of bodies on their way. Wait until others have arrived.",
            retryAfterSeconds: 1
        )
    }

    static let answerTimeout = Problem(
        status: 503,
        code: "answer_timeout",
        detail: "The service could not answer in time; what was begun may still be done. Ask again.",
        retryAfterSeconds: 5
    )

    static let overloaded = Problem(
        status: 503,
        code: "overloaded",
        detail: "The service has as much to do as it can. Nothing was done; ask again.",
        retryAfterSeconds: 1
    )

    static let shuttingDown = Problem(
        status: 503,
        code: "shutting_down",
        detail: "The service goes, and has no time left for this request. Ask again: another may be there.",
        retryAfterSeconds: 1
    )

    static let tooManyConnections = Problem(
        status: 503,
        code: "too_many_connections",
        detail: "The service has as many connections as it may have. Use those that you have, or ask again.",
        retryAfterSeconds: 1
    )

    static let unsupportedMediaType = Problem(
        status: 415,
        code: "unsupported_media_type",
        detail: "Send JSON in UTF-8, and one field that says so: Content-Type: application/json."
    )

    static let unsupportedContentCoding = Problem(
        status: 415,
        code: "unsupported_media_type",
        detail: "Send JSON as it is, without Content-Encoding: no coding is taken, such as gzip."
    )

    static let `internal` = Problem(
        status: 500,
        code: "internal",
        detail: "The service met a fault of its own. It is in the log."
    )
}
