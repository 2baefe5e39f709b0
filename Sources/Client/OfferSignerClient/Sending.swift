import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1

extension OfferSigner {
    /// How many bytes an answer may have: thousands of products with their prices.
    private static let maximumAnswerBytes = 64 << 20

    /// Sends a call until there is an answer, or no point in going on.
    func send<Answer: Decodable>(_ call: Call) async throws(OfferSignerError) -> Answer {
        let start = ContinuousClock.now
        var attempts = CallAttempts(policy: retries, repeats: call.repeats)
        while true {
            let fault: AttemptFault
            do throws(AttemptFault) {
                return try await attempt(call, timeout: attempts.timeout(at: start.duration(to: .now))).answer(
                    Answer.self
                )
            } catch {
                fault = error
            }
            if Task.isCancelled { throw .cancelled }
            let elapsed = start.duration(to: .now)
            guard let pause = attempts.pause(after: fault, at: elapsed, chance: Double.random(in: 0...1)) else {
                throw fault.error
            }
            do {
                try await self.pause(pause)
            } catch {
                throw .cancelled
            }
        }
    }

    /// Sends a call once.
    ///
    /// AsyncHTTPClient's own deadline ends with the head of the answer; this one holds for the body too.
    private func attempt(_ call: Call, timeout: Duration) async throws(AttemptFault) -> Reply {
        let request = request(call)
        let httpClient = httpClient
        let result = await withTaskGroup(of: Result<Reply, AttemptFault>?.self) { group in
            group.addTask { await Self.reply(to: request, from: httpClient, timeout: timeout) }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard let result else { throw .lost(.noAnswer("The service did not answer in time.")) }
        return try result.get()
    }

    private func request(_ call: Call) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: address.url(call.path))
        request.method = .init(rawValue: call.method.rawValue)
        request.headers.add(name: "Accept", value: "application/json, application/problem+json")
        request.headers.add(name: "Authorization", value: "Bearer \(token.text)")
        request.headers.add(name: "User-Agent", value: "OfferSignerClient")
        if let key = call.idempotencyKey { request.headers.add(name: "Idempotency-Key", value: key) }
        if let body = call.body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        return request
    }

    private static func reply(
        to request: HTTPClientRequest,
        from httpClient: HTTPClient,
        timeout: Duration
    ) async -> Result<Reply, AttemptFault> {
        do {
            let response = try await httpClient.execute(request, timeout: TimeAmount(timeout))
            let body = try await response.body.collect(upTo: maximumAnswerBytes)
            return .success(
                Reply(
                    status: Int(response.status.code),
                    retryAfter: response.headers.first(name: "Retry-After"),
                    requestId: response.headers.first(name: "X-Request-ID"),
                    body: Array(body.readableBytesView)
                )
            )
        } catch is NIOTooManyBytesError {
            return .failure(.final(.noAnswer("The answer has more than \(maximumAnswerBytes) bytes.")))
        } catch let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout {
            return .failure(.lost(.noAnswer("The service did not answer in time.")))
        } catch {
            return .failure(.lost(.noAnswer("The service cannot be reached: \(error)")))
        }
    }
}

/// One call of the service's HTTP interface.
struct Call: Sendable {
    /// GET or POST.
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    let method: Method
    /// The path with its query.
    let path: String
    /// The body, JSON; `nil` for none.
    let body: [UInt8]?
    /// After which outcomes it may be sent again.
    let repeats: Repeats
    /// `Idempotency-Key`, the same in every attempt; `nil` for none.
    let idempotencyKey: String?

    init(post path: String, body: [UInt8], repeats: Repeats) {
        self.method = .post
        self.path = path
        self.body = body
        self.repeats = repeats
        idempotencyKey = nil
    }

    /// A call for signatures.
    init(post path: String, body: [UInt8], idempotencyKey: String?) throws(OfferSignerError) {
        // Any other text would be a field of its own, or none.
        if let key = idempotencyKey,
            !(1...255).contains(key.utf8.count) || !key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        {
            throw .invalidArgument("An idempotencyKey has 1 to 255 visible characters of ASCII, such as a UUID.")
        }
        self.method = .post
        self.path = path
        self.body = body
        self.repeats = .always
        self.idempotencyKey = idempotencyKey
    }

    init(get path: String) {
        self.method = .get
        self.path = path
        self.body = nil
        self.repeats = .always
        idempotencyKey = nil
    }
}

/// What came back from an attempt.
struct Reply: Sendable {
    let status: Int
    /// `Retry-After` as it was sent.
    let retryAfter: String?
    /// `X-Request-ID` as it was sent.
    let requestId: String?
    let body: [UInt8]

    /// The answer of a call that went well.
    func answer<Answer: Decodable>(_ type: Answer.Type) throws(AttemptFault) -> Answer {
        guard (200..<300).contains(status) else { throw fault }
        do {
            return try JSON.value(type, from: body)
        } catch {
            throw .final(.unexpectedAnswer(status: status, detail: "The body is no answer of Offer Signer: \(error)"))
        }
    }

    private var fault: AttemptFault {
        let error = error
        let retryAfter = retryAfterSeconds.map { Duration.seconds($0) }
        // The work goes on when nobody waits for it any longer.
        if case .problem(let problem) = error, problem.code == "answer_timeout" {
            return .lost(error, retryAfter: retryAfter)
        }
        switch status {
        case 408, 429, 503: return .refused(error, retryAfter: retryAfter)
        case 502, 504: return .lost(error, retryAfter: retryAfter)
        default: return .final(error)
        }
    }

    private var error: OfferSignerError {
        struct Details: Decodable {
            let code: String
            let detail: String
            let pointer: String?
        }
        guard let details = try? JSON.value(Details.self, from: body) else {
            return .unexpectedAnswer(status: status, detail: "The body is no problem details of Offer Signer.")
        }
        return .problem(
            Problem(
                status: status,
                code: details.code,
                detail: details.detail,
                pointer: details.pointer,
                retryAfterSeconds: retryAfterSeconds,
                requestId: requestId
            )
        )
    }

    /// `Retry-After` in seconds, as the service writes it (RFC 9110 §10.2.3 also knows a date).
    private var retryAfterSeconds: Int? {
        guard let seconds = retryAfter.flatMap(Int.init), seconds >= 0 else { return nil }
        return min(seconds, Self.longestRetryAfter)
    }

    /// A day: more is as good as never.
    private static let longestRetryAfter = 86_400
}

/// JSON as the service speaks it: times in RFC 3339.
enum JSON {
    static func bytes(of value: some Encodable) throws(OfferSignerError) -> [UInt8] {
        let encoder = JSONEncoder()
        // The same request has the same bytes in every process, as an Idempotency-Key asks for.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw .invalidArgument("The request cannot be written as JSON: \(error)")
        }
    }

    static func value<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(bytes))
    }
}
