import Offers
import Yams

/// A value of `app-store.yaml` with its place: the one way in which the file is read.
struct ScenarioNode {
    private let node: Yams.Node
    private let file: String
    private let path: String

    /// Creates a node.
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - file: The file, for faults.
    ///   - path: The key path, for faults.
    init(_ node: Yams.Node, file: String, path: String = "") {
        self.node = node
        self.file = file
        self.path = path
    }

    /// A fault of this value.
    ///
    /// - Parameter message: What is wrong and what would be right.
    /// - Returns: The fault, with file, line and key path.
    func fault(_ message: String) -> SimulatorFault {
        let line = node.mark.map { ":\($0.line)" } ?? ""
        return SimulatorFault("\(file)\(line): \(path.isEmpty ? "" : path + " ")\(message)")
    }

    /// Reads a mapping.
    ///
    /// - Parameter keys: The keys that it may have.
    /// - Returns: Its members.
    /// - Throws: `SimulatorFault` when it is none, or has another key.
    func mapping(_ keys: String...) throws(SimulatorFault) -> ScenarioMapping {
        guard case .mapping(let mapping) = node else {
            throw fault("is not a mapping; one is needed, with the keys \(keys.joined(separator: ", "))")
        }
        var members: [String: ScenarioNode] = [:]
        for (key, value) in mapping {
            let name = key.scalar?.string ?? "?"
            let member = ScenarioNode(value, file: file, path: path.isEmpty ? name : "\(path).\(name)")
            guard keys.contains(name) else {
                throw member.fault("is not known; known here: \(keys.joined(separator: ", "))")
            }
            members[name] = member
        }
        return ScenarioMapping(node: self, members: members)
    }

    /// Reads a list.
    ///
    /// - Returns: Its elements.
    /// - Throws: `SimulatorFault` when it is none.
    func list() throws(SimulatorFault) -> [ScenarioNode] {
        guard case .sequence(let sequence) = node else { throw fault("is not a list; one is needed") }
        return sequence.enumerated().map { ScenarioNode($1, file: file, path: "\(path)[\($0)]") }
    }

    /// Reads a text that is not empty.
    ///
    /// - Returns: The text, as it is written.
    /// - Throws: `SimulatorFault` when it is none.
    func text() throws(SimulatorFault) -> String {
        guard case .scalar(let scalar) = node, !scalar.string.isEmpty, !(scalar.style == .plain && scalar.string == "~")
        else { throw fault("is not a text; one is needed") }
        return scalar.string
    }

    /// Reads a value from a text.
    ///
    /// - Parameters:
    ///   - needed: What is needed, with its article, for the fault.
    ///   - parse: Reads it; `nil` when the text is something else.
    /// - Returns: The value.
    /// - Throws: `SimulatorFault` when the text is something else.
    func value<Value>(_ needed: String, _ parse: (String) -> Value?) throws(SimulatorFault) -> Value {
        let text = try text()
        guard let value = parse(text) else { throw fault("is \"\(text)\"; \(needed) is needed") }
        return value
    }

    /// Reads a whole number.
    ///
    /// - Parameter range: What is allowed.
    /// - Returns: The number.
    /// - Throws: `SimulatorFault` when it is another value.
    func integer(_ range: ClosedRange<Int64>) throws(SimulatorFault) -> Int64 {
        try value("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int64(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Reads `true` or `false`.
    ///
    /// - Returns: The value.
    /// - Throws: `SimulatorFault` when it is something else.
    func boolean() throws(SimulatorFault) -> Bool {
        try value("true or false") { Bool($0) }
    }

    /// Reads one of several names.
    ///
    /// - Returns: The named value.
    /// - Throws: `SimulatorFault` when it is another name.
    func choice<Choice: RawRepresentable<String> & CaseIterable>() throws(SimulatorFault) -> Choice {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return try value("one of \(names)") { Choice(rawValue: $0) }
    }
}
