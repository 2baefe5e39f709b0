import Testing

/// A row of a table in text: a name; indented below it what is done, a statement a line; and after arrows what comes of it.
struct TableRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    private(set) var statements: [String] = []
    private(set) var outcomes: [String] = []

    static func rows(_ text: String) -> [TableRow] {
        text.split(separator: "\n").reduce(into: []) { rows, line in
            if !line.hasPrefix(" ") {
                rows.append(TableRow(testDescription: String(line)))
            } else if line.hasPrefix("  → ") {
                rows[rows.count - 1].outcomes.append(String(line.dropFirst(4)))
            } else {
                rows[rows.count - 1].statements.append(String(line.dropFirst(4)))
            }
        }
    }
}
