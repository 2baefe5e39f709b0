import Glibc
import StrictJSON

/// A file that a command reads once: a regular one, a pipe such as a shell's `<(…)`, or `-` for standard input.
enum InputFile {
    /// The most bytes that are read: more than any evidence or report has.
    static let maximumBytes = 16 << 20

    /// Reads a file of JSON; a fault names the file and the place in it.
    static func json<Value>(
        _ path: String,
        as value: ([UInt8]) throws(JSONFault) -> Value
    ) throws(ValueFault) -> Value {
        let bytes = try bytes(of: path)
        do throws(JSONFault) {
            return try value(bytes)
        } catch {
            let place = error.pointer.isEmpty ? "" : " at \(error.pointer)"
            throw ValueFault("\(Echo.file(path))\(place): \(error.detail)")
        }
    }

    static func bytes(of path: String) throws(ValueFault) -> [UInt8] {
        let opened = inherited(path)
        let descriptor = opened ?? open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw fault(path) }
        defer { if opened == nil { close(descriptor) } }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                // Who shares the descriptor may have made it one that does not wait, as Node does with its pipes.
                guard errno == EAGAIN, isWaitedFor(descriptor) else { throw fault(path) }
                continue
            }
            bytes += piece.prefix(count)
            guard bytes.count <= maximumBytes else {
                throw ValueFault("\(Echo.file(path)) is longer than \(maximumBytes >> 20) MiB")
            }
        }
    }

    private static func isWaitedFor(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, -1) > 0 || errno == EINTR
    }

    /// A descriptor that the shell has opened: its path cannot be opened once the process is protected.
    private static func inherited(_ path: String) -> Int32? {
        if path == "-" || path == "/dev/stdin" { return STDIN_FILENO }
        for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
            if let number = Int32(path.dropFirst(prefix.count)), number >= 0 { return number }
        }
        return nil
    }

    private static func fault(_ path: String) -> ValueFault {
        let reason = String(cString: strerror(errno))
        return ValueFault("\(Echo.file(path)) cannot be read: \(reason)")
    }
}
