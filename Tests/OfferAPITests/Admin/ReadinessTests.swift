import Synchronization
import Testing

@testable import OfferAPI

@Suite("Readiness")
struct ReadinessTests {
    @Test("Starting, ready, draining, and never back")
    func phases() {
        let warning = ReadinessWarning(.configuration, "the heap is not locked")
        let readiness = Readiness { ReadinessDetails(warnings: [warning], keyMemory: "unlocked") }
        #expect(!readiness.answer().isReady)
        readiness.enter(.ready)
        #expect(readiness.answer().isReady)
        #expect(
            String(decoding: readiness.answer().json, as: UTF8.self)
                == #"{"status":"ready","details":{"warnings":["the heap is not locked"],"faults":[],"#
                + #""keyMemory":"unlocked","configurationSHA256":"","reloads":{"completed":0,"refused":0,"lastFaults":[]}}}"#
        )
        readiness.enter(.draining)
        readiness.enter(.ready)
        #expect(!readiness.answer().isReady)
    }

    @Test("Every warning has a fix: its own, or that of its kind", arguments: ReadinessWarning.Kind.allCases)
    func fixes(kind: ReadinessWarning.Kind) {
        #expect(ReadinessWarning(kind, "a").fix.hasSuffix("."))
        #expect(ReadinessWarning(kind, "a", fix: "Do b.").fix == "Do b.")
    }

    @Test("A fault makes it unready for as long as there is one, and is named")
    func faults() {
        let faults = Mutex<[String]>([])
        let readiness = Readiness { ReadinessDetails(faults: faults.withLock { $0 }) }
        readiness.enter(.ready)
        #expect(readiness.answer().isReady)
        faults.withLock { $0 = ["key K: self-test failed"] }
        let answer = readiness.answer()
        #expect(!answer.isReady)
        let json = String(decoding: answer.json, as: UTF8.self)
        #expect(json.contains(#""status":"unready""#) && json.contains(#""faults":["key K: self-test failed"]"#))
        faults.withLock { $0 = [] }
        #expect(readiness.answer().isReady)
    }

    @Test("A refused reload is counted and shown until one takes effect, and does not make it unready")
    func reloads() {
        var record = ReloadRecord()
        record.recordRefusal(["catalog.yaml is empty"])
        record.recordRefusal(["clients.yaml is empty"])
        let refused = Readiness { [record] in ReadinessDetails(reloads: record) }
        refused.enter(.ready)
        let answer = refused.answer()
        #expect(answer.isReady)
        #expect(
            String(decoding: answer.json, as: UTF8.self)
                .contains(#""reloads":{"completed":0,"refused":2,"lastFaults":["clients.yaml is empty"]}"#)
        )
        record.recordCompletion()
        #expect(record.completed == 1 && record.refused == 2 && record.lastFaults.isEmpty)
    }
}
