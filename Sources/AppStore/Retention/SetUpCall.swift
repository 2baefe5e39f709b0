import Offers
import StrictJSON

/// A call of Apple's Retention Messaging API; each of the eleven has a row below.
package struct SetUpCall<Answer: Sendable>: Sendable {
    /// Apple's name of the call: Apple counts each kind by itself.
    let name: String
    let method: OutgoingRequest.Method
    /// The path below `/inApps/v1/messaging`.
    let path: String
    let body: [UInt8]?
    /// How long after a call the next one of its kind may follow in production ("Identifying rate limits").
    let interval: Duration
    let read: @Sendable ([UInt8]) throws(JSONFault) -> Answer

    private init(
        _ name: String,
        _ method: OutgoingRequest.Method,
        _ path: String,
        body: [UInt8]? = nil,
        interval: Duration = .seconds(1),
        read: @escaping @Sendable ([UInt8]) throws(JSONFault) -> Answer
    ) {
        self.name = name
        self.method = method
        self.path = path
        self.body = body
        self.interval = interval
        self.read = read
    }

    /// The interval in an environment: the Sandbox has a tenth of production's rate.
    func interval(in environment: AppStoreEnvironment) -> Duration {
        environment == .production ? interval : interval * 10
    }

    private static func place(_ productId: String, _ locale: String) -> String {
        "/default/\(productId.percentEncoded)/\(locale.percentEncoded)"
    }

    private static func json(_ name: StaticString, _ value: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.member(name, value) }
        return writer.bytes
    }
}

/// The calls that change something: their answers are empty.
extension SetUpCall where Answer == Void {
    private init(
        _ name: String,
        _ method: OutgoingRequest.Method,
        _ path: String,
        body: [UInt8]? = nil,
        interval: Duration = .seconds(1)
    ) {
        self.init(name, method, path, body: body, interval: interval, read: { _ in })
    }

    /// Sets the address that Apple asks: https, at most 256 characters.
    package static func setURL(_ url: String) -> Self {
        Self("Configure Realtime URL", .put, "/realtime/url", body: json("realtimeURL", url))
    }

    /// Apple asks nobody then.
    package static var deleteURL: Self { Self("Delete Realtime URL", .delete, "/realtime/url") }

    /// Apple's messages cannot be changed: another text needs another identifier.
    package static func upload(_ message: MessageUpload, as identifier: MessageIdentifier) -> Self {
        Self("Upload Message", .put, "/message/\(identifier)", body: message.json)
    }

    package static func deleteMessage(_ identifier: MessageIdentifier) -> Self {
        Self("Delete Message", .delete, "/message/\(identifier)")
    }

    package static func setDefault(_ identifier: MessageIdentifier, of productId: String, in locale: String) -> Self {
        Self(
            "Configure Default Message",
            .put,
            place(productId, locale),
            body: json("messageIdentifier", identifier.description),
            interval: .milliseconds(100)
        )
    }

    package static func deleteDefault(of productId: String, in locale: String) -> Self {
        Self("Delete Default Message", .delete, place(productId, locale))
    }
}

extension SetUpCall where Answer == String {
    /// The address that Apple asks.
    package static var url: Self {
        Self("Get Realtime URL", .get, "/realtime/url") { (json) throws(JSONFault) in
            try member("realtimeURL", of: json)
        }
    }

    /// The identifier of the default message of a product in a locale.
    package static func defaultMessage(of productId: String, in locale: String) -> Self {
        Self("Get Default Message", .get, place(productId, locale)) { (json) throws(JSONFault) in
            try member("messageIdentifier", of: json)
        }
    }

    private static func member(_ wanted: String, of json: [UInt8]) throws(JSONFault) -> String {
        try JSONReader.readingApple(json) { (reader) throws(JSONFault) in
            var value: String?
            try reader.readObject { (name, reader) throws(JSONFault) in
                if name == wanted { value = try reader.readString() } else { try reader.skipValue() }
            }
            guard let value else { throw JSONFault(.missingMember, "The member is missing.").inside(member: wanted) }
            return value
        }
    }
}

extension SetUpCall where Answer == [UploadedMessage] {
    /// The messages that were uploaded.
    package static var messages: Self {
        Self("Get Message List", .get, "/message/list") { (json) throws(JSONFault) in
            try JSONReader.readingApple(json) { (reader) throws(JSONFault) in
                var messages: [UploadedMessage] = []
                try reader.readObject { (name, reader) throws(JSONFault) in
                    guard name == "messageIdentifiers" else { return try reader.skipValue() }
                    try reader.readArray { (_, reader) throws(JSONFault) in
                        messages.append(try UploadedMessage(reading: &reader))
                    }
                }
                return messages
            }
        }
    }
}

extension SetUpCall where Answer == StartedPerformanceTest {
    /// Apple asks the address of the Sandbox about a subscription there.
    package static func startTest(originalTransactionId: String) -> Self {
        Self(
            "Initiate Performance Test",
            .post,
            "/performanceTest",
            body: json("originalTransactionId", originalTransactionId)
        ) { (json) throws(JSONFault) in try StartedPerformanceTest(json: json) }
    }
}

extension SetUpCall where Answer == PerformanceTestResult {
    package static func testResult(_ requestId: String) -> Self {
        Self("Get Performance Test Results", .get, "/performanceTest/result/\(requestId.percentEncoded)") {
            (json) throws(JSONFault) in try PerformanceTestResult(json: json)
        }
    }
}
