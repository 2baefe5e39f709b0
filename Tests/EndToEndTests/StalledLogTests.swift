import Foundation
import Testing

/// A service whose standard error is a full pipe.
@Suite("The reader of the log stalls", .timeLimit(.minutes(3)))
struct StalledLogTests {
    private static let body = #"{"applicationUsername":"a","offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#

    private let pipe = Pipe()

    /// Fills the pipe, whose flags the service has, too.
    private func fill() {
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
        for count in [4096, 1] { while write(descriptor, bytes, count) > 0 {} }
        _ = fcntl(descriptor, F_SETFL, flags)
    }

    /// Reads all that is in the pipe.
    private func read() -> String {
        var text = Data()
        var question = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while poll(&question, 1, 0) > 0 { text += pipe.fileHandleForReading.availableData }
        return String(decoding: text, as: UTF8.self)
    }

    private func service(_ flags: String...) throws -> RunningService {
        let service = try RunningService(
            flags: ["--log-level", "info"] + flags,
            errors: pipe.fileHandleForWriting.fileDescriptor
        )
        fill()
        return service
    }

    @Test("and requests are answered, lines are lost and counted, and the service ends on SIGTERM")
    func serves() throws {
        let service = try service()
        let connection = try Connection(to: service.server)
        for _ in 0..<5 {
            #expect(try connection.request("POST", "/v1/signatures", body: Self.body).status == 200)
            #expect(try Connection(to: service.admin).request("GET", "/livez").status == 200)
        }
        _ = read()
        #expect(try connection.request("POST", "/v1/signatures", body: Self.body).status == 200)
        let note = try #require(read().split(separator: "\n").first)
        #expect(note.contains(#""message":"5 lines of the log were lost here: "#), "\(note)")
        fill()
        service.signal(SIGTERM)
        #expect(service.wait(atMost: 60) == 0)
    }

    @Test("and a drain that takes too long ends, also without its line")
    func cutOff() throws {
        let service = try service("--server-drain-timeout-seconds", "1")
        let late = try Connection(to: service.server)
        try late.send("POST /v1/signatures HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Installation.token)\r\n")
        try late.send("Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try late.receive(hasBody: false).status == 100)
        service.signal(SIGTERM)
        #expect(service.wait(atMost: 60) == 1)
    }
}
