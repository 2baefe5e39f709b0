import Testing

@testable import offer_signer

/// What a message repeats of a value, and what it keeps to itself.
@Suite struct EchoTests {
    @Test(arguments: [
        "Zk3Qw7-hT0pR9vX2sLmN8bYcJ5dGf1HuM4aE_IoSxVt", "-----BEGIN PRIVATE KEY-----",
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0w", "see Zk3Qw7hT0pR9vX2sLmN8bYcJ5dGf1HuM4aEIoSxVt here",
    ])
    func whatMayBeASecretIsNotRepeated(_ text: String) {
        for echo in [Echo.quoted(text), Echo.key(text), Echo.path("keys/" + text)] {
            #expect(echo == "the value (not repeated here, it may be a secret)")
        }
    }

    @Test(arguments: [
        "com.example.reader.pro.monthly", "reader_pro_monthly_subscription_with_a_long_name_2026", "EXAMPLE123",
        "57246542-96fe-1a63-e053-0824d011072a", "/tmp/offer-signer-E5F05CF6-C832-4AEF-96B9-D7F215392C08/catalog.yaml",
    ])
    func namesAndPathsAre(_ text: String) {
        #expect(Echo.path(text) == "\"\(text)\"")
        #expect(Echo.quoted(text).hasPrefix("\"" + text.prefix(40)))
    }
}
