/// TLS on the public listener.
enum TLS {
    /// The settings of its files; any of them asks for TLS.
    static let settings: [KnownSetting] = [
        .serverTLSCertificateFile, .serverTLSPrivateKeyFile, .serverTLSClientCertificateAuthorityFile,
    ]

    /// Why a variable that asks for TLS by a wrong name is a fault, and no mere warning.
    static let unknownVariable =
        "is not a variable of offer-signer, and plain HTTP where TLS is asked for would be wrong"
}
