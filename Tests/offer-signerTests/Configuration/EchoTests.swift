import Testing

@testable import offer_signer

/// What a message repeats of a value, and what it keeps to itself.
@Suite struct EchoTests {
    @Test(arguments: [
        "Zk3Qw7-hT0pR9vX2sLmN8bYcJ5dGf1HuM4aE_IoSxVt", "-----BEGIN PRIVATE KEY-----",
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0w", "see Zk3Qw7hT0pR9vX2sLmN8bYcJ5dGf1HuM4aEIoSxVt here",
    ])
    func possibleSecretsAreNotRepeated(_ text: String) {
        for echo in [Echo.quoted(text), Echo.key(text), Echo.path("keys/" + text)] {
            let isKey = text.hasPrefix("MIG") || text.hasPrefix("-----")
            let fix = "looks like a private key itself: put it into a file of mode 600, and name the file"
            #expect(echo == "the value (not repeated here, it \(isKey ? fix : "may be a secret"))")
        }
    }

    @Test("A line of a key is not repeated, however many slashes make it look like a path", arguments: 0...4)
    func linesWithSlashes(slashes: Int) {
        var generator = SplitMix(state: UInt64(slashes))
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+")
        for length in [44, 56, 64, 64, 64] {
            for _ in 0..<500 {
                var line = (0..<length).compactMap { _ in alphabet.randomElement(using: &generator) }
                for place in (0..<length).shuffled(using: &generator).prefix(slashes) { line[place] = "/" }
                let text = String(line)
                for echo in [Echo.quoted(text), Echo.path(text), Echo.file("./" + text)] {
                    #expect(echo == "the value (not repeated here, it may be a secret)")
                }
            }
        }
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
    }

    @Test(arguments: [
        "/home/Anna2/Projects/OfferSigner/config/Production/2026/catalog.yaml",
        "/Users/Anna/Library/Developer/Xcode/DerivedData/OfferSigner/Build/Products/Release",
        "/srv/Apps/Reader2/releases/20261124T021500Z/OfferSigner/keys/SubscriptionKey",
        "com.example.reader.pro.monthly", "reader_pro_monthly_subscription_with_a_long_name_2026", "EXAMPLE123",
        "keys/SubscriptionKey_ABCDEFGHJK_production_backup.p8", "SubscriptionKey_2X9R4HXF3Q_production_backup_2026.p8",
        "/srv/keys/AuthKey_9K3J7Q2W8Z-OfferSigner-Reader2-Staging-copy-of-2026-01-02T03.p8",
        "57246542-96fe-1a63-e053-0824d011072a", "/tmp/offer-signer-E5F05CF6-C832-4AEF-96B9-D7F215392C08/catalog.yaml",
    ])
    func namesAndPathsAre(_ text: String) {
        #expect(Echo.path(text) == "\"\(text)\"")
        #expect(Echo.quoted(text).hasPrefix("\"" + text.prefix(40)))
    }
}
