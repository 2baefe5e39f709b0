import ChildProcess
import Foundation
import Testing

@Suite("When things go wrong around a running service")
struct FaultTests {
    @Test("A hundred SIGHUPs under load, one on the heels of the other: no request fails, and the last one counts")
    func hangUps() throws {
        let installation = try Installation()
        try installation.makeKey("LASTKEY001")
        let service = try RunningService(installation)
        let load = Load(on: service, connections: 4)
        for round in 0..<100 {
            service.signal(SIGHUP)
            usleep(5_000)
            // Rounds with a configuration at fault among them: they change nothing.
            if round == 40 { try installation.directory.write("clients.yaml", "clients: [") }
            if round == 60 {
                while try refusals(service.reload()) == 0 {}
                try installation.writeClients()
            }
        }
        try installation.writeCatalog(keys: Installation.entry("LASTKEY001"))
        // Those on their way may count as one, and this one comes after all of them.
        let isLast = try waitUntil(seconds: 60) {
            try service.reload()
            let sample = Load(on: service, connections: 1, requests: 1).finish().first
            return sample?.keyIdentifier == "LASTKEY001"
        }
        #expect(isLast)
        let samples = load.stop()
        #expect(samples.count > 20)
        #expect(samples.allSatisfy { $0.status == 200 && !$0.signature.isEmpty })
        let (status, details) = try service.readiness()
        #expect(status == 200)
        let reloads = try #require(details["reloads"] as? [String: Any])
        #expect((reloads["lastFaults"] as? [String])?.isEmpty == true)
    }

    @Test("SIGHUP during a start that takes its time does not end the service, and is heeded after the start")
    func hangUpAtStart() throws {
        let installation = try Installation()
        try RunningService(installation).stop()
        let locker = try installation.lockLedger()
        let service = try ChildProcess(Executable.path, ["serve", "--config", installation.configuration])
        // Once it has the ledger open, it waits for the lock.
        while try !openFiles(of: service).contains(installation.ledger) {
            try #require(!service.hasEnded)
            usleep(5_000)
        }
        service.send(SIGHUP)
        locker.send(SIGKILL)
        _ = locker.wait()
        func log() throws -> String { try String(contentsOf: service.errorFile, encoding: .utf8) }
        try waitUntil(seconds: 60) { try log().contains("reloaded: ") || service.hasEnded }
        #expect(!service.hasEnded, "SIGHUP has ended it")
        #expect(try log().contains("reloaded: "))
    }

    private func openFiles(of process: ChildProcess) throws -> [String] {
        let directory = "/proc/\(process.identifier)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: directory).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)")
        }
    }

    private func refusals(_ details: [String: Any]) throws -> Int {
        let reloads = try #require(details["reloads"] as? [String: Any])
        return try #require(reloads["refused"] as? Int)
    }
}
