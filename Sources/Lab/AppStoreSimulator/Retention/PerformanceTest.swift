import Foundation
import Offers
import ServiceLifecycle
import StrictJSON

/// A test of an app's endpoint (Initiate Performance Test), and what it has come to so far.
struct PerformanceTest: Sendable {
    let id: String
    let bundleId: String
    let originalTransactionId: String
    let target: URL
    /// How often and how fast it is asked.
    let settings: RetentionMessaging.Settings
    /// Whether the calls have begun.
    var isUnderWay = false
    /// How long each answer took that was taken, in milliseconds.
    private(set) var times: [Int64] = []
    private(set) var failures: [String: Int] = [:]

    var pending: Int { settings.totalRequests - times.count - failures.values.reduce(0, +) }

    /// How many of those that were answered succeeded, in percent.
    var successRate: Int {
        settings.totalRequests > pending ? times.count * 100 / (settings.totalRequests - pending) : 0
    }

    var result: String { pending > 0 ? "PENDING" : successRate >= settings.successRateThreshold ? "PASS" : "FAIL" }

    mutating func count(_ outcome: RetentionCaller.Outcome) {
        if let refusal = outcome.refusal {
            failures[refusal.result, default: 0] += 1
        } else {
            let (seconds, attoseconds) = outcome.time.components
            times.append(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        }
    }

    /// `PerformanceTestResponse`.
    var started: [UInt8] {
        JSONWriter.text { json in
            writeConfig(into: &json)
            json.member("requestId", id)
        }
    }

    /// `PerformanceTestResultResponse`.
    var json: [UInt8] {
        JSONWriter.text { json in
            writeConfig(into: &json)
            json.member("target", target.absoluteString)
            json.member("result", result)
            json.member("successRate", Int64(successRate))
            json.member("numPending", Int64(pending))
            let sorted = times.sorted()
            json.object("responseTimes") { json in
                json.member("average", sorted.isEmpty ? 0 : sorted.reduce(0, +) / Int64(sorted.count))
                json.member("p50", Self.percentile(50, of: sorted))
                json.member("p90", Self.percentile(90, of: sorted))
                json.member("p95", Self.percentile(95, of: sorted))
                json.member("p99", Self.percentile(99, of: sorted))
            }
            json.object("failures") { json in
                for (result, number) in failures.sorted(by: { $0.key < $1.key }) {
                    json.member(named: result)
                    json.number(Int64(number))
                }
            }
        }
    }

    private func writeConfig(into json: inout JSONWriter) {
        json.object("config") { json in
            for (name, path, _) in RetentionMessaging.Settings.numbers {
                json.member(named: name)
                json.number(Int64(settings[keyPath: path]))
            }
        }
    }

    private static func percentile(_ percent: Int, of sorted: [Int64]) -> Int64 {
        sorted.isEmpty ? 0 : sorted[max(0, (sorted.count * percent + 99) / 100 - 1)]
    }
}

/// Makes the calls of performance tests, one test after the other.
struct PerformanceTester: Service {
    private static let pause = Duration.milliseconds(50)

    let store: SimulatedAppStore

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if let test = store.nextPerformanceTest() { await run(test) }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    private func run(_ test: PerformanceTest) async {
        let caller = RetentionCaller(store: store)
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<test.settings.totalRequests {
                if number >= test.settings.maxConcurrentRequests { await group.next() }
                let due = Duration.milliseconds(test.settings.totalDuration * number / test.settings.totalRequests)
                try? await Task.sleep(until: start + due, clock: .continuous)
                guard !Task.isCancelled else { return }
                group.addTask {
                    let outcome = await call(test, caller)
                    store.record(outcome, of: test.id)
                }
            }
        }
    }

    private func call(_ test: PerformanceTest, _ caller: RetentionCaller) async -> RetentionCaller.Outcome {
        do {
            let question = try RetentionQuestion(about: test.originalTransactionId, in: "en-US", store.current())
            return await caller.ask(question, needsDefault: false)
        } catch {
            return RetentionCaller.Outcome(refusal: RetentionRefusal(result: "OTHER", reason: "\(error)"))
        }
    }
}

extension SimulatedAppStore {
    func nextPerformanceTest() -> PerformanceTest? {
        change { world in
            guard let index = world.performanceTests.firstIndex(where: { !$0.isUnderWay }) else { return nil }
            world.performanceTests[index].isUnderWay = true
            return world.performanceTests[index]
        }
    }

    func record(_ outcome: RetentionCaller.Outcome, of id: String) {
        change { world in
            guard let index = world.performanceTests.firstIndex(where: { $0.id == id }) else { return }
            world.performanceTests[index].count(outcome)
            let test = world.performanceTests[index]
            guard test.result == "PASS", let app = world.apps.firstIndex(where: { $0.bundleId == test.bundleId }) else {
                return
            }
            world.apps[app].retention.hasPassedTest = true
        }
    }
}
