/// A file of TLS cannot be used.
public struct TLSFault: Error, Equatable, Sendable {
    /// The files.
    public enum File: Equatable, Sendable {
        /// `server.tls.certificateFile`.
        case certificate
        /// `server.tls.privateKeyFile`.
        case privateKey
        /// `server.tls.clientCertificateAuthorityFile`.
        case clientCertificateAuthority
    }

    /// The file.
    public let file: File
    /// What it is instead, a clause that follows its path.
    public let detail: String
}
