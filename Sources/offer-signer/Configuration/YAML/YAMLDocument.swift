import Yams

/// A YAML file as a tree of nodes that know their lines.
///
/// A reference, as each ``ConfigurationNode`` has it.
final class YAMLDocument {
    let root: Yams.Node
    /// Set before keys that the document gives twice, because Yams stops at the first of them; in no other text of it.
    ///
    /// `nil` where it gives none twice.
    private let repetitionMark: Unicode.Scalar?
    /// Nodes hold their anchors weakly, and the parser holds them for good: without it, anchors could not be seen.
    let parser: Yams.Parser

    /// Fails after recording a fault.
    init?(_ text: String, of file: ConfigurationFile, _ faults: FaultCollector) {
        if let (line, message) = YAMLBounds.fault(of: text) {
            faults.fault(file.place(line: line), message)
            return nil
        }
        var text = text
        var mark: Unicode.Scalar?
        var repetitions = 0
        while true {
            do {
                let parser = try Yams.Parser(yaml: text, resolver: .basic, encoding: .utf8)
                guard let root = try parser.singleRoot() else {
                    faults.fault(file.place, "is empty")
                    return nil
                }
                (self.root, self.repetitionMark, self.parser) = (root, mark, parser)
                return
            } catch YamlError.duplicatedKeysInMapping(_, let context) {
                repetitions += 1
                mark = mark ?? Self.unusedCharacter(of: text)
                guard repetitions <= 100, let mark, let marked = Self.inserting(mark, at: context.mark, of: text) else {
                    faults.fault(file.place(line: context.mark.line), "a key is given twice")
                    return nil
                }
                text = marked
            } catch {
                let (line, message) = Self.describe(error, in: text)
                faults.fault(file.place(line: line), message)
                return nil
            }
        }
    }

    /// A key without the mark that it may have as a repetition.
    func withoutMark(_ key: String) -> String {
        guard let repetitionMark, key.unicodeScalars.first == repetitionMark else { return key }
        return String(key.unicodeScalars.drop { $0 == repetitionMark })
    }

    /// A private-use character that a text does not have.
    private static func unusedCharacter(of text: String) -> Unicode.Scalar? {
        let used = Set(text.unicodeScalars)
        return (0xE000...0xF8FF).lazy.compactMap(Unicode.Scalar.init).first { !used.contains($0) }
    }

    /// The text with a character put before a key, inside its quotation marks if it has them.
    private static func inserting(_ character: Unicode.Scalar, at mark: Mark, of text: String) -> String? {
        var scalars = text.unicodeScalars
        guard var index = LinesOfYAML.index(line: mark.line, column: mark.column, of: scalars) else { return nil }
        if scalars[index] == "\"" || scalars[index] == "'" { index = scalars.index(after: index) }
        scalars.insert(character, at: index)
        return String(scalars)
    }

    /// The fault of the YAML itself, without the line's content, which may hold a secret.
    private static func describe(_ error: any Error, in text: String) -> (line: Int?, message: String) {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _):
            let reason = [context?.text, problem].compactMap(\.self).joined(separator: ", ")
            let hint = LinesOfYAML.isIndentedWithTab(mark.line, of: text) ? "; indent with spaces, not with tabs" : ""
            return (mark.line, "is not YAML: \(reason)\(hint)")
        case .composer(_, let problem, let mark, _) where problem.contains("another document"):
            return (mark.line, "a second YAML document begins here; a file holds one")
        case .composer(_, let problem, let mark, _):
            return (mark.line, "is not YAML: \(problem); text that begins with * needs quotation marks")
        case .reader(let problem, let offset, _, _):
            let line = offset.map { text.prefix($0).count(where: \.isNewline) + 1 }
            return (line, "is not YAML: \(problem)")
        default:
            return (nil, "is not YAML")
        }
    }
}

/// Lines and columns as libyaml counts them: from 1, columns in Unicode scalars, and five kinds of line breaks.
enum LinesOfYAML {
    /// `nil` behind the end of the text.
    static func index(line: Int, column: Int, of scalars: String.UnicodeScalarView) -> String.Index? {
        var index = scalars.startIndex
        var current = (line: 1, column: 1)
        while index < scalars.endIndex {
            if current == (line, column) { return index }
            let next = scalars.index(after: index)
            if isBreak(scalars[index]) {
                let isFirstHalf = scalars[index] == "\r" && next < scalars.endIndex && scalars[next] == "\n"
                if !isFirstHalf { current = (current.line + 1, 1) }
            } else {
                current.column += 1
            }
            index = next
        }
        return nil
    }

    /// The most common slip in YAML.
    static func isIndentedWithTab(_ line: Int, of text: String) -> Bool {
        guard let start = index(line: line, column: 1, of: text.unicodeScalars) else { return false }
        return text.unicodeScalars[start...].prefix { $0 == " " || $0 == "\t" }.contains("\t")
    }

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\r", "\n", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }
}
