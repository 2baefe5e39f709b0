import Foundation
import Synchronization
import Testing

/// The short form of what `make soak` does with a hundred thousand requests.
@Suite("Hostile requests over a real socket")
struct HTTPHostileInputTests {
    private static let requests = ProcessInfo.processInfo.environment["OFFER_SIGNER_SOAK_REQUESTS"].flatMap(Int.init)
    private static let connections = 48
    private static let body = #"{"applicationUsername":"a","offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#

    @Test("Each is answered 4xx, or its connection is closed; nothing crashes, leaks or grows")
    func hostile() throws {
        let count = Self.requests ?? 3000
        let service = try RunningService()
        // What there is of pools and caches is filled first.
        let surprises = send(count / 5, to: service, seed: 1).surprises
        let (memory, files) = (residentBytes(of: service), openFiles(of: service))
        let tally = send(count, to: service, seed: 2)
        #expect(surprises + tally.surprises == [])
        #expect(tally.requests >= count)
        #expect(try service.sign(Self.body).status == 200)
        var left = openFiles(of: service)
        for _ in 0..<500 where left > files + 4 {
            usleep(20_000)
            left = openFiles(of: service)
        }
        #expect(left <= files + 4, "descriptors: \(files) before, \(left) after")
        let growth = residentBytes(of: service) - memory
        if Self.requests != nil {
            print(
                "\(tally.requests) requests, answered \(tally.statuses.sorted { $0.key < $1.key }.map { "\($0): \($1)" })"
            )
            print(
                "memory: \(memory >> 20) MiB before, \((memory + growth) >> 20) MiB after; descriptors: \(files), \(left)"
            )
        }
        #expect(growth < 32 << 20, "memory grew by \(growth) bytes")
        #expect(!service.log.contains("unforeseen"))
        service.stop()
    }

    /// Sends requests on many connections at once: who shows no good token is answered late, and the others need not wait.
    private func send(_ count: Int, to service: RunningService, seed: UInt64) -> Tally {
        let tally = Mutex(Tally(running: Self.connections))
        let address = service.server
        for connection in 0..<Self.connections {
            Thread.detachNewThread {
                var requests = HostileRequests(seed: seed &* 1000 &+ UInt64(connection))
                for _ in 0..<(count + Self.connections - 1) / Self.connections {
                    let request = requests.next()
                    let (statuses, surprise) = Self.answer(to: request, address)
                    tally.withLock { tally in
                        tally.requests += 1
                        for status in statuses.isEmpty ? ["closed"] : statuses {
                            tally.statuses[status, default: 0] += 1
                        }
                        if let surprise, tally.surprises.count < 10 {
                            tally.surprises.append("\(request.kind): \(surprise)")
                        }
                    }
                }
                tally.withLock { $0.running -= 1 }
            }
        }
        while tally.withLock({ $0.running > 0 }) { usleep(10_000) }
        return tally.withLock { $0 }
    }

    /// Sends a request, says that this was all, and reads until the connection is closed.
    ///
    /// What is refused as too much at once was not looked at, and is sent again.
    private static func answer(
        to request: HostileRequests.Request,
        _ address: Connection.Address
    ) -> (statuses: [String], surprise: String?) {
        let text = String(decoding: request.bytes.prefix(400), as: UTF8.self).debugDescription
        for _ in 0..<1000 {
            guard let connection = try? Connection(to: address) else { return ([], "no connection for \(text)") }
            // Who has been answered and closed need not take the rest.
            try? connection.send(request.bytes)
            connection.closeOutput()
            guard let answer = connection.rest() else { return ([], "the connection stays open after \(text)") }
            if answer.contains(#""code":"overloaded""#) {
                usleep(5_000)
                continue
            }
            let statuses = answer.matches(of: #/HTTP\/1\.1 (\d\d\d) /#).compactMap { Int($0.1) }
            let bad = statuses.first { status in
                !((400..<500).contains(status) || status == 100 || (request.mayBeGood && status < 300))
            }
            return (statuses.map { "\($0)" }, bad.map { "\($0) to \(text)" })
        }
        return ([], "the service stays overloaded")
    }

    private func openFiles(of service: RunningService) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.identifier)/fd").count) ?? 0
    }

    private func residentBytes(of service: RunningService) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(service.identifier)/status", encoding: .utf8)) ?? ""
        return (status.firstMatch(of: #/VmRSS:\s+(\d+) kB/#).flatMap { Int($0.1) } ?? 0) << 10
    }
}

/// What came back.
private struct Tally {
    var requests = 0
    /// How often each status came, and how often a connection was closed without any.
    var statuses: [String: Int] = [:]
    var surprises: [String] = []
    /// How many connections still send.
    var running: Int
}
