import ChildProcess
import Foundation
import Testing

/// The suites that ask one running service, which none of their tests changes: each shows transactions of its own.
@Suite(.sharedService)
enum SharedServiceTests {}

/// A service that starts with the first test of a suite and its suites, and ends with the last of them.
struct SharedService: SuiteTrait, TestScoping {
    @TaskLocal private static var running: RunningService?

    static func service() throws -> RunningService { try #require(running) }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let service = try RunningService(flags: ["--log-level", "info"])
        let watcher = try Self.watcher(of: service)
        try await Self.$running.withValue(service) { try await function() }
        withExtendedLifetime(watcher) { service.stop() }
    }

    /// Ends the service and removes its directory where the tests' process ends without doing so.
    private static func watcher(of service: RunningService) throws -> ChildProcess {
        let script = """
            while kill -0 "$1" 2>/dev/null && kill -0 "$2" 2>/dev/null; do sleep 1; done
            kill -0 "$1" 2>/dev/null || { kill -9 "$2"; rm -rf "$3"; }
            """
        let processes = [ProcessInfo.processInfo.processIdentifier, service.identifier].map { "\($0)" }
        return try ChildProcess(
            "/bin/sh",
            ["-c", script, "sh"] + processes + [service.installation.directory.url.path]
        )
    }
}

extension Trait where Self == SharedService {
    static var sharedService: Self { Self() }
}
