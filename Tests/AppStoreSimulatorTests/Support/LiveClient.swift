import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore

@testable import AppStoreSimulator

/// A client of an App Store that listens on a socket.
struct LiveClient: Sendable {
    /// A response.
    struct Answer {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let body: Data

        /// The body as an object; empty when it is none.
        var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }
    }

    let client: any TestClientProtocol

    func get(_ path: String, _ headers: HTTPFields = [:]) async throws -> Answer {
        try await send(.get, path, headers, nil)
    }

    func delete(_ path: String) async throws -> Answer { try await send(.delete, path, [:], nil) }

    func post(_ path: String, _ body: [String: Any], _ headers: HTTPFields = [:]) async throws -> Answer {
        try await send(.post, path, headers, ByteBuffer(string: try JSON.text(body)))
    }

    func put(_ path: String, _ body: [String: Any], _ headers: HTTPFields = [:]) async throws -> Answer {
        try await send(.put, path, headers, ByteBuffer(string: try JSON.text(body)))
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ headers: HTTPFields,
        _ body: ByteBuffer?
    ) async throws -> Answer {
        let response = try await client.executeRequest(uri: path, method: method, headers: headers, body: body)
        return Answer(status: response.status, headers: response.headers, body: Data(response.body.readableBytesView))
    }
}

extension SimulatedAppStore {
    /// Listens on a free port of `localhost`, which is one of two addresses, for as long as the body runs.
    func live<Value: Sendable>(_ body: @escaping @Sendable (LiveClient) async throws -> Value) async throws -> Value {
        let application = application(host: "localhost", port: 0) { _ in }
        return try await application.test(.live) { try await body(LiveClient(client: $0)) }
    }
}
