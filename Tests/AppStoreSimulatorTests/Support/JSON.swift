import Foundation

/// JSON as the tests look at it.
enum JSON {
    static func object(_ bytes: some Sequence<UInt8>) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
    }

    static func text(_ object: Any) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    /// A part of a compact JWS, not verified.
    static func part(_ index: Int, of jws: String) throws -> [String: Any] {
        var text = String(jws.split(separator: ".")[index])
        text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return try object(Data(base64Encoded: text) ?? Data())
    }
}
