import Glibc

/// A key file's bytes, read straight into the secure heap, and its mode.
///
/// `open`, `fstat` and `read` only: stdio and Foundation would keep a copy of the file in their own buffers.
struct KeyFile: ~Copyable {
    /// The whole file.
    ///
    /// Owned by this value.
    var text: SecureBuffer
    /// The permission bits, as `chmod` takes them.
    let mode: UInt32

    /// Opens, checks and reads the file.
    ///
    /// The descriptor is closed again on every path.
    ///
    /// Symbolic links are followed, as Kubernetes mounts secrets through them. What was opened is what `fstat` judges.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - access: Who besides its owner may read it; `nil` to leave that to the caller, by ``mode``.
    ///   - owner: Another user that may own it beside root and this one; `nil` for none.
    /// - Throws: A ``KeyFault``: missing, unreadable, no regular file, somebody else's, empty, too large, or open to others.
    init(path: String, access: FileAccess?, owner: UInt32? = nil) throws(KeyFault) {
        // O_NONBLOCK: opening a pipe would wait for a writer. It changes nothing for a regular file.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.fault(of: errno, to: "opened") }
        defer { close(descriptor) }

        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.fault(of: errno, to: "examined") }
        let mode = status.st_mode & 0o7777
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw KeyFault(.notRegularFile, "is \(Self.kind(of: status.st_mode))")
        }
        // Whoever owns the file can replace the key. Root can anyway.
        guard status.st_uid == 0 || status.st_uid == geteuid() || status.st_uid == owner else {
            throw KeyFault(.foreignOwner, "belongs to user \(status.st_uid)")
        }
        if let access, let fault = access.fault(of: mode) { throw fault }
        guard status.st_size > 0 else { throw KeyFault(.empty, "is empty") }
        guard status.st_size <= KeyFileError.maximumSize else {
            throw KeyFault(.tooLarge, "has \(status.st_size) bytes, more than \(KeyFileError.maximumSize)")
        }
        var buffer = try SecureBuffer(count: Int(status.st_size))
        let count = try Self.read(descriptor, into: &buffer)
        buffer.truncate(to: count)
        text = buffer
        self.mode = mode
    }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Returns: How many bytes were read: fewer than the buffer's when the file shrank meanwhile.
    private static func read(_ descriptor: Int32, into buffer: inout SecureBuffer) throws(KeyFault) -> Int {
        try buffer.withMutableBytes { (bytes) throws(KeyFault) in
            try unsafe bytes.withUnsafeMutableBytes { (memory) throws(KeyFault) in
                var count = 0
                while count < memory.count {
                    let rest = unsafe memory.baseAddress?.advanced(by: count)
                    let result = unsafe Glibc.read(descriptor, rest, memory.count - count)
                    if result < 0, errno == EINTR { continue }
                    guard result >= 0 else { throw fault(of: errno, to: "read") }
                    if result == 0 { break }
                    count += result
                }
                return count
            }
        }
    }

    private static func fault(of number: Int32, to action: String) -> KeyFault {
        switch number {
        case ENOENT, ENOTDIR:
            KeyFault(.missing, "does not exist")
        default:
            unsafe KeyFault(.unreadable, "cannot be \(action) (\(String(cString: strerror(number))))")
        }
    }

    private static func kind(of mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFDIR: "a directory"
        case S_IFIFO: "a pipe"
        case S_IFCHR, S_IFBLK: "a device"
        default: "not a regular file"
        }
    }
}
