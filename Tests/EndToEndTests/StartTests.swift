import ChildProcess
import Foundation
import Testing

@Suite("A start on an unusual system")
struct StartTests {
    private static let isRoot = geteuid() == 0

    // A library of LD_PRELOAD has the same effect on an executable with Swift's own library in it, as `make build` makes it.
    @Test(
        "Where Swift finds no arguments, as without /proc, each executable says what it can be, and that is bad usage",
        .enabled(if: isRoot, "it takes a mount"),
        arguments: [
            [Executable.path, "serve", "--config", "/nonexistent"], [Executable.lab, "app-store", "--port", "0"],
        ]
    )
    func withoutArguments(command: [String]) throws {
        let script = #"umount --lazy /proc && exec "$0" "$@""#
        let outcome = try Executable.run(["--mount", "/bin/sh", "-c", script] + command, of: "/usr/bin/unshare")
        #expect(outcome.status == 64 && outcome.text.isEmpty)
        #expect(outcome.errors.contains("LD_PRELOAD"), "\(outcome.errors)")
        #expect(outcome.errors.contains("/proc is not mounted"), "\(outcome.errors)")
    }

    @Test(
        "A standard descriptor that is closed becomes no socket and no file of the service",
        .enabled(if: isRoot, "nobody else may look")
    )
    func closedDescriptors() throws {
        let service = try RunningService(launcher: ["/bin/sh", "-c", #"exec "$0" "$@" <&- 2>&-"#])
        #expect(try service.sign("{}").status == 400)
        for descriptor in [0, 2] {
            let link = "/proc/\(service.identifier)/fd/\(descriptor)"
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
        }
    }

    @Test(
        "Where a limit is too low, the start says which, and how to raise it",
        .enabled(if: isRoot, "root alone can be another user"),
        arguments: [("--nofile=16:16", "LimitNOFILE="), ("--as=300000000", "LimitAS=")]
    )
    func shortage(limit: String, fix: String) throws {
        // What waits for ever is cut off.
        let serve = ["prlimit", limit, Executable.path, "serve", "--config", "/nonexistent"]
        let outcome = try Executable.run(["20"] + serve, of: "/usr/bin/timeout")
        #expect(outcome.status == 78, "\(outcome.errors)")
        #expect(outcome.text.isEmpty && outcome.errors.contains(fix), "\(outcome.errors)")
    }

    @Test("A soft limit that is too low for the start is raised")
    func softLimit() throws {
        let service = try RunningService(launcher: ["prlimit", "--nofile=8:256"])
        #expect(try service.sign("{}").status == 400)
    }
}
