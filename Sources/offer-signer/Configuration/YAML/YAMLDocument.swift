import Yams

/// A YAML file as a tree of nodes that know their lines.
///
/// A reference, as each ``ConfigurationNode`` has it.
final class YAMLDocument {
    let root: Yams.Node
    /// Nodes hold their anchors weakly, and the parser holds them for good: without it, anchors could not be seen.
    let parser: Yams.Parser

    /// Fails after recording a fault.
    init?(_ text: String, of file: ConfigurationFile, _ faults: FaultCollector) {
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
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _):
            let reason = [context?.text, problem].compactMap(\.self).joined(separator: ", ")
            let hint = isIndentedWithTab(mark.line, of: text) ? "; indent with spaces, not with tabs" : ""
            return (mark.line, "is not YAML: \(reason)\(hint)")
        case .duplicatedKeysInMapping(let keys, let context):
            return (context.mark.line, "\(Echo.name(keys.first ?? "")) is given twice in this mapping; keep one")
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

    private static func isIndentedWithTab(_ line: Int, of text: String) -> Bool {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard lines.indices.contains(line - 1) else { return false }
        return lines[line - 1].prefix { $0 == " " || $0 == "\t" }.contains("\t")
    }
}
