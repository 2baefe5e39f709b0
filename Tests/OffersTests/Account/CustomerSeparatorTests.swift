import Offers
import Testing

@Suite("The customer in an applicationUsername")
struct CustomerSeparatorTests {
    /// A name, its separator and its customer.
    struct Case: Sendable {
        let separator: String
        let name: String
        let customer: String

        init(_ separator: String, _ name: String, _ customer: String) {
            (self.separator, self.name, self.customer) = (separator, name, customer)
        }
    }

    @Test(
        "The customer is the part before the first separator, compared by bytes; without such a part the whole name",
        arguments: [
            Case("-", "4711-order-8", "4711"), Case("-", "4711-", "4711"), Case("-", "4711", "4711"),
            Case("-", "", ""), Case("-", "-", "-"), Case("-", "-4711", "-4711"), Case("-", "-4711-8", "-4711-8"),
            Case("-order-", "4711-8-order-9", "4711-8"), Case("-order-", "4711-order", "4711-order"),
            Case("::", "a:b::c::d", "a:b"), Case("aab", "caaab", "ca"), Case("0123456789abcdef", "0", "0"),
            // For a reader these are one character, with or without the mark.
            Case("-", "alice-\u{301}x", "alice"), Case("\u{e9}", "caf\u{e9}1", "caf"),
            Case("\u{e9}", "cafe\u{301}1", "cafe\u{301}1"),
            Case("\n", "4711\r\n8", "4711\r"), Case("👩", "4711👩‍👧8", "4711"),
            Case("-", "7E3FB20B-4CDB-47CC-936D-99D65F608138", "7e3fb20b-4cdb-47cc-936d-99d65f608138"),
            Case("-", "7E3FB20B-4CDB-47CC-936D-99D65F608138-8", "7e3fb20b-4cdb-47cc-936d-99d65f608138"),
            Case("4", "7e3fb20b-4cdb-47cc-936d-99d65f60813848", "7e3fb20b-4cdb-47cc-936d-99d65f608138"),
            Case(":", "7E3FB20B-4CDB-47CC-936D-99D65F608138:8", "7e3fb20b-4cdb-47cc-936d-99d65f608138"),
            Case("-", "7E3FB20B-4CDB-47CC-936D-99D65F608138:8", "7E3FB20B"),
            Case(":", "order:7E3FB20B-4CDB-47CC-936D-99D65F608138", "order"),
        ]
    )
    func customer(of sample: Case) throws {
        let separator = try #require(CustomerSeparator(sample.separator))
        let customer = try #require(Account.applicationUsername(sample.name).customer(by: separator))
        #expect(Array(customer.utf8) == Array(sample.customer.utf8))
    }

    @Test("A token is its own customer, whatever the separator; no account is nobody")
    func others() throws {
        let token = try #require(AppAccountToken("7E3FB20B-4CDB-47CC-936D-99D65F608138"))
        let separator = CustomerSeparator("-")
        #expect(Account.appAccountToken(token).customer(by: separator) == token.lowercased)
        #expect(Account.none.customer(by: separator) == nil)
    }

    @Test(
        "A separator that a UUID may have is known",
        arguments: [
            ("-", true), ("4", true), ("F", true), ("-4", true), ("12345678-", true), ("-1234-1234-", true),
            ("123456789012", true), ("--", false), ("-123-", false), ("1234567890123", false), (":", false),
            ("g", false),
            ("-order-", false), ("é", false),
        ]
    )
    func cuts(separator: String, cuts: Bool) {
        #expect(CustomerSeparator(separator)?.cutsUUIDs == cuts)
    }

    @Test("A separator has 1 to 16 bytes, and is another where its bytes are")
    func bounds() {
        #expect(CustomerSeparator("") == nil)
        #expect(CustomerSeparator("-") != nil)
        #expect(CustomerSeparator("0123456789abcdef") != nil)
        #expect(CustomerSeparator("0123456789abcdeé") == nil)
        #expect(CustomerSeparator("\u{e9}") != CustomerSeparator("e\u{301}"))
    }
}
