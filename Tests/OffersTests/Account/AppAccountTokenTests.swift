import Offers
import Testing

@Suite("Accounts")
struct AppAccountTokenTests {
    @Test("A UUID in either case is the same token")
    func cases() {
        let upper = AppAccountToken("7E3FB20B-4CDB-47CC-936D-99D65F608138")
        #expect(upper == AppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138"))
        #expect(upper?.lowercased == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    }

    @Test(
        "A text that is no UUID is no token",
        arguments: [
            "", "7e3fb20b4cdb47cc936d99d65f608138", "7e3fb20b-4cdb-47cc-936d-99d65f60813",
            "7e3fb20b-4cdb-47cc-936d-99d65f6081388", "{7e3fb20b-4cdb-47cc-936d-99d65f60813}",
            "7e3fb20b-4cdb-47cc-936d-99d65f60813g", "7e3fb20b_4cdb_47cc_936d_99d65f608138",
            "7e3fb20-b4cdb-47cc-936d-99d65f608138", "７e3fb20b-4cdb-47cc-936d-99d65f608",
        ]
    )
    func refused(text: String) {
        #expect(AppAccountToken(text) == nil)
    }

    @Test("A username that is a UUID is stored as the token; another is not")
    func storedToken() {
        let uuid = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        #expect(Account.applicationUsername(uuid).storedToken == AppAccountToken(uuid))
        #expect(Account.applicationUsername(uuid).payloadField == uuid)
        #expect(Account.applicationUsername("alice").storedToken == nil)
        #expect(Account.none.payloadField.isEmpty)
    }

    @Test(
        "The separator is found wherever it stands",
        arguments: [("", false), ("abc", false), ("\u{2063}", true), ("a\u{2063}", true), ("\u{2062}\u{2064}", false)]
    )
    func separator(text: String, found: Bool) {
        #expect(InvisibleSeparator.isFound(in: text) == found)
    }
}
