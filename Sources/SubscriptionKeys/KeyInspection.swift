import Offers

/// A description of a key file: everything but the key.
///
/// To have one means that the key was loaded and proven. Whether the service takes the file, too, ``refusal`` says.
package struct KeyInspection: Equatable, Sendable, CustomStringConvertible {
    package let path: String
    /// The key's identifier, if the file has the name that App Store Connect gave it.
    package let keyIdentifier: String?
    /// Always "P-256".
    package let curve: String
    /// The public key as the DER of a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    package let publicKeySPKI: [UInt8]
    /// The SHA-256 of the public key's SubjectPublicKeyInfo: 64 hexadecimal digits, lowercase.
    package let publicKeySHA256: String
    /// The file's permission bits, octal with a leading zero, such as "0600".
    package let fileMode: String
    /// The unusual feature of the file's name, with the fix; `nil` when there is none.
    package let note: String?
    /// Why the service refuses the file though nothing is wrong with the key: others can read it; `nil` when it does not.
    package let refusal: KeyError?

    /// Loads the key as the service does, self-test included, and lets it go again; one that others can read is looked at
    /// all the same.
    package init(of path: String, access: FileAccess = .ownerOnly) throws(KeyError) {
        let name = KeyFileName(path: path)
        let keyIdentifier = name?.keyIdentifier
        let key = try SigningKey(contentsOf: path, keyIdentifier: keyIdentifier ?? path, access: nil)
        self.path = path
        self.keyIdentifier = keyIdentifier
        curve = P256.name
        publicKeySPKI = key.publicKeySPKI
        publicKeySHA256 = Hexadecimal.text(key.publicKeySHA256)
        let mode = String(key.fileMode, radix: 8)
        fileMode = String(repeating: "0", count: max(1, 4 - mode.utf8.count)) + mode
        refusal = access.fault(of: key.fileMode)?.at(path, access: access)
        note = name?.note.map { "it \($0)" }
    }

    package var description: String {
        """
        \(path)
          key id:      \(keyIdentifier ?? "unknown, as the file is not named SubscriptionKey_<id>.p8 or AuthKey_<id>.p8")
          curve:       \(curve)
          public key:  SHA-256 \(publicKeySHA256)
          file mode:   \(fileMode)
          self-test:   passed
        """ + (note.map { "\n  note:        \($0)" } ?? "")
    }
}
