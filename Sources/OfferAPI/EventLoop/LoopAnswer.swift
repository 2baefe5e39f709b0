import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// The answer to a request that is answered on the event loop.
struct LoopAnswer {
    /// The head, without `Date`, which comes when it is sent.
    private(set) var head: HTTPResponseHead
    /// The body, JSON.
    let body: [UInt8]

    /// The answer of an endpoint.
    ///
    /// - Parameter body: The body, JSON.
    init(ok body: [UInt8]) {
        var headers = HTTPHeaders()
        headers.reserveCapacity(6)
        headers.add(name: "Content-Type", value: "application/json")
        headers.add(name: "Content-Length", value: String(body.count))
        head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        self.body = body
    }

    /// The answer that tells a problem.
    ///
    /// - Parameter problem: The problem.
    init(_ problem: Problem) {
        body = problem.json
        head = HTTPResponseHead(problem.response)
        head.headers.add(name: "Content-Length", value: String(body.count))
    }

    /// The status code.
    var status: Int { Int(head.status.code) }

    /// Adds header fields.
    ///
    /// - Parameter fields: The fields.
    mutating func add(_ fields: HTTPFields) {
        for field in fields { head.headers.add(name: field.name.rawName, value: field.value) }
    }
}
