/// What is wrong with a key, before the file's path is known to the one who noticed it.
struct KeyFault: Error {
    /// Which fault it is.
    let code: KeyFileError.Code
    /// What the file is or holds, a clause that follows its path, as in "holds an RSA private key".
    ///
    /// Never key material.
    let found: String

    init(_ code: KeyFileError.Code, _ found: String) {
        self.code = code
        self.found = found
    }

    /// A step that OpenSSL refused, though nothing is wrong with the key that we know of.
    init(_ failure: OpenSSLFailure) {
        self.init(.openSSL, "could not be loaded, as \(failure.detail)")
    }
}
