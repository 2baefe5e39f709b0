import COpenSSL
import Glibc

/// A key that cannot be used, or that the system does not let the process protect.
///
/// The text says what was found, what was expected, and the fix; never key material.
package struct KeyError: Error, CustomStringConvertible {
    /// The kinds of faults.
    package enum Code: Sendable {
        case missing
        /// The file cannot be opened or read.
        case unreadable
        /// A new file cannot be made or written.
        case unwritable
        /// A directory, a device, a pipe or a socket.
        case notRegularFile
        /// No bytes, or only blank lines.
        case empty
        /// Above ``KeyError/maximumSize``.
        case tooLarge
        /// The file belongs neither to root nor to the service's user.
        case foreignOwner
        /// The mode lets others read it. See ``FileAccess``.
        case readableByOthers
        /// The end is missing: the END line, some Base64, or bytes that the DER announces.
        case truncated
        /// The file is not text with a PEM armour (RFC 7468), and nothing else.
        case notPEM
        /// Something follows the key.
        case trailingData
        /// An EC key as SEC 1 (`EC PRIVATE KEY`, RFC 5915) instead of PKCS#8.
        case sec1PrivateKey
        /// A key that a passphrase protects.
        case encryptedPrivateKey
        /// A PEM block of another kind, such as a certificate or a public key.
        case otherPEM
        /// A character within the armour is not Base64 (RFC 4648).
        case malformedBase64
        /// The DER is not the PKCS#8 of an EC key (RFC 5958, RFC 5915).
        case malformedDER
        /// A private key of another algorithm than EC, such as RSA.
        case otherAlgorithm
        /// An EC key on another curve than P-256.
        case otherCurve
        /// An EC key whose curve is not named, but given by its numbers.
        case explicitParameters
        /// The scalar is zero, or not below the order of the curve.
        case scalarOutOfRange
        /// The public point within is not that of the scalar.
        case foreignPublicPoint
        /// The secure heap is not set up, or full.
        case secureHeap
        /// OpenSSL refused a step for another reason, such as want of memory.
        case openSSL
        /// The key's own signature does not verify.
        case selfTestFailed
        /// The size asked for is not a power of two within ``SecureHeap/allowedSizes``.
        case heapSize
        /// The system has no memory for the secure heap.
        case heapUnavailable
        /// The system does not lock the secure heap into memory: keys could reach the swap.
        case heapNotLocked
        /// Another part of the process set the secure heap up first: whether it is locked is unknown.
        case heapSetUpElsewhere
        /// The system refused to protect the process.
        case processNotProtected
        /// A PKCS#11 URI, module or token with which nothing can be signed.
        case token
    }

    /// The largest file that is read, in bytes: a P-256 key takes about 260.
    package static let maximumSize = 16 << 10

    package let code: Code
    /// The file, as the caller named it; `nil` for a fault of no file.
    package let path: String?
    /// The finding, what was expected, and the fix; of a file, a clause that follows its path.
    package let reason: String
    /// How a file that is accepted is made of this one.
    private let conversion: KeyConversion?

    package var description: String { path.map { "\($0) \(reason)" } ?? reason }

    /// A fault of no file, or of one that ``at(_:access:)`` names later, with a sentence, or a clause that follows a path, as
    /// in "holds a private key of another algorithm".
    init(_ code: Code, _ reason: String, conversion: KeyConversion? = nil) {
        self.init(code, path: nil, reason, conversion)
    }

    private static let expectation = "; it has to be an EC P-256 private key as PKCS#8 PEM"
    private static let source = " (the .p8 file of App Store Connect)"

    private init(_ code: Code, path: String?, _ reason: String, _ conversion: KeyConversion? = nil) {
        self.code = code
        self.path = path
        self.reason = reason
        self.conversion = conversion
    }

    /// The fault with its file, which should hold a PIN.
    func ofPIN(at path: String, access: FileAccess) -> KeyError {
        let isAccess = code == .readableByOthers || code == .foreignOwner
        guard !isAccess else { return at(path, access: access) }
        let found = "\(reason); it has to hold the token's PIN, and nothing else"
        // No file: it may be the PIN itself.
        let isFile = code != .missing && code != .unreadable
        return isFile ? KeyError(code, path: path, found) : KeyError(code, "the file that pin-source names \(found)")
    }

    /// The fault with its file and the fix; `access` is `nil` where anybody may read the file, and `owner` the service's
    /// user where that is known to be another than this one.
    func at(
        _ path: String,
        access: FileAccess?,
        owner: UInt32? = nil,
        isAppStoreKey: Bool = true
    ) -> KeyError {
        let found = code == .openSSL ? "could not be loaded, as \(reason)" : reason
        let expectation = isAppStoreKey ? Self.expectation + Self.source : Self.expectation
        if let conversion {
            return KeyError(code, path: path, found + expectation + conversion.sentence(for: path.quotedForShell))
        }
        return KeyError(
            code,
            path: path,
            found
                + code.fix(
                    path: path.quotedForShell,
                    access: access ?? .ownerOnly,
                    user: owner ?? geteuid(),
                    expectation: expectation
                )
        )
    }
}

extension KeyError: Equatable {
    /// Equal by code: the same fault, whichever the file.
    package static func == (left: KeyError, right: KeyError) -> Bool { left.code == right.code }
}

extension KeyError {
    /// A step that OpenSSL refused, with the reasons in the calling thread's error queue, which is empty afterwards.
    ///
    /// To be called at once, on the thread of the failed call. The text holds the function's name and OpenSSL's fixed
    /// reason texts, never the data of an error: "EVP_PKEY_sign failed: no private key".
    init(openSSL step: String) {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            if let reason = unsafe ERR_reason_error_string(code) {
                unsafe reasons.append(String(cString: reason))
            } else {
                reasons.append("error \(code)")
            }
        }
        self.init(.openSSL, "\(step) failed" + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: ", ")))
    }

    /// Forgets what earlier calls left in the calling thread's error queue, so that a failure has its own reasons.
    static func clearOpenSSLQueue() {
        ERR_clear_error()
    }
}

extension KeyError.Code {
    /// The end of a sentence that began with the finding, from the semicolon on: what was expected, and what to do.
    ///
    /// The path is quoted for a shell.
    fileprivate func fix(path: String, access: FileAccess, user: UInt32, expectation: String) -> String {
        let command = "openssl pkcs8 -topk8 -nocrypt -in \(path)"
        switch self {
        case .readableByOthers:
            let readers = access == .ownerOnly ? "only its owner" : "only its owner and group"
            return "; \(readers) may read it: chmod \(access.advisedMode) \(path)"
        case .foreignOwner:
            guard user == 0 else {
                return "; it has to belong to root or to the service's user (\(user)): chown \(user) \(path)"
            }
            // The service's user could not read root's file, which is closed to others.
            return "; it has to belong to root, as root runs this: if that user is the service's, run this as that "
                + "user (sudo -u), and if not: chown 0 \(path)"
        case .encryptedPrivateKey:
            return expectation + " without a passphrase. To decrypt it into a systemd credential: \(command)"
                + " | systemd-creds encrypt --name=KEY.p8 - KEY.p8.cred or, where there is no systemd, into a file: "
                + "\(command) -out KEY.p8"
        case .tooLarge:
            return expectation + ", about 260 bytes"
        case .secureHeap:
            return "; load fewer keys: one that no longer signs needs only its publicKeyFile, and a reload needs room "
                + "for the old keys and the new ones"
        case .notPEM, .truncated, .trailingData, .malformedBase64, .malformedDER, .foreignPublicPoint:
            return expectation + ", whole and unchanged: copy the file again, or its lines from BEGIN to END"
        case .unreadable:
            return "; the service's user has to be able to read it"
        case .unwritable:
            return "; its directory has to be writable for the service's user, and its file system to have room"
        case .openSSL, .selfTestFailed, .heapSize, .heapUnavailable, .heapNotLocked, .heapSetUpElsewhere,
            .processNotProtected, .token:
            return ""
        case .missing, .notRegularFile, .empty, .otherPEM, .otherAlgorithm, .otherCurve, .scalarOutOfRange,
            .sec1PrivateKey, .explicitParameters:
            return expectation
        }
    }
}

extension String {
    /// The path as one word of a shell command that no program takes for an option.
    var quotedForShell: String {
        if hasPrefix("-") { return "./\(self)".quotedForShell }
        let plain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default:
                false
            }
        }
        return plain ? self : "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }
}
