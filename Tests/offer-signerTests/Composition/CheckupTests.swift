import KeptLog
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import offer_signer

/// The look at keys comes again and again, and tells each finding once.
@Suite struct CheckupTests {
    @Test func everyFindingIsLoggedOnceAndAShutdownEndsIt() async throws {
        let log = KeptLog()
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
            poolShortage: { looks.withLock { $0 } > 2 ? "the pool is too small" : nil },
            logger: log.logger,
            interval: .milliseconds(5)
        )
        var configuration = ServiceGroupConfiguration(services: [checkup], logger: KeptLog().logger)
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        let group = ServiceGroup(configuration: configuration)
        async let running: Void = group.run()
        for await _ in isEnough.stream {}
        await group.triggerGracefulShutdown()
        try await running
        #expect(
            log.takeLines() == [
                "key K: self-test failed; it does not sign any more", "the pool is too small",
                "no memory",
            ]
        )
    }

    @Test func itIsEveryMinuteByDefault() {
        let checkup = Checkup(selfTestKeys: { [] }, logger: Logger(label: "test"))
        #expect(checkup.interval == .seconds(60))
    }
}
