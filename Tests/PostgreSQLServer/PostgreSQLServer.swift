import ChildProcess
package import Foundation
import Glibc

/// A PostgreSQL server of Debian's packages in a temporary directory: durable, reached by a Unix socket alone unless asked
/// for TLS, and gone when nobody holds it any more, or when the tests end in whatever way.
///
/// As root it runs as the user `postgres`, since PostgreSQL refuses to run as root.
package final class PostgreSQLServer {
    /// How many connections it takes.
    private static let connections = 300

    /// Where its data and its socket are.
    package let directory: URL
    /// The TCP port on 127.0.0.1; `nil` when it listens on its socket alone.
    package let port: UInt16?

    private let hasTLS: Bool
    private let launcher: [String]
    private var server: ChildProcess?
    private var watcher: ChildProcess?

    /// Makes a server's directory, and starts it.
    package init(
        password: String = "not used",
        tls: (certificate: String, key: String)? = nil,
        isOnNetwork: Bool = false
    ) throws {
        // Short, as the path of a socket may have 107 bytes.
        directory = URL(filePath: "/tmp/pg-\(UUID().uuidString.prefix(8))")
        port = tls == nil && !isOnNetwork ? nil : try Self.freePort()
        hasTLS = tls != nil
        launcher = try Self.launcher()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        try Data(password.utf8).write(to: directory.appending(path: "password"))
        if let tls {
            try FileManager.default.copyItem(atPath: tls.certificate, toPath: path("server.crt"))
            try FileManager.default.copyItem(atPath: tls.key, toPath: path("server.key"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path("server.key"))
        }
        try Self.give(directory)
        let access = ["--auth-local", "trust", "--auth-host", "scram-sha-256", "--pwfile", path("password")]
        let form = ["--username", "postgres", "--encoding", "UTF8", "--no-locale", "--no-sync"]
        try run("initdb", ["--pgdata", path("data")] + form + access)
        try start()
        watcher = try watch()
    }

    /// Makes a standby of another server, on its socket alone, and starts it.
    package init(standbyOf primary: PostgreSQLServer, name: String) throws {
        directory = URL(filePath: "/tmp/pg-\(UUID().uuidString.prefix(8))")
        port = nil
        hasTLS = false
        launcher = try Self.launcher()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        try Self.give(directory)
        let source = "\(primary.url())&application_name=\(name)"
        let form = ["--checkpoint=fast", "--write-recovery-conf", "--no-sync"]
        try run("pg_basebackup", ["--pgdata", path("data"), "--dbname", source] + form)
        try start()
        watcher = try watch()
    }

    deinit {
        kill()
        watcher = nil
        try? FileManager.default.removeItem(at: directory)
    }

    /// The URL of a database by the socket, for the user `postgres`.
    package func url(of database: String = "postgres") -> String {
        "postgres://postgres@/\(database)?host=\(directory.path)&port=\(port ?? 5432)"
    }

    /// The URL of a database by TCP, for the user `postgres`, without a password.
    package func networkURL(of database: String = "postgres", _ query: String) -> String {
        "postgres://postgres@127.0.0.1:\(port ?? 0)/\(database)?\(query)"
    }

    /// Makes an empty database.
    package func makeDatabase() throws -> String {
        let name = "test_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
        try query("CREATE DATABASE \(name)")
        return name
    }

    /// Runs SQL by `psql`.
    @discardableResult
    package func query(_ sql: String, in database: String = "postgres") throws -> String {
        try run(
            "psql",
            ["--no-psqlrc", "-qtA", "--set=ON_ERROR_STOP=1", "--dbname", url(of: database), "--command", sql]
        )
        .text.trimmingCharacters(in: .newlines)
    }

    /// Starts the server, and waits until it takes connections.
    package func start() throws {
        let settings = [
            "listen_addresses=\(port == nil ? "" : "127.0.0.1")", "port=\(port ?? 5432)", "fsync=on",
            "unix_socket_directories=\(directory.path)", "max_connections=\(Self.connections)", "shared_buffers=32MB",
            "ssl=\(hasTLS ? "on" : "off")", "ssl_cert_file=\(path("server.crt"))",
            "ssl_key_file=\(path("server.key"))",
        ]
        let command = try [Self.program("postgres"), "-D", path("data")] + settings.flatMap { ["-c", $0] }
        let deadline = Date() + 60
        while Date() < deadline {
            let server = try ChildProcess("/usr/bin/env", launcher + command)
            self.server = server
            while !server.hasEnded, Date() < deadline {
                if (try? query("SELECT 1")) == "1" { return }
                usleep(20_000)
            }
            // After a kill, the next one has to wait until the last process of the old one is gone.
            usleep(100_000)
        }
        throw PostgreSQLServerFailure(description: "PostgreSQL does not start: \(log)")
    }

    /// Stops the server as an administrator does: connections are closed, nothing has to be recovered.
    package func stop() {
        server?.send(SIGINT)
        _ = server?.wait()
        server = nil
    }

    /// Kills the server: all of its processes, at once.
    package func kill() {
        guard let server else { return }
        server.send(SIGKILL)
        _ = server.wait()
        self.server = nil
    }

    /// Holds all of the server's processes where they are, as a machine that hangs does, or lets them go on.
    package func freeze(_ isFrozen: Bool = true) {
        guard let identifier = server?.identifier else { return }
        let children = try? String(contentsOfFile: "/proc/\(identifier)/task/\(identifier)/children", encoding: .utf8)
        let all = [identifier] + (children ?? "").split(separator: " ").compactMap { pid_t($0) }
        // The first makes no more of them then.
        for process in all { Glibc.kill(process, isFrozen ? SIGSTOP : SIGCONT) }
    }

    /// Changes a setting of the running server.
    package func set(_ name: String, to value: String) throws {
        try query("ALTER SYSTEM SET \(name) = '\(value)'")
        try query("SELECT pg_reload_conf()")
        while try query("SHOW \(name)") != value { usleep(10_000) }
    }

    /// What the server has written to standard error since it was started last.
    package var log: String { server.flatMap { try? String(contentsOf: $0.errorFile, encoding: .utf8) } ?? "" }

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    @discardableResult
    func run(_ program: String, _ arguments: [String]) throws -> ChildProcess.Outcome {
        let outcome = try ChildProcess("/usr/bin/env", launcher + [try Self.program(program)] + arguments).outcome()
        guard outcome.status == 0 else { throw PostgreSQLServerFailure(description: "\(program): \(outcome.errors)") }
        return outcome
    }

    /// Ends the server and removes its directory when the tests have ended without doing so.
    private func watch() throws -> ChildProcess {
        let script = """
            while kill -0 "$1" 2>/dev/null && [ -d "$2" ]; do sleep 1; done
            if [ -d "$2" ]; then kill -9 "$(head -n 1 "$2/data/postmaster.pid")" 2>/dev/null; sleep 1; rm -rf "$2"; fi
            """
        let tests = "\(ProcessInfo.processInfo.processIdentifier)"
        return try ChildProcess("/bin/sh", ["-c", script, "sh", tests, directory.path])
    }
}

// MARK: Where PostgreSQL is, and who it runs as

extension PostgreSQLServer {
    private static let user = "postgres"

    static func launcher() throws -> [String] {
        guard geteuid() == 0 else { return [] }
        guard getpwnam(user) != nil else { throw PostgreSQLServerFailure(description: "there is no user \(user)") }
        return ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"]
    }

    /// Has a directory belong to the user that the programs run as.
    static func give(_ directory: URL) throws {
        guard geteuid() == 0 else { return }
        let outcome = try ChildProcess("/usr/bin/env", ["chown", "-R", "\(user):", directory.path]).outcome()
        guard outcome.status == 0 else { throw PostgreSQLServerFailure(description: outcome.errors) }
    }

    /// The newest of Debian's servers, or what is on the `PATH`.
    private static func program(_ name: String) throws -> String {
        let root = URL(filePath: "/usr/lib/postgresql")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        let newest = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        return newest.map { root.appending(path: "\($0)/bin/\(name)").path }
            .first { FileManager.default.isExecutableFile(atPath: $0) } ?? name
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard result == 0 else { throw PostgreSQLServerFailure(description: "there is no free port") }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// A server could not be made or started.
package struct PostgreSQLServerFailure: Error, CustomStringConvertible {
    /// What went wrong.
    package let description: String
}
