import Glibc
import Offers
import StrictJSON

/// The part of a value that messages repeat: readable, on one line, and nothing that may be a secret in the wrong
/// place.
///
/// The value of a setting that holds names is repeated where it is as short as a name can be and a key or a token
/// cannot. Of anything longer no part is repeated. Ids of the catalog, and paths to existing files, are shown whole.
/// What ``SecretText`` knows is never shown.
enum Echo {
    private static let longest = 16

    /// The Base64 near the beginning of every P-256 P8: version 0, id-ecPublicKey (RFC 5208 §5, RFC 5480 §2).
    private static let startOfP8 = "AgEAMBMGByqGSM49"

    /// RFC 7468.
    private static let beginning = "-----BEGIN"

    static let keyItself = "looks like a private key itself: put it into a file of mode 600, and name the file"

    /// A refused name in quotes, invisible characters written out; or other words where it is not repeated.
    static func name(_ text: String, orElse words: String? = nil) -> String {
        isShort(text) ? quoted(text) : words ?? withheld(text)
    }

    /// As much of a name in quotes as a message may have of it.
    static func beginning(of text: String) -> String {
        if isShort(text) || SecretText.isLikely(text) || holdsKey(text) { return name(text) }
        return quoted(text.prefix(longest) + "…")
    }

    static func unknownApp(_ bundleId: String, in apps: [AppSettings]) -> String {
        let hint = hint(for: bundleId, among: apps.map(\.app.bundleId))
        return "the catalog has no app \(name(bundleId, orElse: "of this bundle id")); \(hint)"
    }

    /// An id of the catalog in quotes, or another name that the configuration has and nobody refuses.
    static func known(_ text: String) -> String {
        SecretText.isLikely(text) || holdsKey(text) ? withheld(text) : quoted(text)
    }

    /// A file path in quotes, as far as it can be one.
    static func path(_ path: String) -> String {
        let shown = file(path)
        return shown == withheld(path) ? shown : "\"" + shown + "\""
    }

    /// A file path without quotes, as messages about a file begin: the part that is there, and a file's name after it.
    static func file(_ path: String) -> String {
        if repeats(path: path) { return visible(path) }
        let beginning = knownBeginning(of: path)
        return beginning.isEmpty ? withheld(path) : visible(beginning) + "…"
    }

    static func repeats(path: String) -> Bool {
        guard !holdsSecret(path), !holdsKey(path) else { return false }
        let rest = path.dropFirst(knownBeginning(of: path).count)
        return isShort(String(rest)) || isFileName(rest) || access(path, F_OK) == 0
    }

    /// The name of a mapping's member that is not known here, for a key path, or the beginning of a long one; whole where
    /// it is like one of the known names.
    static func key(_ key: String, among known: [String] = []) -> String {
        let isName = isShort(key) || NearestName.nearest(to: key, among: known) != nil
        if isName, key.utf8.allSatisfy(isNameByte) || key == "<<" { return key }
        // Of letters alone are words, and hardly any secret of this length.
        let isWord = key.utf8.allSatisfy { isSmall($0 | 0x20) } && !holdsSecret(key) && !holdsKey(key)
        return isWord ? key.prefix(longest) + "…" : "?"
    }

    /// The parser's message about a command line, without each argument that is no flag, short word or path.
    static func message(_ message: String, about arguments: [String]) -> String {
        arguments.flatMap { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            .filter { !isFlag($0) && !repeats(path: $0) }
            // A part of another one would leave the rest of that.
            .sorted { $0.utf8.count > $1.utf8.count }
            .reduce(message) { $0.replacing($1, with: "(not repeated here, it may be a secret)") }
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

    private static func withheld(_ text: String) -> String {
        holdsPrivateKey(text)
            ? "the value (not repeated here, it \(keyItself))" : "the value (not repeated here, it may be a secret)"
    }

    private static func quoted(_ text: String) -> String { "\"" + visible(text) + "\"" }

    private static func isShort(_ text: String) -> Bool {
        text.unicodeScalars.count <= longest && !holdsSecret(text)
    }

    /// Whether a text, or a component of a path, is a secret.
    private static func holdsSecret(_ text: String) -> Bool {
        text.split(separator: "/").contains { SecretText.isLikely($0) }
    }

    /// The longest beginning of a path that leads to a directory, with its slash; what all names of credentials begin with.
    private static func knownBeginning(of path: String) -> String {
        if ConfigurationDirectory.isCredentialName(path) { return ConfigurationDirectory.credentialPrefix }
        guard path.utf8.count <= Int(PATH_MAX) else { return "" }
        var directory = path[...]
        while let slash = directory.lastIndex(of: "/") {
            directory = directory[...slash]
            if access(String(directory), F_OK) == 0 { return String(directory) }
            directory = directory.dropLast()
        }
        return ""
    }

    /// Whether a path ends in a name with an extension, which neither Base64 nor a token has.
    private static func isFileName(_ path: Substring) -> Bool {
        guard path.utf8.count <= 255, let dot = path.lastIndex(of: "."), dot > path.startIndex else { return false }
        let ending = path[dot...].utf8.dropFirst()
        return (1...longest).contains(ending.count) && ending.allSatisfy(isNameByte)
            && !path.contains(where: \.isNewline)
    }

    private static func isFlag(_ argument: String) -> Bool {
        argument.hasPrefix("--") && argument.utf8.allSatisfy { $0 == UInt8(ascii: "-") || isSmall($0) }
    }

    private static func isSmall(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    static func codePoint(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Whether the character shows nothing of itself, such as U+0000, U+200B and U+2063; spaces are visible.
    static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        // Nearly every character is one of ASCII's.
        guard !scalar.isASCII else { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }

    /// The text on one line, with invisible characters written out.
    static func visible(_ text: String) -> String {
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

extension Echo {
    private static let mostListed = 20

    /// `did you mean "x"?` when a known name is near, and then the known names, the first twenty of them.
    ///
    /// A secret among them is left out.
    static func hint(for name: String, among names: [String]) -> String {
        let rest = names.count > mostListed ? ", …" : ""
        let names = names.filter { !SecretText.isLikely($0) && !Echo.holdsKey($0) }
        let list = "known here: " + names.prefix(mostListed).joined(separator: ", ") + rest
        guard let question = NearestName.question(for: name, among: names) else { return list }
        return "\(question) (\(list))"
    }
}
