import Glibc

/// Which file a path leads to: two paths to one file have the same.
struct FileIdentity: Equatable {
    private let device: UInt
    private let number: UInt
    /// How long the file was when it was looked at, in bytes.
    let size: Int

    /// Looks at a file; `nil` when there is none.
    ///
    /// - Parameter path: The path; a link is followed.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
        size = Int(status.st_size)
    }

    /// Equal for one and the same file, however long it is by now.
    static func == (left: FileIdentity, right: FileIdentity) -> Bool {
        left.device == right.device && left.number == right.number
    }
}
