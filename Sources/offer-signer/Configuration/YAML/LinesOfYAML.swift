/// Lines and columns as libyaml counts them: from 1, columns in Unicode scalars, and five kinds of line breaks.
enum LinesOfYAML {
    /// The position of a line and column.
    ///
    /// - Parameters:
    ///   - line: The line, from 1.
    ///   - column: The column, from 1.
    ///   - scalars: The text.
    /// - Returns: The position; `nil` behind the end of the text.
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

    /// Whether a line begins with white space that has a tab in it.
    ///
    /// - Parameters:
    ///   - line: The line, from 1.
    ///   - text: The text.
    /// - Returns: `true` for the most common slip in YAML.
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
