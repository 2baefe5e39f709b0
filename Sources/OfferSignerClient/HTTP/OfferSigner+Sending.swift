import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension OfferSigner {
    /// How many bytes an answer may have: thousands of products with their prices.
    private static let maximumAnswerBytes = 64 << 20

    /// Sends a call until there is an answer, or no point in going on.
    ///
    /// - Parameter call: The call.
    /// - Returns: The answer.
    /// - Throws: `OfferSignerError` when there is none.
    func send<Answer: Decodable>(_ call: Call) async throws(OfferSignerError) -> Answer {
        let start = ContinuousClock.now
        var course = RetryCourse(policy: retries, repeats: call.repeats)
        while true {
            let fault: AttemptFault
            do throws(AttemptFault) {
                return try await attempt(call, timeout: course.timeout(at: start.duration(to: .now))).answer(
                    Answer.self
                )
            } catch {
                fault = error
            }
            if Task.isCancelled { throw .cancelled }
            let elapsed = start.duration(to: .now)
            guard let pause = course.pause(after: fault, at: elapsed, chance: Double.random(in: 0...1)) else {
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
        request.method = HTTPMethod(rawValue: call.method.rawValue)
        request.headers.add(name: "Accept", value: "application/json, application/problem+json")
        request.headers.add(name: "Authorization", value: "Bearer \(token.text)")
        request.headers.add(name: "User-Agent", value: "OfferSignerClient")
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
