import Offers
import Testing

@Suite("Prices")
struct PriceTests {
    @Test(
        "Decimal text is kept to the digit",
        arguments: ["0", "0.00", "9.99", "9.90", "1200", "0.0001", "999999999999.9999", "007"]
    )
    func exact(text: String) throws {
        let expected = text == "007" ? "7" : text
        #expect(try #require(Price(text)).text == expected)
    }

    @Test("Zeros that no currency has are let go, and nothing else is")
    func manyDecimals() {
        #expect(Price("9.990000000")?.text == "9.9900")
        #expect(Price("9.990000000000000512") == nil)
    }

    @Test(
        "A price that is no plain decimal number is refused",
        arguments: [
            "", ".", "9.", ".99", "-1", "+1", "1e3", "9,99", "1 000", "0x10", "NaN", "9.9.9", "1000000000000", "٣",
        ]
    )
    func refused(text: String) {
        #expect(Price(text) == nil)
    }

    @Test("Amounts are equal however they are written")
    func equality() {
        #expect(Price("9.9") == Price("9.90"))
        #expect(Price("9.9") != Price("9.99"))
    }

    @Test(
        "A page gets as many decimals as the currency has",
        arguments: [
            ("9.9", "EUR", "9", "90"), ("1200", "JPY", "1200", ""), ("3", "KWD", "3", "000"), ("0", "USD", "0", "00"),
            ("9.999", "USD", "9", "999"),
        ]
    )
    func parts(text: String, code: String, whole: String, fraction: String) throws {
        let parts = try #require(Price(text)).parts(in: try #require(CurrencyCode(code)))
        #expect(parts == (whole, fraction))
    }

    @Test("Currencies are those of ISO 4217, in capitals", arguments: ["eur", "EURO", "XXX", "XAU", "", "ABC"])
    func currencies(code: String) {
        #expect(CurrencyCode(code) == nil)
    }

    @Test(
        "Countries are those of ISO 3166-1, by either code",
        arguments: [
            ("DE", "DE"), ("DEU", "DE"), ("GB", "GB"), ("GBR", "GB"), ("CHN", "CN"), ("XKS", "XK"), ("CHE", "CH"),
            ("AUT", "AT"), ("UK", nil), ("de", nil), ("EU", nil), ("", nil),
        ] as [(String, String?)]
    )
    func countries(code: String, alpha2: String?) {
        #expect(CountryCode(code)?.alpha2 == alpha2)
    }
}
