import Offers
import StrictJSON
import Yams

/// The OpenAPI 3.1 description of the service: `openapi.yaml` beside this file, served as JSON, with the reasons of
/// decisions as they are declared.
enum OpenAPIDescription {
    /// The description as one JSON object; `nil` where the YAML is none, which a test rules out.
    static let json: [UInt8]? = {
        let yaml = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)
            .replacing("        INTRODUCTORY-REASONS\n", with: list(IntroductoryReason.self, \.meaning))
            .replacing("[INTRODUCTORY-REASONS]", with: names(IntroductoryReason.self))
            .replacing("        REASONS\n", with: list(Reason.self, \.meaning))
            .replacing("[REASONS]", with: names(Reason.self))
        // `load(yaml:)` would forget the order of members.
        guard let node = try? Yams.compose(yaml: yaml) else { return nil }
        var writer = JSONWriter(capacity: yaml.utf8.count)
        writer.write(node)
        return writer.bytes
    }()

    static func reply() throws(Problem) -> Reply {
        guard let json else { throw .internal }
        return Reply(json)
    }

    private typealias Reasons = VerdictReason & RawRepresentable<String> & CaseIterable

    /// The lines of a description, indented as those in the file.
    private static func list<Given: Reasons>(_ reasons: Given.Type, _ meaning: (Given) -> String) -> String {
        var verdict: Verdict?
        return reasons.allCases.map { reason in
            let heading = reason.verdict == verdict ? "" : "\n        With the verdict `\(reason.verdict.rawValue)`:\n"
            verdict = reason.verdict
            return "\(heading)        - `\(reason.rawValue)`: \(meaning(reason)).\n"
        }.joined()
    }

    private static func names<Given: Reasons>(_ reasons: Given.Type) -> String {
        "[\(reasons.allCases.map(\.rawValue).joined(separator: ", "))]"
    }
}

extension JSONWriter {
    /// Writes YAML within the bounds of JSON: no other numbers than whole ones, no null.
    fileprivate mutating func write(_ node: Node) {
        switch node {
        case .mapping(let mapping):
            object { members in
                for (name, value) in mapping {
                    members.member(named: name.string ?? "")
                    members.write(value)
                }
            }
        case .sequence(let sequence):
            array { elements in
                for element in sequence { elements.write(element) }
            }
        case .scalar(let scalar):
            if scalar.style == .plain, let value = Int64(scalar.string) {
                number(value)
            } else if scalar.style == .plain, let value = Bool(scalar.string) {
                bool(value)
            } else {
                string(scalar.string)
            }
        case .alias: break
        }
    }
}
