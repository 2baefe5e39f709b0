import Offers
package import StrictJSON

/// The identifier of a message or an image: a UUID that its owner makes up, in lowercase.
package struct MessageIdentifier: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init?(_ text: String) {
        guard let uuid = AppAccountToken(text) else { return nil }
        description = uuid.lowercased
    }
}

/// A message as Apple takes it (`UploadMessageRequestBody`), within Apple's limits.
package struct MessageUpload: Sendable {
    /// A member of the body, or of an object in it.
    private struct Member {
        let name: String
        let form: Form
        var isRequired = true
    }

    private enum Form {
        case text(atMost: Int)
        case identifier
        case oneOf([String])
        case object([Member])
        case objects([Member], atMost: Int)
    }

    private enum Value {
        case text(String)
        case object([(name: String, value: Value)])
        case objects([Value])
    }

    private static let image = [
        Member(name: "imageIdentifier", form: .identifier), Member(name: "altText", form: .text(atMost: 150)),
    ]
    private static let bulletPoint = [Member(name: "text", form: .text(atMost: 66))] + image
    private static let members = [
        Member(name: "header", form: .text(atMost: 66)),
        Member(name: "body", form: .text(atMost: 144)),
        Member(name: "image", form: .object(image), isRequired: false),
        Member(name: "headerPosition", form: .oneOf(["ABOVE_BODY", "ABOVE_IMAGE"]), isRequired: false),
        Member(name: "bulletPoints", form: .objects(bulletPoint, atMost: 5), isRequired: false),
        Member(name: ownIdentifier, form: .identifier, isRequired: false),
    ]
    /// The one member that is not Apple's.
    private static let ownIdentifier = "messageIdentifier"

    /// The identifier to upload it under, where the text names one.
    package let identifier: MessageIdentifier?
    /// Whether it has an image or bullet points: it cannot go with an offer, or a switch of products, then.
    package let hasImage: Bool
    /// Apple's body.
    let json: [UInt8]

    package init(json: [UInt8]) throws(JSONFault) {
        var reader = JSONReader(json)
        var values = try Self.object(of: Self.members, &reader)
        try reader.readEnd()
        var identifier: MessageIdentifier?
        var hasImage = false
        var isAboveImage = false
        for (name, value) in values {
            switch (name, value) {
            case (Self.ownIdentifier, .text(let text)): identifier = MessageIdentifier(text)
            case ("headerPosition", .text(let text)): isAboveImage = text == "ABOVE_IMAGE"
            case (_, .object): hasImage = true
            case (_, .objects(let points)): hasImage = hasImage || !points.isEmpty
            default: break
            }
        }
        if isAboveImage, !values.contains(where: { $0.name == "image" }) {
            throw JSONFault(.invalidValue, "ABOVE_IMAGE needs an image.").inside(member: "headerPosition")
        }
        values.removeAll { $0.name == Self.ownIdentifier }
        var writer = JSONWriter(capacity: 512)
        Self.write(.object(values), into: &writer)
        self.identifier = identifier
        self.hasImage = hasImage
        self.json = writer.bytes
    }

    private static func object(
        of members: [Member],
        _ reader: inout JSONReader
    ) throws(JSONFault) -> [(name: String, value: Value)] {
        var values: [(name: String, value: Value)] = []
        try reader.readObject { (name, reader) throws(JSONFault) in
            guard let member = members.first(where: { $0.name == name }) else {
                let known = members.map(\.name)
                let names = known.dropLast().joined(separator: ", ") + " and " + (known.last ?? "")
                throw JSONFault(.unknownMember, "Apple knows no such member; there are \(names).")
            }
            values.append((name, try value(of: member.form, &reader)))
        }
        for member in members where member.isRequired && !values.contains(where: { $0.name == member.name }) {
            throw JSONFault(.missingMember, "The member is missing.").inside(member: member.name)
        }
        return values
    }

    private static func value(of form: Form, _ reader: inout JSONReader) throws(JSONFault) -> Value {
        switch form {
        case .object(let members): return .object(try object(of: members, &reader))
        case .objects(let members, let most):
            var objects: [Value] = []
            try reader.readArray { (index, reader) throws(JSONFault) in
                guard index < most else { throw JSONFault(.invalidValue, "Apple takes \(most) of them at most.") }
                objects.append(.object(try object(of: members, &reader)))
            }
            return .objects(objects)
        case .identifier:
            guard let identifier = MessageIdentifier(try reader.readString()) else {
                throw JSONFault(.invalidValue, "A UUID is expected: 8-4-4-4-12 hexadecimal digits.")
            }
            return .text(identifier.description)
        case .oneOf(let texts):
            let text = try reader.readString()
            guard texts.contains(text) else {
                throw JSONFault(.invalidValue, "\(texts.joined(separator: " or ")) is expected.")
            }
            return .text(text)
        case .text(let longest):
            let text = try reader.readString()
            // Apple's own library counts Unicode scalars too.
            let length = text.unicodeScalars.count
            guard length > 0 else { throw JSONFault(.invalidValue, "The text is empty.") }
            guard length <= longest else {
                throw JSONFault(.invalidValue, "The text has \(length) characters; Apple takes \(longest) at most.")
            }
            return .text(text)
        }
    }

    private static func write(_ value: Value, into json: inout JSONWriter) {
        switch value {
        case .text(let text): json.string(text)
        case .objects(let objects): json.array { json in for object in objects { write(object, into: &json) } }
        case .object(let members):
            json.object { json in
                for (name, value) in members {
                    json.member(named: name)
                    write(value, into: &json)
                }
            }
        }
    }
}
