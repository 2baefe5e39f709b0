import Yams

/// A YAML file as a tree of nodes that know their lines.
///
/// A reference, as each ``ConfigurationNode`` has it.
final class YAMLDocument {
    let root: Yams.Node
    /// Nodes hold their anchors weakly, and the parser holds them for good: without it, anchors could not be seen.
    let parser: Yams.Parser

    /// Fails after recording a fault; a byte order mark, as Windows' editors write it, is none.
    init?(_ text: String, of file: ConfigurationFile, _ faults: FaultCollector) {
        let text = text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
        if let (line, message) = YAMLBounds.fault(of: text) {
            faults.fault(file.place(line: line), message)
            return nil
        }
        do {
            parser = try Yams.Parser(yaml: text, resolver: .basic, encoding: .utf8)
            guard let root = try parser.singleRoot() else {
                faults.fault(file.place, "is empty")
                return nil
            }
            self.root = root
        } catch {
            let (line, message) = Self.describe(error, in: text)
            faults.fault(file.place(line: line), message)
            return nil
        }
    }

    /// The fault of the YAML itself, without the line's content, which may hold a secret.
    private static func describe(_ error: any Error, in text: String) -> (line: Int?, message: String) {
        switch error as? YamlError {
        case .parser(_, let problem, let mark, _) where problem.hasPrefix("Maximum nesting level"):
            return (mark.line, "is nested too deeply; no setting is as deep")
        case .composer(_, let problem, let mark, _) where problem == "but found another document":
            return (mark.line, "has a second YAML document here; write all into one, without ---")
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let reason = [context?.text, problem].compactMap(\.self).joined(separator: ", ")
            let hint = "indent with spaces, and write text that begins with a sign in quotation marks"
            return (mark.line, "is not YAML: \(reason); \(hint)")
        case .duplicatedKeysInMapping(let keys, let context):
            return (context.mark.line, "\"\(Echo.key(keys.first ?? ""))\" is given twice in this mapping; keep one")
        case .reader(let problem, let offset, _, _):
            let line = offset.map { text.prefix($0).count(where: \.isNewline) + 1 }
            return (line, "is not YAML: \(problem)")
        default:
            return (nil, "is not YAML")
        }
    }
}

/// Bounds on a YAML text, kept before it is parsed: a parser takes some hundred bytes of memory for each value.
///
/// Signs are counted without a parser, in comments and quotation marks, too: they can only be more than there are values
/// of their kind.
enum YAMLBounds {
    /// How many of the signs that begin a key, a value or an element a text may have, of which each has three at most.
    static let mostSigns = 100_000

    /// How many aliases a text may have: few cannot grow to much.
    ///
    /// Anchors and aliases are refused anywhere in the tree (``ConfigurationNode``). But Yams compares the keys of a mapping
    /// while it builds the tree, and an alias in a key stands for all that its anchor has.
    private static let mostAliases = 16

    /// The first bound that a text breaks; lines count from 1.
    static func fault(of text: String) -> (line: Int, message: String)? {
        var hasAnchor = false
        var (signs, aliases, line) = (0, 0, 1)
        var firstAlias: Int?
        var last = UInt8(ascii: "\n")
        let bytes = text.utf8.span
        for index in bytes.indices {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "&") where mayBegin(after: last): hasAnchor = true
            case UInt8(ascii: "*") where mayBegin(after: last):
                aliases += 1
                firstAlias = firstAlias ?? line
            case UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): signs += 1
            case UInt8(ascii: "-"), UInt8(ascii: "?"): if mayBegin(after: last) { signs += 1 }
            case UInt8(ascii: "\n"): line += 1
            default: break
            }
            if signs > mostSigns {
                return (line, "has too many values: a file may have \(mostSigns) of the signs : , [ { - and ?")
            }
            last = byte
        }
        guard hasAnchor, aliases > mostAliases, let firstAlias else { return nil }
        return (firstAlias, "has too many YAML anchors and aliases; they are not supported, write the values out")
    }

    /// Whether an anchor, an alias or an element may follow the byte: white space, flow indicators, wide line breaks.
    private static func mayBegin(after byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ","),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ":"),
            UInt8(ascii: "?"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0x80...:
            true
        default: false
        }
    }
}
