import Glibc

/// A key file's bytes, read straight into the secure heap, and its mode.
///
/// `open`, `fstat` and `read` only: stdio and Foundation would keep a copy of the file in their own buffers.
struct KeyFile: ~Copyable {
    /// The whole file, owned by this value.
    var text: SecureBuffer
    /// The permission bits, as `chmod` takes them.
    let mode: UInt32

    /// Opens, checks and reads the file, and closes the descriptor again on every path.
    ///
    /// Symbolic links are followed, as Kubernetes mounts secrets through them. `fstat` judges the opened file: it has to
    /// belong to root, to this user or to `owner`. Without `access`, its mode is for the caller to judge.
    init(path: String, access: FileAccess?, owner: UInt32? = nil) throws(KeyError) {
        // O_NONBLOCK: opening a pipe would wait for a writer. It changes nothing for a regular file.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.fault(of: errno, to: "opened") }
        defer { close(descriptor) }

        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.fault(of: errno, to: "examined") }
        let mode = status.st_mode & 0o7777
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw KeyError(.notRegularFile, "is \(Self.kind(of: status.st_mode))")
        }
        // The file's owner can replace the key. Root can anyway.
        guard status.st_uid == 0 || status.st_uid == geteuid() || status.st_uid == owner else {
            throw KeyError(.foreignOwner, "belongs to user \(status.st_uid)")
        }
        if let access, let fault = access.fault(of: mode) { throw fault }
        guard status.st_size > 0 else { throw KeyError(.empty, "is empty") }
        guard status.st_size <= KeyError.maximumSize else {
            throw KeyError(.tooLarge, "has \(status.st_size) bytes, more than \(KeyError.maximumSize)")
        }
        var buffer = try SecureBuffer(count: Int(status.st_size))
        let count = try Self.read(descriptor, into: &buffer)
        buffer.truncate(to: count)
        text = buffer
        self.mode = mode
    }

    /// Reads until the buffer is full, or the file ends, which may have shrunk meanwhile; says how many bytes were read.
    private static func read(_ descriptor: Int32, into buffer: inout SecureBuffer) throws(KeyError) -> Int {
        try buffer.withMutableBytes { (bytes) throws(KeyError) in
            try unsafe bytes.withUnsafeMutableBytes { (memory) throws(KeyError) in
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

    private static func fault(of number: Int32, to action: String) -> KeyError {
        switch number {
        case ENOENT, ENOTDIR:
            KeyError(.missing, "does not exist")
        default:
            unsafe KeyError(.unreadable, "cannot be \(action) (\(String(cString: strerror(number))))")
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

/// The name that App Store Connect gives the file of a key, with the key's identifier in it.
package struct KeyFileName: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// An In-App Purchase key, also called a subscription key: `SubscriptionKey_<id>.p8`.
        case inAppPurchase = "SubscriptionKey_"
        /// A key of the App Store Connect API: `AuthKey_<id>.p8`.
        case appStoreConnect = "AuthKey_"
    }

    package let kind: Kind
    package let keyIdentifier: String

    /// Reads a file's name, with or without its directory; an identifier is made of ASCII letters and digits.
    package init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard name.hasSuffix(".p8"), let kind = Kind.allCases.first(where: { name.hasPrefix($0.rawValue) }) else {
            return nil
        }
        let identifier = name.dropFirst(kind.rawValue.count).dropLast(3)
        guard !identifier.isEmpty, identifier.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            return nil
        }
        self.kind = kind
        keyIdentifier = String(identifier)
    }

    /// A note for an operator about such a name, a clause that follows the file; `nil` if there is nothing to say.
    package var note: String? {
        switch kind {
        case .inAppPurchase: nil
        case .appStoreConnect:
            "has the name of an App Store Connect API key (AuthKey_<id>.p8), and StoreKit refuses what such a key signs; "
                + "use an In-App Purchase key, or, if it is one, name it SubscriptionKey_<id>.p8"
        }
    }
}

/// Who besides its owner may read a key file.
package enum FileAccess: String, Sendable, CaseIterable {
    /// Nobody: no permission bit of the group or of others may be set (0600, 0400).
    case ownerOnly
    /// The group may read, as with Kubernetes' mounted secrets (`defaultMode: 0440`) and systemd's credentials. Others may not.
    case groupReadable

    /// The fault of a file of this mode; `nil` when it is closed enough.
    func fault(of mode: UInt32) -> KeyError? {
        let others: UInt32 =
            switch self {
            case .ownerOnly: 0o077
            case .groupReadable: 0o037
            }
        guard mode & others != 0 else { return nil }
        return KeyError(.readableByOthers, "has mode 0\(String(mode, radix: 8)), open to others")
    }

    /// The mode to advise, octal.
    package var advisedMode: String {
        switch self {
        case .ownerOnly: "600"
        case .groupReadable: "440"
        }
    }
}
