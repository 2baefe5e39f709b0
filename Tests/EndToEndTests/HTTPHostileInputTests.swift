import Foundation
import Synchronization
import Testing

/// The short form of what `make soak` does with a hundred thousand requests.
@Suite("Hostile requests over a real socket")
struct HTTPHostileInputTests {
    private static let requests = ProcessInfo.processInfo.environment["OFFER_SIGNER_SOAK_REQUESTS"].flatMap(Int.init)
    private static let body = #"{"applicationUsername":"a","offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#

    @Test("Each is answered 4xx, or its connection is closed; nothing crashes, leaks or grows")
    func hostile() throws {
        let count = Self.requests ?? 3000
        let service = try RunningService()
        // What there is of pools and caches is filled first.
        let surprises = try send(count / 5, to: service, seed: 1)
        let (memory, files) = (residentBytes(of: service), openFiles(of: service))
        let others = try send(count, to: service, seed: 2)
        #expect(surprises + others == [])
        #expect(try service.sign(Self.body).status == 200)
        var left = openFiles(of: service)
        for _ in 0..<500 where left > files + 4 {
            usleep(20_000)
            left = openFiles(of: service)
        }
        #expect(left <= files + 4, "descriptors: \(files) before, \(left) after")
        let growth = residentBytes(of: service) - memory
        #expect(growth < 32 << 20, "memory grew by \(growth) bytes")
        #expect(!service.log.contains("unforeseen"))
        service.signal(SIGTERM)
        #expect(service.wait() == 0)
    }

    /// Sends requests from several threads.
    ///
    /// - Returns: What should not have come back, with the request that it came back to.
    private func send(_ count: Int, to service: RunningService, seed: UInt64) throws -> [String] {
        let threads = 4
        let surprises = Mutex<[String]>([])
        let address = service.server
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            var requests = HostileRequests(seed: seed &* 1000 &+ UInt64(thread))
            for _ in 0..<count / threads {
                let request = requests.next()
                guard let surprise = Self.surprise(at: request, address) else { continue }
                surprises.withLock { surprises in
                    if surprises.count < 10 { surprises.append("\(request.kind): \(surprise)") }
                }
            }
        }
        return surprises.withLock { $0 }
    }

    /// Sends a request, says that this was all, and reads until the connection is closed.
    private static func surprise(at request: HostileRequests.Request, _ address: Connection.Address) -> String? {
        let text = String(decoding: request.bytes.prefix(400), as: UTF8.self).debugDescription
        guard let connection = try? Connection(to: address) else { return "no connection for \(text)" }
        // Who has been answered and closed need not take the rest.
        try? connection.send(request.bytes)
        connection.closeOutput()
        guard let answer = connection.rest() else { return "the connection stays open after \(text)" }
        for status in answer.matches(of: #/HTTP\/1\.1 (\d\d\d) /#).compactMap({ Int($0.1) }) {
            let isGood = (400..<500).contains(status) || status == 100 || (request.mayBeGood && status < 300)
            if !isGood { return "\(status) to \(text)" }
        }
        return nil
    }

    private func openFiles(of service: RunningService) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.identifier)/fd").count) ?? 0
    }

    private func residentBytes(of service: RunningService) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(service.identifier)/status", encoding: .utf8)) ?? ""
        return (status.firstMatch(of: #/VmRSS:\s+(\d+) kB/#).flatMap { Int($0.1) } ?? 0) << 10
    }
}
