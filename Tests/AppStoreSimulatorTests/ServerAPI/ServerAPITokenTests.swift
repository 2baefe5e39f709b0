import Crypto
import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("Tokens of the Server API")
struct ServerAPITokenTests {
    private let seconds: Int64 = 1_768_903_200

    private func isTaken(
        _ change: [String: Any] = [:],
        without claim: String = "",
        header: [String: Any] = ["alg": "ES256", "kid": "KEY1", "typ": "JWT"],
        key: P256.Signing.PrivateKey = TestStore.key
    ) throws -> Bool {
        var claims: [String: Any] = [
            "iss": "issuer", "iat": seconds - 10, "exp": seconds + 290, "aud": "appstoreconnect-v1",
            "bid": "com.example.app",
        ]
        claims.merge(change) { $1 }
        claims[claim] = nil
        let token = try TestStore.jws(claims, header: header, key: key)
        let now = Timestamp(millisecondsSince1970: seconds * 1000)
        return ServerAPIToken.app(named: token, among: try TestStore.world().apps, at: now) != nil
    }

    @Test("A right token is taken, for an hour at most")
    func taken() throws {
        #expect(try isTaken())
        #expect(try isTaken(["iat": seconds, "exp": seconds + 3600]))
        #expect(try !isTaken(["iat": seconds, "exp": seconds + 3601]))
        #expect(try isTaken(["exp": seconds + 3600], without: "iat"))
        #expect(try !isTaken(["exp": seconds + 3601], without: "iat"))
    }

    @Test("Everything else is refused")
    func refused() throws {
        for change in [
            ["iss": "other"], ["aud": "promotional-offer"], ["bid": "com.example.other"], ["iat": seconds + 60],
            ["iat": "x"],
            ["exp": seconds], ["exp": seconds - 5], ["exp": "\(seconds + 290)"],
        ] as [[String: Any]] { #expect(try !isTaken(change), "\(change)") }
        for claim in ["iss", "exp", "aud", "bid"] { #expect(try !isTaken(without: claim), "\(claim)") }
        #expect(try !isTaken(header: ["alg": "ES256", "kid": "KEY2"]))
        #expect(try !isTaken(header: ["alg": "ES256"]))
        #expect(try !isTaken(header: ["alg": "HS256", "kid": "KEY1"]))
        #expect(try !isTaken(key: P256.Signing.PrivateKey()))
    }
}
