import ChildProcess
import Foundation
import Testing

@Suite("When the ledger cannot be written", .serialized, .timeLimit(.minutes(30)))
struct LedgerOutageTests {
    private static let isRoot = geteuid() == 0

    @Test("Its disk is full: nothing is signed, the service is not ready, and recovers by itself", .enabled(if: isRoot))
    func full() throws {
        let installation = try Installation()
        try installation.mountDisk()
        defer { installation.unmountDisk() }
        let service = try RunningService(installation, flags: ["--ledger-url", "sqlite:disk/ledger.sqlite"])
        var received: [String] = []
        func sign() throws -> Response {
            let response = try service.sign(request)
            let discount = response.decisions.first?["discount"] as? [String: Any]
            if let nonce = discount?["nonce"] as? String { received.append(nonce) }
            return response
        }
        #expect(try sign().status == 200)
        try installation.fillDisk()
        // What is left of the last page may still take a few.
        var response = try sign()
        for _ in 0..<200 where response.status == 200 { response = try sign() }
        expectNoSignature(response)
        try service.expectFault("ledger: ")
        try FileManager.default.removeItem(atPath: installation.disk + "/filler")
        try service.waitUntilReadiness(is: 200)
        #expect(try sign().status == 200)
        service.stop()
        try installation.ledger("verify", "--ledger-url", "sqlite:disk/ledger.sqlite").expect(0)
        let kept = try installation.ledger("export", "--ledger-url", "sqlite:disk/ledger.sqlite").text
        #expect(received.count > 1)
        for nonce in received { #expect(kept.contains(nonce), "received, and not on record") }
    }

    @Test("Its file is deleted: the service is not ready, also without requests, and its message brings a backup back")
    func lost() throws {
        let service = try RunningService()
        let path = service.installation.ledger
        #expect(try service.sign(request).status == 200)
        let script = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1]) as ledger, sqlite3.connect(sys.argv[2]) as copy: ledger.backup(copy)
            """
        let copied = try Executable.run(["-c", script, path, path + ".copy"], of: "/usr/bin/python3")
        try #require(copied.status == 0, "\(copied.errors)")
        try FileManager.default.removeItem(atPath: path)
        let details = try service.waitUntilReadiness(is: 503)
        let faults = details["faults"] as? [String] ?? []
        #expect(
            faults.contains { $0.contains("stop the service, move what is left") && $0.contains("ledger.sqlite-wal") },
            "\(faults)"
        )
        service.stop()
        for rest in ["-wal", "-shm"] {
            try FileManager.default.moveItem(atPath: path + rest, toPath: path + rest + ".away")
        }
        try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
        let restarted = try RunningService(service.installation)
        #expect(try restarted.sign(request).status == 200)
        #expect(try service.installation.records().count == 2)
        #expect(try service.installation.ledger("verify").status == 0)
    }

    @Test("Its file is emptied, as copytruncate does: nothing is signed, and a restart does not begin a new ledger")
    func emptied() throws {
        let service = try RunningService()
        let path = service.installation.ledger
        #expect(try service.sign(request).status == 200)
        #expect(truncate(path, 0) == 0)
        expectNoSignature(try service.sign(request))
        try service.expectFault("ledger.sqlite was emptied or cut short while it was in use")
        service.signal(SIGTERM)
        _ = service.wait()
        let again = try service.installation.serve()
        again.expect(78, "ledger.sqlite is empty, though its log")
    }

    @Test("Its log is deleted: nothing is signed, and a clean stop brings the log's records into the file")
    func logDeleted() throws {
        let service = try RunningService()
        let path = service.installation.ledger
        #expect(try service.sign(request).status == 200)
        try FileManager.default.removeItem(atPath: path + "-wal")
        expectNoSignature(try service.sign(request))
        try service.expectFault("ledger.sqlite-wal was moved or deleted")
        service.stop()
        let restarted = try RunningService(service.installation)
        #expect(try restarted.sign(request).status == 200)
        #expect(try service.installation.records().count == 2)
    }

    @Test(
        "Another process keeps it locked: nothing is signed after the deadline, and all is well when the lock is gone"
    )
    func locked() throws {
        let service = try RunningService()
        #expect(try service.sign(request).status == 200)
        let locker = try service.installation.lockLedger()
        expectNoSignature(try service.sign(request))
        try service.expectFault("ledger: ")
        waitUntil { service.log.contains("not ready") }
        let fault = try #require(service.log.split(separator: "\n").last { $0.contains("not ready") })
        #expect(fault.contains("nothing is signed until it can be written again"))
        locker.send(SIGKILL)
        _ = locker.wait()
        try service.waitUntilReadiness(is: 200)
        #expect(try service.sign(request).decisions.first?["discount"] != nil)
        #expect(waitUntil { service.log.contains("ready again") })
    }
}

private var request: String { Customers.request("alice") }

private func expectNoSignature(_ response: Response) {
    #expect(response.summary == "503 ledger_unavailable")
    #expect(Int(response.headers["retry-after"] ?? "").map { $0 > 0 } == true)
    #expect(!String(decoding: response.body, as: UTF8.self).contains("signature\""))
}
