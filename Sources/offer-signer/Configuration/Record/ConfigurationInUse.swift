import Foundation
import Offers
import Storage
import StrictJSON

/// The values of a configuration that is in use, each by its path, such as
/// `apps[com.example.app].products[monthly].offers[spring].audience`.
///
/// A setting or a rule at its default is left out, so that it does not matter whether a file says it. No secret is among the
/// values, and no address, port or path of a file.
struct ConfigurationInUse: Equatable, Sendable {
    /// The differences of one configuration to another.
    struct Changes: Equatable, Sendable {
        static let most = 200

        /// The first of them in the order of their paths, each `path: old → new`.
        let lines: [String]
        let leftOut: Int
    }

    private static let absent = "not set"

    let values: [String: String]
    /// The values as a JSON object, in the order of their paths: its SHA-256 is the configuration's.
    let json: String
    /// 64 digits.
    let sha256: String

    init(_ values: [String: String]) {
        self.values = values
        var writer = JSONWriter(capacity: 1 << 12)
        writer.object { json in
            for (path, value) in values.sorted(by: { $0.key < $1.key }) { json.member(named: path, value) }
        }
        json = String(decoding: writer.bytes, as: UTF8.self)
        sha256 = Hexadecimal.text(RecordedConfiguration.digest(of: json))
    }

    /// Reads what the ledger has; `nil` where it is no such text.
    init?(recorded json: String) {
        guard let values = try? JSONDecoder().decode([String: String].self, from: Data(json.utf8)) else { return nil }
        self.init(values)
    }

    func changes(since before: ConfigurationInUse) -> Changes {
        let paths = Set(values.keys).union(before.values.keys).filter { values[$0] != before.values[$0] }.sorted()
        let lines = paths.prefix(Changes.most).map { path in
            let (old, new) = (before.values[path], values[path])
            // Of tokens there is only a mark, which says nothing to a reader.
            if path.hasSuffix(Self.tokens), old != nil, new != nil { return "\(path): changed" }
            let isMark = path.hasSuffix(Self.tokens)
            func shown(_ value: String?) -> String { value.map { isMark ? "set" : $0 } ?? Self.absent }
            return "\(path): \(shown(old)) → \(shown(new))"
        }
        return Changes(lines: lines, leftOut: paths.count - lines.count)
    }

    /// Ends the path of a client's tokens.
    static let tokens = "].tokens"
}
