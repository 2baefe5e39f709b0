import Foundation
import StrictJSON
import Testing

@testable import AppStore

@Suite("A retention message's file")
struct MessageUploadTests {
    private static let uuid = "7E3FB20B-4CDB-47CC-936D-99D65F608138"

    private func message(_ text: String) throws -> MessageUpload { try MessageUpload(json: Array(text.utf8)) }

    @Test("A message is sent with Apple's names, with identifiers in lowercase and without its own")
    func whole() throws {
        let image = #"{"imageIdentifier":"\#(Self.uuid)","altText":"A book"}"#
        let point = #"{"text":"Offline","imageIdentifier":"\#(Self.uuid)","altText":"A plane"}"#
        let message = try message(
            #"""
            {"header":"Stay","body":"Half the price.","headerPosition":"ABOVE_IMAGE","image":\#(image),
            "bulletPoints":[\#(point)],"messageIdentifier":"\#(Self.uuid)"}
            """#
        )
        #expect(message.identifier?.description == Self.uuid.lowercased())
        #expect(message.hasImage)
        let sent = try #require(try JSONSerialization.jsonObject(with: Data(message.json)) as? [String: Any])
        #expect(Set(sent.keys) == ["header", "body", "headerPosition", "image", "bulletPoints"])
        #expect((sent["image"] as? [String: String])?["imageIdentifier"] == Self.uuid.lowercased())
        let points = try #require(sent["bulletPoints"] as? [[String: String]])
        #expect(points.map { $0["text"] } == ["Offline"])
    }

    @Test("Texts of 66 and 144 characters are taken, of any length in bytes")
    func longest() throws {
        let message = try message(
            #"{"header":"\#(String(repeating: "ü", count: 66))","body":"\#(String(repeating: "語", count: 144))"}"#
        )
        #expect(!message.hasImage)
        #expect(message.identifier == nil)
    }

    @Test(
        "A message that Apple would refuse is refused at its place",
        arguments: [
            (#"{"body":"b"}"#, "/header"), (#"{"header":"h"}"#, "/body"), (#"{"header":"","body":"b"}"#, "/header"),
            (#"{"header":"\#(String(repeating: "h", count: 67))","body":"b"}"#, "/header"),
            (#"{"header":"h","body":"\#(String(repeating: "b", count: 145))"}"#, "/body"),
            (#"{"header":"h","body":"b","colour":1}"#, "/colour"),
            (#"{"header":"h","body":"b","headerPosition":"BELOW"}"#, "/headerPosition"),
            (#"{"header":"h","body":"b","headerPosition":"ABOVE_IMAGE"}"#, "/headerPosition"),
            (#"{"header":"h","body":"b","image":{"altText":"a"}}"#, "/image/imageIdentifier"),
            (#"{"header":"h","body":"b","image":{"imageIdentifier":"1","altText":"a"}}"#, "/image/imageIdentifier"),
            (
                #"{"header":"h","body":"b","bulletPoints":[{"imageIdentifier":"\#(uuid)","altText":"a"}]}"#,
                "/bulletPoints/0/text"
            ),
            (#"{"header":"h","body":"b","messageIdentifier":"stay"}"#, "/messageIdentifier"), ("[]", ""), ("", ""),
            (#"{"header":"h","header":"h","body":"b"}"#, "/header"),
        ]
    )
    func refused(text: String, pointer: String) throws {
        let fault = try #require(throws: JSONFault.self) { try message(text) }
        #expect(fault.pointer == pointer, "\(fault)")
    }

    @Test("Five bullet points are taken, and a sixth is not")
    func bulletPoints() throws {
        let point = #"{"text":"t","imageIdentifier":"\#(Self.uuid)","altText":"a"}"#
        func message(_ count: Int) throws -> MessageUpload {
            let points = Array(repeating: point, count: count).joined(separator: ",")
            return try self.message(#"{"header":"h","body":"b","bulletPoints":[\#(points)]}"#)
        }
        #expect(try message(5).hasImage)
        let fault = try #require(throws: JSONFault.self) { try message(6) }
        #expect(fault.pointer == "/bulletPoints/5")
    }
}
