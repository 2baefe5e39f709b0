import Offers

/// A description of a key in a token, loaded and proven as the service does: everything but the key.
package struct TokenInspection: CustomStringConvertible {
    package let publicKeySPKI: [UInt8]
    private let key: TokenKey.Description
    private let fingerprint: String

    /// `pinFile` is an absolute path; `publicPoint` is that of a file, where there is one.
    package init(
        _ uri: TokenURI,
        in modules: TokenModules,
        pinFile: String?,
        publicPoint: [UInt8]?
    ) throws(KeyError) {
        let pin = try pinFile.map { (file) throws(KeyError) in try TokenPIN(contentsOf: file, access: .ownerOnly) }
        let label = uri.texts["object"] ?? ""
        let key = try TokenKey(
            uri,
            modulePath: nil,
            in: modules,
            keyIdentifier: label,
            pin: pin,
            publicPoint: publicPoint
        )
        publicKeySPKI = key.publicKeySPKI
        self.key = key.description
        fingerprint = Hexadecimal.text(key.publicKeySHA256)
    }

    package var description: String {
        """
        token:         \(key.token.shown)
          label:       \(key.label.shown)
          curve:       \(P256.name)
          public key:  SHA-256 \(fingerprint)
          sensitive:   \(Self.text(key.isSensitive))
          extractable: \(Self.text(key.isExtractable))
          self-test:   passed
        """
    }

    private static func text(_ flag: Bool?) -> String { flag.map { $0 ? "yes" : "no" } ?? "the token does not say" }
}
