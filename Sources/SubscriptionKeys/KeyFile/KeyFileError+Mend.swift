import Glibc

extension KeyFileError.Code {
    /// What was expected and what to do, as the end of a sentence that began with what was found.
    ///
    /// - Parameters:
    ///   - path: The file, quoted for a shell.
    ///   - access: Who may read the file.
    /// - Returns: The text from the semicolon on, or nothing when there is no advice.
    func mend(path: String, access: FileAccess) -> String {
        let command = "openssl pkcs8 -topk8 -nocrypt -in \(path) -out KEY.p8"
        switch self {
        case .readableByOthers:
            let expected = access == .ownerOnly ? "nobody but its owner" : "nobody but its owner and group"
            return "; expected is that \(expected) may read it: chmod \(access.advisedMode) \(path)"
        case .foreignOwner:
            let user = geteuid()
            guard user == 0 else {
                return "; expected is a file of root or of the service's user (\(user)): chown \(user) \(path)"
            }
            // The service's user could not read root's file, which is closed to others.
            return "; expected is a file of root, as root runs this: if that user is the service's, run this as that "
                + "user (sudo -u), and if not: chown 0 \(path)"
        case .sec1PrivateKey:
            return Self.expectation + ". To convert it: \(command)"
        case .encryptedPrivateKey:
            let credential =
                "openssl pkcs8 -topk8 -nocrypt -in \(path) | systemd-creds encrypt --name=KEY.p8 - KEY.p8.cred"
            return Self.expectation + " without a passphrase. To decrypt it into a systemd credential: \(credential)"
                + " or, where there is no systemd, into a file: \(command)"
        case .tooLarge:
            return Self.expectation + ", about 260 bytes"
        case .secureHeap:
            return "; load fewer keys: one that no longer signs needs its publicKeyFile alone, and a reload needs room "
                + "for the old keys and the new"
        case .truncated, .trailingData, .severalBlocks, .malformedBase64, .malformedDER, .foreignPublicPoint:
            return Self.expectation + ", whole and unchanged: copy it again"
        case .unreadable:
            return "; expected is a file that the service's user can read"
        case .unwritable:
            return "; its directory has to be writable for the service's user, and its file system to have room"
        case .der:
            return Self.expectation + ". To mend it: openssl pkcs8 -topk8 -nocrypt -inform DER -in \(path) -out KEY.p8"
        case .escapedLineEnds, .quoted, .byteOrderMark:
            // \047 is an apostrophe, the three after the carriage return are the byte order mark in UTF-8. Backslashes are
            // left where line ends were escaped twice.
            return Self.rewrite(#"sed 's/\\[rn]/\n/g' \#(path) | tr -d '"\047\r\357\273\277\\'"#)
        case .embedded:
            return Self.rewrite(#"sed -E 's/\\[rn]/\n/g;\#(Self.linesApart)' \#(path) | \#(Self.keyAlone)"#)
        case .richText:
            // A control word, with the blank that ends it; the line end that a backslash makes stays.
            let words = #"s/\\[a-z]*(-?[0-9]+)? ?//g"#
            return Self.rewrite(#"sed -E '\#(words);\#(Self.linesApart)' \#(path) | \#(Self.keyAlone)"#)
        case .utf16:
            return Self.rewrite("iconv -f UTF-16 -t UTF-8 \(path)")
        case .encodedTwice:
            return Self.rewrite(#"tr -d '[:space:]' < \#(path) | grep -oE 'LS0tLS1CRUdJ[A-Za-z0-9+/]*=*' | base64 -di"#)
        case .missingArmour:
            let lines = "echo -----BEGIN PRIVATE KEY-----; grep -v -e ----- \(path); echo -----END PRIVATE KEY-----"
            return Self.rewrite("{ \(lines); }")
        case .openSSL, .selfTestFailed:
            return ""
        case .missing, .notRegularFile, .empty, .notPEM, .certificate, .publicKey, .rsaPrivateKey, .otherPEM,
            .otherAlgorithm, .otherCurve, .scalarOutOfRange:
            return Self.expectation
        }
    }

    /// The advice to write a new file, which nobody else can read.
    private static func rewrite(_ command: String) -> String {
        expectation + ". To mend it: (umask 077 && \(command) > KEY.p8)"
    }

    /// For `sed -E`: the lines BEGIN and END by themselves.
    private static let linesApart = #"s/-----(BEGIN|END) [A-Z ]+-----/\n&\n/g"#
    /// The private key of a text in lines, and nothing else.
    private static let keyAlone =
        #"tr -d '"\047\r\\' | sed -n 's/^[[:blank:]]*//;/-BEGIN [A-Z ]*PRIVATE KEY-/,/-END /p' | grep ."#

    private static let expectation =
        "; expected is an EC P-256 private key as PKCS#8 PEM (the .p8 file of App Store Connect)"
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
