import Glibc

/// The file of a PKCS#11 module: what was judged is what is loaded, as nobody but root and this user can replace it.
package struct TokenModuleFile: Hashable, Sendable {
    /// The absolute path, without links.
    package let path: String
    /// The text for C_Initialize.
    package let parameters: String?

    /// Follows links, and judges from the root down each directory on the way, and the file; a fault is a clause that
    /// follows `path`, which is absolute.
    package init(_ path: String, parameters: String? = nil) throws(KeyError) {
        guard let resolved = unsafe realpath(path, nil) else { throw Self.fault(of: errno) }
        self.path = unsafe String(cString: resolved)
        unsafe free(resolved)
        self.parameters = parameters
        try Self.judge("/", isFile: false)
        let parts = self.path.split(separator: "/")
        for count in parts.indices {
            try Self.judge("/" + parts[...count].joined(separator: "/"), isFile: count == parts.count - 1)
        }
    }

    private static func fault(of number: Int32) -> KeyError {
        unsafe KeyError(.token, "cannot be examined (\(String(cString: strerror(number))))")
    }

    private static func judge(_ path: String, isFile: Bool) throws(KeyError) {
        var status = stat()
        // A link here was put there since links were followed.
        guard unsafe lstat(path, &status) == 0 else { throw fault(of: errno) }
        guard status.st_mode & S_IFMT == (isFile ? S_IFREG : S_IFDIR) else {
            throw KeyError(.token, isFile ? "is not a regular file" : "was replaced while it was examined")
        }
        let (mode, name) = (status.st_mode & 0o7777, path.quotedForShell)
        let place = isFile ? "" : "lies in \(path), which "
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw KeyError(
                .token,
                "\(place)belongs to user \(status.st_uid), who could replace its code: chown root \(name)"
            )
        }
        guard mode & 0o022 == 0 else {
            throw KeyError(
                .token,
                "\(place)has mode 0\(String(mode, radix: 8)), and others could replace its code: chmod go-w \(name)"
                    + (mode & 0o1000 == 0 ? "" : ", or better, move the module out of it")
            )
        }
    }
}
