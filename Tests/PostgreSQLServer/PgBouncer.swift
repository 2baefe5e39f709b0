import ChildProcess
import Foundation
import Glibc

/// PgBouncer of Debian's packages, on a Unix socket before a server.
///
/// The environment's `PGBOUNCER` names another executable than the system's, such as that of a newer version.
package final class PgBouncer {
    package enum Mode: String, Sendable, CaseIterable {
        case session
        case transaction
        case statement
    }

    private let server: PostgreSQLServer
    private let directory: URL
    private let givesInTurn: Bool
    private var process: ChildProcess?

    /// It gives out its sessions in turn, or, as by default, that which became free last.
    package init(before server: PostgreSQLServer, _ mode: Mode, givesInTurn: Bool = false) throws {
        (self.server, self.givesInTurn) = (server, givesInTurn)
        directory = URL(filePath: "/tmp/pb-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        try Data("\"postgres\" \"\"\n".utf8).write(to: directory.appending(path: "users"))
        try write(mode)
        try PostgreSQLServer.give(directory)
        let process = try ChildProcess(
            "/usr/bin/env",
            PostgreSQLServer.launcher() + [Self.executable, directory.appending(path: "pgbouncer.ini").path]
        )
        self.process = process
        let socket = directory.appending(path: ".s.PGSQL.6432").path
        while !FileManager.default.fileExists(atPath: socket) {
            guard !process.hasEnded else { throw PostgreSQLServerFailure(description: "pgbouncer: \(log)") }
            usleep(10_000)
        }
    }

    deinit {
        process?.send(SIGKILL)
        _ = process?.wait()
        try? FileManager.default.removeItem(at: directory)
    }

    /// The URL of a database, for the user `postgres`.
    package func url(of database: String = "postgres") -> String {
        "postgres://postgres@/\(database)?host=\(directory.path)&port=6432"
    }

    /// Has it pool in another way from now on, those who are connected, too.
    package func change(to mode: Mode) throws {
        try write(mode)
        try server.run("psql", ["--no-psqlrc", "-q", "--dbname", url(of: "pgbouncer"), "--command", "RELOAD"])
    }

    private func write(_ mode: Mode) throws {
        let text = """
            [databases]
            * = host=\(server.directory.path) port=\(server.port ?? 5432)
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(directory.path)
            auth_type = trust
            auth_file = \(directory.path)/users
            admin_users = postgres
            pool_mode = \(mode.rawValue)
            server_round_robin = \(givesInTurn ? 1 : 0)

            """
        try Data(text.utf8).write(to: directory.appending(path: "pgbouncer.ini"))
    }

    private var log: String { process.flatMap { try? String(contentsOf: $0.errorFile, encoding: .utf8) } ?? "" }

    private static var executable: String {
        let system = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"]
        let named = ProcessInfo.processInfo.environment["PGBOUNCER"]
        return named ?? system.first(where: FileManager.default.isExecutableFile) ?? "pgbouncer"
    }
}
