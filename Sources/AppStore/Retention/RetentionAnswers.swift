import StrictJSON

/// A message that was uploaded, with Apple's verdict on it (`GetMessageListResponseItem`).
package struct UploadedMessage: Sendable {
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

/// A test of the endpoint that Apple has begun (`PerformanceTestResponse`).
package struct StartedPerformanceTest: Sendable {
    /// The identifier with which to ask for the result.
    package let requestId: String
    /// How many calls Apple makes; `nil` where it does not say.
    package let totalRequests: Int64?
    /// How long they take; `nil` where Apple does not say.
    package let totalDuration: Duration?
    package let json: [UInt8]

    init(json: [UInt8]) throws(JSONFault) {
        var requestId: String?
        var totalRequests: Int64?
        var milliseconds: Int64?
        try JSONReader.readingApple(json) { (reader) throws(JSONFault) in
            try reader.readObject { (name, reader) throws(JSONFault) in
                switch name {
                case "requestId": requestId = try reader.readAppleText()
                case "config":
                    try reader.readObject { (name, reader) throws(JSONFault) in
                        switch name {
                        case "totalRequests": totalRequests = try reader.readAppleInteger()
                        case "totalDuration": milliseconds = try reader.readAppleInteger()
                        default: try reader.skipValue()
                        }
                    }
                default: try reader.skipValue()
                }
            }
        }
        guard let requestId else {
            throw JSONFault(.missingMember, "A test has an identifier.").inside(member: "requestId")
        }
        self.requestId = requestId
        self.totalRequests = totalRequests
        totalDuration = milliseconds.map { .milliseconds(max($0, 0)) }
        self.json = json
    }
}

/// The result of a test of the endpoint, as far as it is known (`PerformanceTestResultResponse`).
package struct PerformanceTestResult: Sendable {
    package enum Verdict: String, Sendable {
        case pending = "PENDING"
        case pass = "PASS"
        case fail = "FAIL"
    }

    package let verdict: Verdict
    /// How many calls have no answer yet; `nil` where Apple does not say.
    package let pending: Int64?
    package let json: [UInt8]

    init(json: [UInt8]) throws(JSONFault) {
        var result: String?
        var pending: Int64?
        try JSONReader.readingApple(json) { (reader) throws(JSONFault) in
            try reader.readObject { (name, reader) throws(JSONFault) in
                switch name {
                case "result": result = try reader.readAppleText()
                case "numPending": pending = try reader.readAppleInteger()
                default: try reader.skipValue()
                }
            }
        }
        guard let verdict = result.flatMap(Verdict.init) else {
            throw JSONFault(.invalidValue, "PENDING, PASS or FAIL is expected.").inside(member: "result")
        }
        self.verdict = verdict
        self.pending = pending
        self.json = json
    }
}
