/// How messages repeat what they found: readable, on one line, and without secrets that stand in the wrong place.
enum Echo {
    /// The most characters of a value that a message repeats.
    ///
    /// A P8 that someone pasted where a name belongs begins with 48 Base64 characters that say what kind of key it is;
    /// the private part comes after them.
    private static let longest = 48

    /// The Base64 near the beginning of every P-256 P8: version 0, id-ecPublicKey (RFC 5208 §5, RFC 5480 §2).
    private static let startOfP8 = "AgEAMBMGByqGSM49"

    /// The beginning of a PEM (RFC 7468).
    private static let beginning = "-----BEGIN"

    /// How long a piece of letters and digits has to be for a token.
    private static let shortestToken = 32

    /// How many characters of such a piece are in words as no name has them.
    private static let fewestRandom = 20

    /// How long a file's name may be (`NAME_MAX`).
    private static let longestFileName = 255

    /// How long a line of Base64 has to be for a key's: the last one of a P-256 P8 has 56 characters, a secret of 32 bytes 44.
    private static let shortestBase64 = 40

    /// What stands for a value that may be a secret.
    private static func withheld(_ text: String) -> String {
        holdsPrivateKey(text)
            ? "the value (not repeated here, it \(keyItself))" : "the value (not repeated here, it may be a secret)"
    }

    /// The words for a private key in the place of a value, with the fix.
    static let keyItself = "looks like a private key itself: put it into a file of mode 600, and name the file"

    /// The value in quotes, invisible characters written out, cut when it is long; not at all when it looks like a secret.
    static func quoted(_ text: String) -> String {
        guard !looksLikeSecret(text) else { return withheld(text) }
        let shown = text.count > longest ? visible(String(text.prefix(longest))) + "…" : visible(text)
        return "\"" + shown + "\""
    }

    /// A file path in quotes; only its kind when it looks like a key, a token or a secret rather than a path.
    static func path(_ path: String) -> String { repeats(path: path) ? "\"" + visible(path) + "\"" : withheld(path) }

    /// A file path without quotes, as messages about a file begin; only its kind when it looks like a secret.
    static func file(_ path: String) -> String { repeats(path: path) ? visible(path) : withheld(path) }

    /// Whether a path looks like one, and so is repeated in messages.
    ///
    /// - Parameter path: The value.
    /// - Returns: `false` when it may be a secret.
    static func repeats(path: String) -> Bool {
        let components = path.split(separator: "/", omittingEmptySubsequences: true)
        let longHex = components.contains { $0.count >= 32 && $0.allSatisfy(\.isHexDigit) }
        let isLong = components.contains { $0.utf8.count > longestFileName } || path.utf8.count > 4096
        return !longHex && !isLong && !looksLikeSecret(path) && !path.contains(where: \.isNewline)
    }

    /// A key for a key path: as it is when it is a plain name, else in quotes.
    static func key(_ key: String) -> String {
        let isPlain =
            !looksLikeSecret(key) && !key.isEmpty && key.utf8.count <= longest && key.utf8.allSatisfy(isNameByte)
        return isPlain ? key : quoted(key)
    }

    /// Whether a text has a private key in it: a PEM, or the Base64 of a P8.
    static func holdsKey(_ text: String) -> Bool {
        // Nearly every text is a short name, and a configuration may have very many of them.
        guard text.utf8.count >= beginning.utf8.count else { return false }
        if text.utf8.contains(UInt8(ascii: "-")), text.contains(beginning) { return true }
        return text.utf8.contains(UInt8(ascii: "A")) && text.contains(startOfP8)
    }

    /// Whether a text has a private key in it, and not another PEM, such as a certificate.
    static func holdsPrivateKey(_ text: String) -> Bool {
        holdsKey(text) && (text.contains("PRIVATE KEY") || text.contains(startOfP8))
    }

    /// Whether a text has a piece of a key, or a long piece of letters and digits as no name has, but a token.
    ///
    /// - Parameter text: The text.
    /// - Returns: `true` when it is better not repeated.
    static func looksLikeSecret(_ text: String) -> Bool {
        if holdsKey(text) || holdsBase64(text) { return true }
        guard text.utf8.count >= shortestToken else { return false }
        // Directories for temporary files have UUIDs in their names.
        let rest = text.replacing(/[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}/, with: "")
        let pieces = rest.split { !$0.isASCII || !($0.isLetter || $0.isNumber || "+=_-".contains($0)) }
        return pieces.contains { piece in
            guard piece.utf8.count >= shortestToken, piece.contains(where: \.isUppercase),
                piece.contains(where: \.isLowercase), piece.contains(where: \.isNumber)
            else { return false }
            // A long name has words with signs between them, and so may have a random text: of Base64's 64 characters two.
            let words = piece.split { "+=_-".contains($0) }
            return words.filter(isRandom).reduce(0) { $0 + $1.utf8.count } >= fewestRandom
        }
    }

    /// Whether a word is none of a name.
    ///
    /// Those have one case, or few changes from kind to kind of character, as `SubscriptionKey2` has. A capital before a
    /// small letter is no change, as it begins a name.
    private static func isRandom(_ word: Substring) -> Bool {
        guard word.contains(where: \.isUppercase), word.contains(where: \.isLowercase) else { return false }
        let kinds = word.utf8.compactMap(Base64Kind.init)
        let changes = zip(kinds, kinds.dropFirst()).count { $0 != $1 && ($0, $1) != (.capital, .small) }
        return changes * 5 >= kinds.count - 1
    }

    /// Whether a text has a line of Base64 in it, also where its slashes make it look like a path.
    ///
    /// In random Base64 two neighbours of three are of different kinds (capitals, small letters, digits), in the words of a
    /// path few are. Slashes are neither.
    private static func holdsBase64(_ text: String) -> Bool {
        guard text.utf8.count >= shortestBase64 else { return false }
        var (length, neighbours, changes, last) = (0, 0, 0, Base64Kind.slash)
        func isBase64() -> Bool { length >= shortestBase64 && changes * 10 >= neighbours * 3 }
        for byte in text.utf8 {
            guard let kind = Base64Kind(byte) else {
                if isBase64() { return true }
                (length, neighbours, changes, last) = (0, 0, 0, .slash)
                continue
            }
            length += 1
            if kind != .slash, last != .slash {
                neighbours += 1
                if kind != last { changes += 1 }
            }
            last = kind
        }
        return isBase64()
    }

    /// The code point as it is written in documentation, such as `U+2063`.
    ///
    /// - Parameter scalar: The character.
    /// - Returns: `U+` and at least four hexadecimal digits.
    static func codePoint(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Whether the character shows nothing of itself: control and format characters, line and paragraph separators.
    ///
    /// - Parameter scalar: The character.
    /// - Returns: `true` for U+0000, U+200B, U+2063 and the like; spaces are visible.
    static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        // Nearly every character is one of ASCII's.
        guard !scalar.isASCII else { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }

    private static func visible(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if isInvisible(scalar) {
                result += "<" + codePoint(scalar) + ">"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// The kinds of characters that Base64 is written with (RFC 4648 §4).
enum Base64Kind {
    case capital
    case small
    case digit
    /// `+` and the padding.
    case sign
    /// `/`, which divides paths, too.
    case slash

    /// The kind of a character.
    ///
    /// - Parameter byte: The character in UTF-8; no kind has any other.
    init?(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .capital
        case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .small
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
        case UInt8(ascii: "+"), UInt8(ascii: "="): self = .sign
        case UInt8(ascii: "/"): self = .slash
        default: return nil
        }
    }
}
