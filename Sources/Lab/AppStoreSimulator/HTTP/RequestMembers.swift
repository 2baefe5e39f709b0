import Offers
import StrictJSON

/// The members of a request's JSON object, to be asked for by name and type.
struct RequestMembers {
    private var scalars: [String: JSONScalar] = [:]
    private var objects: [String: [UInt8]] = [:]

    init(json: [UInt8]) throws(RequestFault) {
        var scalars: [String: JSONScalar] = [:]
        var objects: [String: [UInt8]] = [:]
        var reader = JSONReader(json)
        do throws(JSONFault) {
            try reader.readObject { (name, reader) throws(JSONFault) in
                if try reader.nextType() == .object {
                    objects[name] = try reader.readText()
                } else {
                    scalars[name] = try reader.readScalar()
                }
            }
            try reader.readEnd()
        } catch {
            throw RequestFault(status: 400, detail: error.detail, pointer: error.pointer)
        }
        self.scalars = scalars
        self.objects = objects
    }

    /// Refuses members with other names than these.
    func allow(_ names: [String]) throws(RequestFault) {
        let unknown = (Array(scalars.keys) + objects.keys).sorted().first { !names.contains($0) }
        guard let unknown else { return }
        throw .member(unknown, "No such member is known here; known are \(names.joined(separator: ", ")).")
    }

    private func value<Value>(
        _ name: String,
        _ expected: String,
        _ value: (JSONScalar) -> Value?
    ) throws(RequestFault) -> Value? {
        guard let scalar = scalars[name] else {
            guard objects[name] == nil else { throw .member(name, expected) }
            return nil
        }
        guard let value = value(scalar) else { throw .member(name, expected) }
        return value
    }

    func string(_ name: String) throws(RequestFault) -> String? {
        try value(name, "A string is expected.") { if case .string(let text) = $0 { text } else { nil } }
    }

    func requiredString(_ name: String) throws(RequestFault) -> String {
        guard let text = try string(name), !text.isEmpty else { throw .member(name, "The member is missing.") }
        return text
    }

    /// A whole number.
    func integer(_ name: String) throws(RequestFault) -> Int64? {
        try value(name, "A whole number is expected.") { if case .number(let text) = $0 { Int64(text) } else { nil } }
    }

    func boolean(_ name: String) throws(RequestFault) -> Bool? {
        try value(name, "true or false is expected.") { if case .bool(let value) = $0 { value } else { nil } }
    }

    func object(_ name: String) throws(RequestFault) -> RequestMembers? {
        if let json = objects[name] { return try RequestMembers(json: json) }
        if scalars[name] != nil { throw .member(name, "An object is expected.") }
        return nil
    }

    /// A moment: milliseconds, or RFC 3339.
    func moment(_ name: String) throws(RequestFault) -> Timestamp? {
        if case .string(let text) = scalars[name] {
            guard let moment = Timestamp(rfc3339: text) else {
                throw .member(name, "Milliseconds are expected, or a moment such as 2026-01-20T10:00:00Z.")
            }
            return moment
        }
        return try integer(name).map { Timestamp(millisecondsSince1970: $0) }
    }
}

/// A request to the simulator's own routes that cannot be followed.
struct RequestFault: Error, Equatable {
    let status: Int
    /// The fault in a sentence, with the fix.
    let detail: String
    /// The member at fault, as a JSON Pointer (RFC 6901).
    var pointer: String?

    /// A member with a value that cannot be taken: 400.
    static func member(_ member: String, _ detail: String) -> RequestFault {
        RequestFault(status: 400, detail: detail, pointer: "/" + member)
    }

    static func notFound(_ detail: String) -> RequestFault {
        RequestFault(status: 404, detail: detail)
    }

    /// Problem details (RFC 9457).
    var json: [UInt8] {
        JSONWriter.text { json in
            json.member("title", status == 404 ? "Not Found" : "Bad Request")
            json.member("status", Int64(status))
            json.member("detail", detail)
            json.optional("pointer", pointer)
        }
    }
}
