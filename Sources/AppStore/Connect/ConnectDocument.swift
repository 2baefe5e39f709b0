import FoundationEssentials

/// A document of the App Store Connect API (JSON:API), as far as it is used.
struct ConnectDocument: Decodable, Sendable {
    private enum CodingKeys: CodingKey { case data, included, links }

    /// One resource is a list of one.
    private(set) var data: [ConnectResource]
    /// The resources that came along.
    private var included: [ConnectResource.Name: ConnectResource]
    /// The link to the next page; `nil` on the last.
    private(set) var next: String?

    /// Anything that is no such document gives `nil`.
    init?(json: [UInt8]) {
        guard let document = try? JSONDecoder().decode(ConnectDocument.self, from: Data(json)) else { return nil }
        self = document
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        data = try members.decode(OneOrMany<ConnectResource>.self, forKey: .data).all
        let resources = try members.decodeIfPresent([ConnectResource].self, forKey: .included) ?? []
        included = Dictionary(resources.map { ($0.name, $0) }) { $1 }
        next = try members.decodeIfPresent([String: PlainValue].self, forKey: .links)?["next"]?.text
    }

    /// Adds the next page, whose link to a further one counts.
    mutating func add(_ page: ConnectDocument) {
        data += page.data
        included.merge(page.included) { $1 }
        next = page.next
    }

    /// The related resources of one; `nil` where not all of them have come along, as Apple cuts lists at a limit.
    func related(_ relation: String, of resource: ConnectResource, limit: Int) -> [ConnectResource]? {
        guard let relation = resource.relationships?[relation], let names = relation.data?.all else { return nil }
        let total = relation.meta?["paging"]?["total"]?.text.flatMap { Int($0) }
        let resources = names.compactMap { included[$0] }
        let isWhole = total.map { $0 <= names.count } ?? (names.count < limit)
        return isWhole && resources.count == names.count ? resources : nil
    }
}

/// A resource with its plain attributes and its relationships.
struct ConnectResource: Decodable, Sendable {
    struct Name: Decodable, Hashable, Sendable {
        let type: String
        let id: String
    }

    struct Relation: Decodable, Sendable {
        /// The resources that are named, perhaps not all; `nil` where the request did not include them.
        let data: OneOrMany<Name>?
        fileprivate let meta: [String: [String: PlainValue]]?

        private enum CodingKeys: CodingKey { case data, meta }

        /// Values of another form are left out: Apple may add relationships of its own kinds.
        init(from decoder: any Decoder) throws {
            let members = try? decoder.container(keyedBy: CodingKeys.self)
            data = try? members?.decodeIfPresent(OneOrMany<Name>.self, forKey: .data)
            meta = try? members?.decodeIfPresent([String: [String: PlainValue]].self, forKey: .meta)
        }
    }

    private let type: String
    let id: String
    private let attributes: [String: PlainValue]?
    let relationships: [String: Relation]?

    var name: Name { Name(type: type, id: id) }

    /// An attribute as text; `nil` where it is missing.
    subscript(attribute: String) -> String? { attributes?[attribute]?.text }

    /// The names of its attributes that have a value, and of its relationships.
    var members: Set<String> {
        Set((attributes ?? [:]).filter { !$0.value.isNull }.keys).union((relationships ?? [:]).keys)
    }
}

/// A refusal's errors.
struct ConnectRefusal: Decodable {
    private let errors: [[String: PlainValue]]

    init?(json: [UInt8]) {
        guard let refusal = try? JSONDecoder().decode(ConnectRefusal.self, from: Data(json)) else { return nil }
        self = refusal
    }

    /// A member of the first error, such as `code`.
    subscript(member: String) -> String? { errors.first?[member]?.text }
}

/// A list, or an object that stands for a list of one; `null` is an empty one.
struct OneOrMany<Element: Decodable & Sendable>: Decodable, Sendable {
    let all: [Element]

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            all = []
        } else if let list = try? value.decode([Element].self) {
            all = list
        } else {
            all = [try value.decode(Element.self)]
        }
    }
}

/// A string, number or boolean as text; `nil` for all else.
private struct PlainValue: Decodable, Sendable {
    let text: String?
    let isNull: Bool

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        isNull = value.decodeNil()
        text =
            (try? value.decode(String.self)) ?? (try? value.decode(Bool.self)).map { "\($0)" }
            ?? (try? value.decode(Int.self)).map { "\($0)" }
    }
}
