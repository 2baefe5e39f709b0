import CPostgreSQL
import Glibc

enum PostgreSQLSocket {
    static func wait(
        _ connection: OpaquePointer,
        reading: Bool,
        writing: Bool,
        until deadline: ContinuousClock.Instant
    ) -> Bool {
        let events = (reading ? POLLIN : 0) | (writing ? POLLOUT : 0)
        while true {
            let left = deadline - .now
            guard left > .zero else { return false }
            var entry = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
            // Rounded up, so that the last millisecond is not spent spinning.
            let result = poll(&entry, 1, Int32(clamping: left.milliseconds + 1))
            if result > 0 { return true }
            // An error other than an interruption shows itself when libpq uses the socket.
            if result < 0, errno != EINTR { return true }
        }
    }

    /// Whether there is something to read, or the other side has closed.
    static func hasNews(_ connection: OpaquePointer) -> Bool {
        var entry = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
