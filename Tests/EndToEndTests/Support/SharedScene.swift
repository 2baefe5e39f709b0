import ChildProcess
import Foundation
import Testing

/// The service that the tests of a suite share, with its surroundings: each test shows customers of its own.
///
/// Such a suite is `.serialized`: one test would count another's requests, or reload what that one has written.
protocol SharedScene: Sendable {
    init() throws

    var service: RunningService { get }
}

extension SharedScene {
    /// The scene of the suite that runs.
    static func running() throws -> Self { try #require(SharedScenes.running as? Self) }
}

private enum SharedScenes {
    @TaskLocal static var running: (any SharedScene)?
}

/// A scene that starts with the first test of a suite and its suites, and ends with the last of them.
struct Sharing<Scene: SharedScene>: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let scene = try Scene()
        let watcher = try watcher(of: scene.service)
        try await SharedScenes.$running.withValue(scene) { try await function() }
        withExtendedLifetime(watcher) { scene.service.stop() }
    }

    /// Ends the service and removes its directory where the tests' process ends without doing so.
    private func watcher(of service: RunningService) throws -> ChildProcess {
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

extension Trait {
    /// Has the tests of a suite share a scene.
    static func sharing<Scene: SharedScene>(_ scene: Scene.Type) -> Self where Self == Sharing<Scene> { Sharing() }
}

/// The suites that ask one running service.
@Suite(.serialized, .sharing(PlainScene.self))
enum SharedServiceTests {}

/// A service with the configuration of most tests.
struct PlainScene: SharedScene {
    let service: RunningService

    init() throws { service = try RunningService(flags: ["--log-level", "info"]) }
}
