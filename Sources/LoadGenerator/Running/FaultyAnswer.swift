import NIOCore
import StrictJSON

/// Why an answer is not what was asked for.
enum FaultyAnswer {
    /// Finds the failure that an answer counts as.
    ///
    /// - Parameter answer: An answer that lacks signatures.
    /// - Returns: The failure.
    static func failure(of answer: AnswerReader.Answer) -> LoadFailure {
        let body = Array(answer.body.readableBytesView)
        guard answer.status == 200 else {
            return .status(answer.status, code: (try? member("code", of: body)) ?? "")
        }
        guard let decisions = try? SignedAnswer(json: body).decisions else { return .malformed("no decisions") }
        return .notSigned(reason: decisions.first { $0.discount == nil }?.reason ?? "too few decisions")
    }

    private static func member(_ wanted: String, of body: [UInt8]) throws(JSONFault) -> String? {
        var reader = JSONReader(body)
        var value: String?
        try reader.readObject { (name, reader) throws(JSONFault) in
            if name == wanted { value = try reader.readString() } else { try reader.skipValue() }
        }
        return value
    }
}
