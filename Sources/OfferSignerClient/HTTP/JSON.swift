import FoundationEssentials

/// JSON as the service speaks it: times in RFC 3339.
enum JSON {
    static func bytes(of value: some Encodable) throws(OfferSignerError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw .invalidArgument("The request cannot be written as JSON: \(error)")
        }
    }

    static func value<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(bytes))
    }
}
