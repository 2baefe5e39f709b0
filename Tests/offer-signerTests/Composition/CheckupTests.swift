import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import offer_signer

/// The look at keys and clock comes again and again, and tells each finding once.
@Suite struct CheckupTests {
    /// Keeps what is logged.
    private final class Log: LogHandler, Sendable {
        let lines = Mutex<[String]>([])
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }

        subscript(metadataKey _: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) { lines.withLock { $0.append("\(event.message)") } }
    }

    @Test func everyFindingIsLoggedOnceAndAShutdownEndsIt() async throws {
        let log = Log()
        let looks = Mutex(0)
        let isEnough = AsyncStream.makeStream(of: Void.self)
        let checkup = Checkup(
            selfTestKeys: {
                let look = looks.withLock { looks in
                    looks += 1
                    return looks
                }
                if look == 6 { isEnough.continuation.finish() }
                return look == 2 ? ["key K: self-test failed"] : []
            },
            ordinaryMemory: { looks.withLock { $0 } > 4 ? "no memory" : nil },
            clockFault: { (3...4).contains(looks.withLock { $0 }) ? "the clock jumped" : nil },
            logger: Logger(label: "test") { _ in log },
            interval: .milliseconds(5)
        )
        var configuration = ServiceGroupConfiguration(
            services: [checkup],
            logger: Logger(label: "quiet") { _ in Log() }
        )
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        let group = ServiceGroup(configuration: configuration)
        async let running: Void = group.run()
        for await _ in isEnough.stream {}
        await group.triggerGracefulShutdown()
        try await running
        #expect(
            log.lines.withLock { $0 } == [
                "key K: self-test failed; it does not sign any more", "the clock jumped",
                "signatures are computed in ordinary memory",
            ]
        )
    }

    @Test func itIsEveryMinuteUnlessToldOtherwise() {
        let checkup = Checkup(selfTestKeys: { [] }, clockFault: { nil }, logger: Logger(label: "test"))
        #expect(checkup.interval == .seconds(60))
    }
}
