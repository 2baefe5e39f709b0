import Offers
package import StrictJSON

/// The identifier of a message or an image: a UUID that its owner makes up, in lowercase.
package struct MessageIdentifier: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Reads an identifier; anything but a UUID gives `nil`.
    package init?(_ text: String) {
        guard let uuid = AppAccountToken(text) else { return nil }
        description = uuid.lowercased
    }
}

/// A message that was uploaded, with Apple's verdict on it (`GetMessageListResponseItem`).
package struct UploadedMessage: Equatable, Sendable {
    /// The identifier as Apple writes it.
    package let identifier: String
    package let state: String

    init(reading reader: inout JSONReader) throws(JSONFault) {
        var identifier: String?
        var state: String?
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "messageIdentifier": identifier = try reader.readAppleText()
            case "messageState": state = try reader.readAppleText()
            default: try reader.skipValue()
            }
        }
        guard let identifier, let state else {
            throw JSONFault(.missingMember, "A message has messageIdentifier and messageState.")
        }
        self.identifier = identifier
        self.state = state
    }
}

/// A message as Apple takes it (`UploadMessageRequestBody`), within Apple's limits.
package struct MessageUpload: Equatable, Sendable {
    private struct Image: Equatable {
        let identifier: MessageIdentifier
        let alternativeText: String
    }

    private struct BulletPoint: Equatable {
        let text: String
        let image: Image
    }

    private static let longestHeader = 66
    private static let longestBody = 144
    private static let longestAlternativeText = 150
    private static let longestBulletPoint = 66
    private static let mostBulletPoints = 5
    private static let headerPositions = ["ABOVE_BODY", "ABOVE_IMAGE"]

    /// `messageIdentifier`, which is none of Apple's body: the identifier to upload it under, where the text names one.
    package let identifier: MessageIdentifier?
    /// Whether it has an image or bullet points: it cannot go with an offer, or a switch of products, then.
    package var hasImage: Bool { image != nil || !bulletPoints.isEmpty }

    private let header: String
    private let body: String
    private let image: Image?
    private let headerPosition: String?
    private let bulletPoints: [BulletPoint]

    package init(json: [UInt8]) throws(JSONFault) {
        var reader = JSONReader(json)
        var header: String?
        var body: String?
        var image: Image?
        var headerPosition: String?
        var bulletPoints: [BulletPoint] = []
        var identifier: MessageIdentifier?
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "header": header = try Self.text(&reader, atMost: Self.longestHeader)
            case "body": body = try Self.text(&reader, atMost: Self.longestBody)
            case "image": image = try Self.bulletPoint(&reader, hasText: false).image
            case "headerPosition":
                let text = try reader.readString()
                guard Self.headerPositions.contains(text) else {
                    throw JSONFault(.invalidValue, "ABOVE_BODY or ABOVE_IMAGE is expected.")
                }
                headerPosition = text
            case "bulletPoints":
                try reader.readArray { (index, reader) throws(JSONFault) in
                    guard index < Self.mostBulletPoints else {
                        throw JSONFault(.invalidValue, "Apple takes \(Self.mostBulletPoints) bullet points at most.")
                    }
                    bulletPoints.append(try Self.bulletPoint(&reader, hasText: true))
                }
            case "messageIdentifier": identifier = try Self.identifier(&reader)
            default: throw Self.unknown("header, body, image, headerPosition, bulletPoints and messageIdentifier")
            }
        }
        try reader.readEnd()
        if headerPosition == "ABOVE_IMAGE", image == nil {
            throw JSONFault(.invalidValue, "ABOVE_IMAGE needs an image.").inside(member: "headerPosition")
        }
        self.header = try Self.required(header, "header")
        self.body = try Self.required(body, "body")
        self.image = image
        self.headerPosition = headerPosition
        self.bulletPoints = bulletPoints
        self.identifier = identifier
    }

    var json: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.object { json in
            json.member("header", header)
            json.member("body", body)
            if let image {
                json.member("image")
                json.object { Self.write(image, into: &$0) }
            }
            if let headerPosition { json.member("headerPosition", headerPosition) }
            guard !bulletPoints.isEmpty else { return }
            json.member("bulletPoints")
            json.array { list in
                for point in bulletPoints {
                    list.object { json in
                        json.member("text", point.text)
                        Self.write(point.image, into: &json)
                    }
                }
            }
        }
        return writer.bytes
    }

    private static func write(_ image: Image, into json: inout JSONWriter) {
        json.member("imageIdentifier", image.identifier.description)
        json.member("altText", image.alternativeText)
    }

    /// Reads an image, with the text of a bullet point if it is one.
    private static func bulletPoint(_ reader: inout JSONReader, hasText: Bool) throws(JSONFault) -> BulletPoint {
        var text: String?
        var identifier: MessageIdentifier?
        var alternativeText: String?
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "text" where hasText: text = try Self.text(&reader, atMost: longestBulletPoint)
            case "imageIdentifier": identifier = try Self.identifier(&reader)
            case "altText": alternativeText = try Self.text(&reader, atMost: longestAlternativeText)
            default: throw unknown(hasText ? "text, imageIdentifier and altText" : "imageIdentifier and altText")
            }
        }
        let image = Image(
            identifier: try required(identifier, "imageIdentifier"),
            alternativeText: try required(alternativeText, "altText")
        )
        return BulletPoint(text: hasText ? try required(text, "text") : "", image: image)
    }

    private static func text(_ reader: inout JSONReader, atMost longest: Int) throws(JSONFault) -> String {
        let text = try reader.readString()
        // Apple's own library counts Unicode scalars too.
        let length = text.unicodeScalars.count
        guard length > 0 else { throw JSONFault(.invalidValue, "The text is empty.") }
        guard length <= longest else {
            throw JSONFault(.invalidValue, "The text has \(length) characters; Apple takes \(longest) at most.")
        }
        return text
    }

    private static func identifier(_ reader: inout JSONReader) throws(JSONFault) -> MessageIdentifier {
        guard let identifier = MessageIdentifier(try reader.readString()) else {
            throw JSONFault(.invalidValue, "A UUID is expected: 8-4-4-4-12 hexadecimal digits.")
        }
        return identifier
    }

    private static func unknown(_ known: String) -> JSONFault {
        JSONFault(.unknownMember, "Apple knows no such member; there are \(known).")
    }

    private static func required<Value>(_ value: Value?, _ name: String) throws(JSONFault) -> Value {
        guard let value else { throw JSONFault(.missingMember, "The member is missing.").inside(member: name) }
        return value
    }
}

extension JSONReader {
    /// Reads one member of an object that has to be there.
    mutating func readMember<Value>(
        _ wanted: String,
        _ read: (inout JSONReader) throws(JSONFault) -> Value
    ) throws(JSONFault) -> Value {
        var value: Value?
        try readObject { (name, reader) throws(JSONFault) in
            if name == wanted { value = try read(&reader) } else { try reader.skipValue() }
        }
        guard let value else { throw JSONFault(.missingMember, "The member is missing.").inside(member: wanted) }
        return value
    }
}
