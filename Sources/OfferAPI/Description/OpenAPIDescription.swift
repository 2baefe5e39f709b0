import StrictJSON
import Yams

/// The OpenAPI 3.1 description of the service: `openapi.yaml` beside this file, served as JSON.
enum OpenAPIDescription {
    /// The description as one JSON object; `nil` where the YAML is none, which a test rules out.
    static let json: [UInt8]? = {
        // `load(yaml:)` would forget the order of members.
        guard let node = try? Yams.compose(yaml: String(decoding: PackageResources.openapi_yaml, as: UTF8.self)) else {
            return nil
        }
        var writer = JSONWriter(capacity: PackageResources.openapi_yaml.count)
        writer.write(node)
        return writer.bytes
    }()
}

extension JSONWriter {
    /// Writes YAML that stays within what JSON has: no other numbers than whole ones, no null.
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
