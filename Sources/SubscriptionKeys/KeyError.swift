import COpenSSL
import Glibc

/// A key that cannot be used, or that the system does not let the process protect.
///
/// The text says what was found, what was expected, and the fix; never key material.
package struct KeyError: Error, CustomStringConvertible {
    /// The fault's code: two errors are equal when their codes are.
    package enum Code: String, Sendable, CaseIterable {
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
        /// Above ``KeyError/maximumSize``.
        case tooLarge
        /// The file belongs neither to root nor to the service's user.
        case foreignOwner
        /// The mode lets others read it. See ``FileAccess``.
        case readableByOthers
        /// The end is missing: the END line, some Base64, or bytes that the DER announces.
        case truncated
        /// The file is not text with a PEM armour (RFC 7468).
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
    }

    /// The largest file that is read, in bytes.
    ///
    /// A P-256 key takes about 260.
    package static let maximumSize = 16 << 10

    /// The fault's code.
    package let code: Code
    /// The file, as the caller named it; `nil` for a fault of no file.
    package let path: String?
    /// The finding, what was expected, and the fix; of a file, a clause that follows its path.
    package let reason: String

    /// One or two sentences for an operator.
    package var description: String { path.map { "\($0) \(reason)" } ?? reason }

    /// Creates a fault of no file, or of one that ``at(_:access:)`` names later.
    ///
    /// - Parameters:
    ///   - code: Which fault it is.
    ///   - reason: The finding: a sentence, or a clause that follows a path, as in "holds an RSA private key".
    init(_ code: Code, _ reason: String) {
        self.init(code, path: nil, reason)
    }

    private static let expectation = "; it has to be an EC P-256 private key as PKCS#8 PEM"
    private static let source = " (the .p8 file of App Store Connect)"

    private init(_ code: Code, path: String?, _ reason: String) {
        self.code = code
        self.path = path
        self.reason = reason
    }

    /// The fault with its file and the fix.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - access: Who may read it; `nil` for anybody.
    ///   - owner: The service's user, where that is known to be another than this one.
    ///   - isAppStoreKey: Whether App Store Connect gives such a key out.
    /// - Returns: The fault.
    func at(
        _ path: String,
        access: FileAccess?,
        owner: UInt32? = nil,
        isAppStoreKey: Bool = true
    ) -> KeyError {
        let found = code == .openSSL ? "could not be loaded, as \(reason)" : reason
        return KeyError(
            code,
            path: path,
            found
                + code.fix(
                    path: path.quotedForShell,
                    access: access ?? .ownerOnly,
                    user: owner ?? geteuid(),
                    expectation: isAppStoreKey ? Self.expectation + Self.source : Self.expectation
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
    ///
    /// - Parameter step: The function that failed.
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
    /// The end of a sentence that began with what was found: what was expected, and what to do.
    ///
    /// - Parameters:
    ///   - path: The file, quoted for a shell.
    ///   - access: Who may read the file.
    ///   - user: The service's user, or the one that runs this.
    ///   - expectation: What the file has to hold, from the semicolon on.
    /// - Returns: The text from the semicolon on, or nothing when there is no advice.
    fileprivate func fix(path: String, access: FileAccess, user: UInt32, expectation: String) -> String {
        func rewrite(_ command: String) -> String {
            // A new file, which nobody else can read.
            expectation + ". To fix it: (umask 077 && \(command) > KEY.p8)"
        }
        let command = "openssl pkcs8 -topk8 -nocrypt -in \(path) -out KEY.p8"
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
        case .sec1PrivateKey:
            return expectation + ". To convert it: \(command)"
        case .encryptedPrivateKey:
            let credential =
                "openssl pkcs8 -topk8 -nocrypt -in \(path) | systemd-creds encrypt --name=KEY.p8 - KEY.p8.cred"
            return expectation + " without a passphrase. To decrypt it into a systemd credential: \(credential)"
                + " or, where there is no systemd, into a file: \(command)"
        case .tooLarge:
            return expectation + ", about 260 bytes"
        case .secureHeap:
            return "; load fewer keys: one that no longer signs needs only its publicKeyFile, and a reload needs room "
                + "for the old keys and the new ones"
        case .truncated, .trailingData, .severalBlocks, .malformedBase64, .malformedDER, .foreignPublicPoint:
            return expectation + ", whole and unchanged: copy it again"
        case .unreadable:
            return "; the service's user has to be able to read it"
        case .unwritable:
            return "; its directory has to be writable for the service's user, and its file system to have room"
        case .der:
            return expectation + ". To fix it: openssl pkcs8 -topk8 -nocrypt -inform DER -in \(path) -out KEY.p8"
        case .escapedLineEnds, .quoted, .byteOrderMark:
            // \047 is an apostrophe, the three after the carriage return are the byte order mark in UTF-8. Backslashes are
            // left where line ends were escaped twice.
            return rewrite(#"sed 's/\\[rn]/\n/g' \#(path) | tr -d '"\047\r\357\273\277\\'"#)
        case .embedded:
            return rewrite(#"sed -E 's/\\[rn]/\n/g;\#(Self.linesApart)' \#(path) | \#(Self.keyAlone)"#)
        case .richText:
            // A control word, with the blank that ends it; the line end that a backslash makes stays.
            let words = #"s/\\[a-z]*(-?[0-9]+)? ?//g"#
            return rewrite(#"sed -E '\#(words);\#(Self.linesApart)' \#(path) | \#(Self.keyAlone)"#)
        case .utf16:
            return rewrite("iconv -f UTF-16 -t UTF-8 \(path)")
        case .encodedTwice:
            return rewrite(#"tr -d '[:space:]' < \#(path) | grep -oE 'LS0tLS1CRUdJ[A-Za-z0-9+/]*=*' | base64 -di"#)
        case .missingArmour:
            let lines = "echo -----BEGIN PRIVATE KEY-----; grep -v -e ----- \(path); echo -----END PRIVATE KEY-----"
            return rewrite("{ \(lines); }")
        case .openSSL, .selfTestFailed, .heapSize, .heapUnavailable, .heapNotLocked, .heapSetUpElsewhere,
            .processNotProtected:
            return ""
        case .missing, .notRegularFile, .empty, .notPEM, .certificate, .publicKey, .rsaPrivateKey, .otherPEM,
            .otherAlgorithm, .otherCurve, .scalarOutOfRange:
            return expectation
        }
    }

    /// A script for `sed -E` that puts the lines BEGIN and END by themselves.
    private static let linesApart = #"s/-----(BEGIN|END) [A-Z ]+-----/\n&\n/g"#
    /// The private key of a text in lines, and nothing else.
    private static let keyAlone =
        #"tr -d '"\047\r\\' | sed -n 's/^[[:blank:]]*//;/-BEGIN [A-Z ]*PRIVATE KEY-/,/-END /p' | grep ."#
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
