/// A key file that cannot be used.
///
/// The text names the file, what it is, what was expected, and the mend; never key material.
public struct KeyFileError: Error, CustomStringConvertible {
    /// Which fault it is: two errors are equal when their codes are.
    public enum Code: String, Sendable, CaseIterable {
        /// No file is at this path.
        case missing
        /// The file cannot be opened or read.
        case unreadable
        /// A new file cannot be made or written.
        case unwritable
        /// A directory, a device, a pipe or a socket.
        case notRegularFile
        /// No bytes, or only blank lines.
        case empty
        /// Above ``KeyFileError/maximumSize``.
        case tooLarge
        /// The file belongs neither to root nor to the service's user.
        case foreignOwner
        /// The mode lets others read it. See ``FileAccess``.
        case readableByOthers
        /// The end is missing: the END line, some Base64, or bytes that the DER announces.
        case truncated
        /// Not text with a PEM armour (RFC 7468).
        case notPEM
        /// The key's DER itself, without Base64 and armour.
        case der
        /// Line ends written as a backslash and a letter, as in JSON and environment files.
        case escapedLineEnds
        /// Quotation marks around the key.
        case quoted
        /// A byte order mark before the key.
        case byteOrderMark
        /// UTF-16 instead of ASCII.
        case utf16
        /// The Base64 of the file instead of the file.
        case encodedTwice
        /// Base64 whose BEGIN line, or both of whose lines, are missing.
        case missingArmour
        /// The key in the midst of another text: a line of an environment file, JSON, the output of a tool.
        case embedded
        /// The key in rich text (RTF), as some editors save text.
        case richText
        /// Something follows the key.
        case trailingData
        /// More than one PEM block.
        case severalBlocks
        /// A certificate.
        case certificate
        /// A public key.
        case publicKey
        /// An EC key as SEC 1 (`EC PRIVATE KEY`, RFC 5915) instead of PKCS#8.
        case sec1PrivateKey
        /// A key that a passphrase protects.
        case encryptedPrivateKey
        /// An RSA key, as PKCS#1 or PKCS#8.
        case rsaPrivateKey
        /// A PEM block of another kind.
        case otherPEM
        /// A character within the armour is not Base64 (RFC 4648).
        case malformedBase64
        /// The DER is not the PKCS#8 of an EC key (RFC 5958, RFC 5915).
        case malformedDER
        /// A private key that is neither EC nor RSA, such as Ed25519.
        case otherAlgorithm
        /// An EC key on another curve than P-256.
        case otherCurve
        /// The scalar is zero, or not below the order of the curve.
        case scalarOutOfRange
        /// The public point within is not that of the scalar.
        case foreignPublicPoint
        /// The secure heap is not set up, or full.
        case secureHeap
        /// OpenSSL refused the key for another reason, such as want of memory.
        case openSSL
        /// What the key signed does not verify.
        case selfTestFailed
    }

    /// The largest file that is read, in bytes.
    ///
    /// A P-256 key takes about 260.
    public static let maximumSize = 16 << 10

    /// Which fault it is.
    public let code: Code
    /// The file, as the caller named it.
    public let path: String
    /// What the file is, what was expected, and the mend: ``description`` without the path.
    public let reason: String

    /// One or two sentences for an operator: the file, what it is, what was expected, and the mend.
    public var description: String { "\(path) \(reason)" }

    init(_ fault: KeyFault, path: String, access: FileAccess?) {
        self.code = fault.code
        self.path = path
        self.reason = fault.found + fault.code.mend(path: path.quotedForShell, access: access ?? .ownerOnly)
    }
}

extension KeyFileError: Equatable {
    /// Equal by code: the same fault, whichever the file.
    public static func == (left: KeyFileError, right: KeyFileError) -> Bool { left.code == right.code }
}
