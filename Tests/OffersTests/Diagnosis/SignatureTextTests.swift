import Foundation
import Offers
import Testing

@Suite("The text of a signature, after any mangling")
struct SignatureTextTests {
    private static let raw = [UInt8](repeating: 0xFB, count: 64)
    private static let der: [UInt8] = [0x30, 69, 2, 33, 0] + raw.prefix(32) + [2, 32, 0x7F] + raw.prefix(31)

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
    private static func hexadecimal(_ bytes: [UInt8]) -> String { Hexadecimal.text(bytes) }
    private static func base64(_ text: String) -> String { base64(Array(text.utf8)) }
    private static func urlEncoded(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("+", with: "%2B").replacing("/", with: "%2f")
            .replacing("=", with: "%3D")
    }

    private static let text = base64(der)

    @Test(
        "Encodings are taken off, one in another as well",
        arguments: [
            (text, []),
            (text.replacing("+", with: "-").replacing("/", with: "_"), [.signatureBase64URL]),
            (text.replacing("=", with: ""), [.signatureBase64URL]),
            (hexadecimal(der), [.signatureHex]),
            ("0x" + hexadecimal(der).uppercased(), [.signatureHex]),
            (hexadecimal(Array(text.utf8)), [.signatureHex]),
            (
                "-----BEGIN SIGNATURE-----\n\(text.prefix(64))\n\(text.dropFirst(64))\n-----END SIGNATURE-----\n",
                [.signaturePEM]
            ),
            (urlEncoded(text + "\n"), [.signatureURLEncoded, .signatureWrapped]),
            (base64(text + "\n"), [.signatureDoubleEncoded, .signatureWrapped]),
            (text.replacing("+", with: " "), [.signatureURLEncoded]),
            (urlEncoded(text), [.signatureURLEncoded]),
            (urlEncoded(urlEncoded(text)), [.signatureURLEncoded]),
            (base64(text), [.signatureDoubleEncoded]),
            (base64(base64(text)), [.signatureDoubleEncoded]),
            ("%54" + base64(text).dropFirst(), [.signatureDoubleEncoded, .signatureURLEncoded]),
            (base64(urlEncoded(text)), [.signatureDoubleEncoded, .signatureURLEncoded]),
        ] as [(String, [DiagnosisCode])]
    )
    func encodings(text: String, mistakes: [DiagnosisCode]) throws {
        let read = try #require(SignatureText(text))
        #expect(read.form == .der(Self.der))
        #expect(read.mistakes == mistakes)
        #expect(try #require(SignatureText(Self.base64(Self.raw))).form == .raw(Self.raw))
    }

    @Test(
        "Line breaks, blanks and quotes are taken off, and named",
        arguments: [
            "\(text)\n", "\(text)\r\n", " \(text)", "\(text) ", "\"\(text)\"", "'\(text)'", "\"\(text)\"\n",
            "b'\(text)'", "b\"\(text)\"\n",
            "\(text.prefix(64))\n\(text.dropFirst(64))", "\(text.prefix(64))\r\n\(text.dropFirst(64))\r\n",
            "\(text.prefix(64))\\n\(text.dropFirst(64))\\n",
        ]
    )
    func wrapped(text: String) throws {
        let read = try #require(SignatureText(text))
        #expect(read.form == .der(Self.der))
        #expect(read.mistakes == [.signatureWrapped])
    }

    @Test("A zero byte too many or too few in DER is mended, and named")
    func zeros() throws {
        let (r, s) = (Self.raw.prefix(32), [0x7F] + Self.raw.prefix(31))
        for der in [[0x30, 70, 2, 33, 0] + r + [2, 33, 0] + s, [0x30, 68, 2, 32] + r + [2, 32] + s] {
            let read = try #require(SignatureText(Self.base64(der)))
            #expect(read.form == .der(Self.der))
            #expect(read.mistakes == [.signatureRawNotDER])
        }
    }

    @Test("One of 65,536 raw signatures begins as DER does, and is raw all the same")
    func rawLikeDER() throws {
        let raw: [UInt8] = [0x30, 62] + [UInt8](repeating: 0xFB, count: 62)
        #expect(try #require(SignatureText(Self.base64(raw))).form == .raw(raw))
    }

    @Test("Text that is no signature is refused", arguments: ["", " ", "\"\"", "%", "%%%%", "AAAA", "bm9uc2Vuc2U="])
    func none(text: String) {
        #expect(SignatureText(text) == nil)
    }
}
