import Foundation
import Glibc
import Synchronization

@testable import Storage

/// A way to a PostgreSQL server that counts its answers, and on which the server can be made to end right after it has
/// said that something is done.
final class ServerProxy: Sendable {
    enum End: Sendable, CaseIterable {
        /// It says that an administrator stops it, and closes.
        case shutdown
        /// It closes without a word.
        case silence
    }

    let location: PostgreSQLLocation

    private let directory: URL
    private let listener: Int32
    private let server: String
    private let next = Mutex<(command: String, end: End)?>(nil)
    private let batches = Atomic(0)

    init(to server: PostgreSQLLocation) throws {
        guard let host = server.parameters["host"], let name = server.parameters["dbname"] else {
            throw POSIXError(.EINVAL)
        }
        self.server = "\(host)/.s.PGSQL.5432"
        // Short, as the path of a socket may have 107 bytes.
        directory = URL(filePath: "/tmp/px-\(UUID().uuidString.prefix(8))")
        location = try PostgreSQLLocation(url: "postgres://postgres@/\(name)?host=\(directory.path)&port=5432")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        listener = Self.socket(at: directory.appending(path: ".s.PGSQL.5432").path, bind)
        guard listener >= 0, listen(listener, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        Thread.detachNewThread { [weak self, listener] in
            // Closed here, and nowhere else: the number must not become another socket's while this thread uses it.
            defer { close(listener) }
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                guard let self else {
                    close(client)
                    return
                }
                self.serve(client)
            }
        }
    }

    deinit {
        // Ends accept(), now or whenever the thread comes to call it.
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(at: directory)
    }

    /// How many batches the server has answered.
    var answered: Int { batches.load(ordering: .sequentiallyConsistent) }

    /// Has the server end when it says next that a command is done.
    func end(after command: String, by end: End) { next.withLock { $0 = (command, end) } }

    private func serve(_ client: Int32) {
        let server = Self.socket(at: server, connect)
        Thread.detachNewThread {
            var chunk = [UInt8](repeating: 0, count: 65536)
            while case let count = recv(client, &chunk, chunk.count, 0), count > 0 {
                guard Self.send(Array(chunk[..<count]), to: server) else { break }
            }
            shutdown(server, Int32(SHUT_RDWR))
        }
        Thread.detachNewThread {
            self.passOn(from: server, to: client)
            // The other thread may still look at both: they are closed with the process.
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    /// Passes the server's messages on, one by one: a letter, the length of the rest, the rest.
    private func passOn(from server: Int32, to client: Int32) {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while case let count = recv(server, &chunk, chunk.count, 0), count > 0 {
            bytes += chunk[..<count]
            var start = 0
            while bytes.count >= start + 5 {
                let length = bytes[(start + 1)...(start + 4)].reduce(0) { $0 << 8 | Int($1) }
                guard bytes.count >= start + 1 + length else { break }
                let message = Array(bytes[start..<(start + 1 + length)])
                start += message.count
                if message[0] == UInt8(ascii: "Z") { batches.add(1, ordering: .sequentiallyConsistent) }
                guard Self.send(message, to: client) else { return }
                guard let end = takeEnd(message) else { continue }
                if end == .shutdown { _ = Self.send(Self.shutdownMessage, to: client) }
                return
            }
            bytes.removeFirst(start)
        }
    }

    private func takeEnd(_ message: [UInt8]) -> End? {
        next.withLock { next in
            guard let (command, end) = next, message[0] == UInt8(ascii: "C"),
                message.dropFirst(5).elementsEqual(Array(command.utf8) + [0])
            else { return nil }
            next = nil
            return end
        }
    }

    /// What a server says to its clients when it is stopped.
    private static let shutdownMessage: [UInt8] = {
        let fields = ["SFATAL", "VFATAL", "C57P01", "Mterminating connection due to administrator command"]
        var body: [UInt8] = []
        for field in fields { body += Array(field.utf8) + [0] }
        return [UInt8(ascii: "E"), 0, 0, 0, UInt8(body.count + 5)] + body + [0]
    }()

    private static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// A socket that was bound or connected to a path; a negative number when it could not be.
    static func socket(at path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return -1
        }
        return descriptor
    }
}
