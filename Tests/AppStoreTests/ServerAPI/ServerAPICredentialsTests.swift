import Crypto
import Foundation
import Offers
import Testing

@testable import AppStore

@Suite("Tokens for the App Store Server API")
struct ServerAPICredentialsTests {
    private let signer = KeySigner()
    private let now = Timestamp(millisecondsSince1970: 1_795_262_400_999)

    private var credentials: ServerAPICredentials {
        ServerAPICredentials(bundleId: "com.example.reader", issuerId: "issuer", signer: signer)
    }

    private func object(_ part: Substring) throws -> [String: any Sendable] {
        let bytes = try #require(Base64URL.decode(part.utf8))
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: any Sendable])
    }

    @Test("A token has the claims that Apple asks for, and its signature is r and s")
    func token() async throws {
        let parts = try await credentials.bearerToken(at: now).split(separator: ".")
        try #require(parts.count == 3)
        let header = try object(parts[0])
        #expect(header["alg"] as? String == "ES256")
        #expect(header["kid"] as? String == "EXAMPLE123")
        #expect(header["typ"] as? String == "JWT")
        let claims = try object(parts[1])
        #expect(claims.count == 5)
        #expect(claims["iss"] as? String == "issuer")
        #expect(claims["aud"] as? String == "appstoreconnect-v1")
        #expect(claims["bid"] as? String == "com.example.reader")
        #expect(claims["iat"] as? Int == 1_795_262_390)
        #expect(claims["exp"] as? Int == 1_795_262_690)
        let raw = try #require(Base64URL.decode(parts[2].utf8))
        #expect(raw.count == 64)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
        #expect(signer.key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test("One token serves for almost four minutes, and never to its end")
    func reuse() async throws {
        let credentials = credentials
        let first = try await credentials.bearerToken(at: now)
        #expect(try await credentials.bearerToken(at: now.adding(seconds: 229)) == first)
        let second = try await credentials.bearerToken(at: now.adding(seconds: 230))
        #expect(second != first)
        #expect(try await credentials.bearerToken(at: now.adding(seconds: 400)) == second)
    }

    @Test("A clock that was set back gets a token of its own time, and small steps back make none")
    func clockSetBack() async throws {
        let credentials = credentials
        let first = try await credentials.bearerToken(at: now)
        #expect(try await credentials.bearerToken(at: now.adding(seconds: -10)) == first, "it is dated back as far")
        let back = now.adding(seconds: -3600)
        let second = try await credentials.bearerToken(at: back)
        let claims = try object(second.split(separator: ".")[1])
        #expect(claims["iat"] as? Int == 1_795_258_790)
        #expect(try await credentials.bearerToken(at: back.adding(seconds: 229)) == second)
    }
}
