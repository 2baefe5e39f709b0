@testable import offer_signer

/// The offers of `catalog.yaml`, and their rules.
extension ConfigurationChange {
    private static let product = "apps[0].subscriptionGroups[0].products[0]"
    private static let offer = product + ".offers[0]"

    /// Of an app that does not require an account.
    private static func holdout(_ value: String, _ key: String, _ says: String, as finding: Finding = .fault) -> Self {
        let place = "20: \(offer).holdout\(key)"
        let rules = "maxRedemptions: 1\n                holdout: \(value)"
        return .catalog("maxRedemptions: 1", rules).finds(finding, place, says)
    }

    static let ofOffers: [Self] = [
        .catalog("[lapsed]", "[lapsd]")
            .fault("18: \(offer).audience[0]", "\"lapsd\" is not one of the choices; did you mean \"lapsed\"?"),
        .catalog("[lapsed]", "[refunded]").fault("18: \(offer).audience[0]", "\"refunded\" is not one of the choices"),
        .catalog("[lapsed]", "[]").fault("18: \(offer).audience", "is empty; name at least one"),
        .catalog("maxRedemptions: 1", "maxRedemptions: 0")
            .fault("19: \(offer).maxRedemptions", "is not a whole number from 1"),
        .catalog("maxRedemptions: 1", "maxRedemptions: 1.5").fault("19: \(offer).maxRedemptions", "not a whole number"),
        .catalog("maxRedemptions: 1", "maxRedemptions: 0x1").fault("19: \(offer).maxRedemptions", "not a whole number"),
        .catalog("maxRedemptions: 1", "maxRedemptions: 010").fault("19: \(offer).maxRedemptions", "not a whole number"),
        .catalog("Customer: 5", "Customer: 0")
            .fault("20: \(offer).maximumSignaturesPerCustomer", "is not a whole number from 1"),
        .catalog("Customer: 5", "Customer: 5\n                signaturePeriodDays: 0")
            .fault("21: \(offer).signaturePeriodDays", "is not a whole number from 1"),
        .catalog("startsAt: 2026-01-01T00:00:00Z", "startsAt: 2026-01-01")
            .fault("23: \(product).offers[1].startsAt", "RFC 3339"),
        .catalog("startsAt: 2026-01-01T00:00:00Z", "startsAt: 2026-01-01 00:00:00Z")
            .fault("23: \(product).offers[1].startsAt", "RFC 3339"),
        .catalog("2027-01-01T00:00:00Z", "2027-02-30T00:00:00Z").fault("24: \(product).offers[1].endsAt", "RFC 3339"),
        .catalog("2027-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00")
            .fault("24: \(product).offers[1].endsAt", "not after startsAt (2026-01-01T00:00:00Z)"),
        .catalog("id: stay30", "id: comeback50")
            .fault("21: \(product).offers[1].id", "is also \(offer).id, on line 17"),
        .catalog("id: stay30", "id: \"stay\u{2063}30\"")
            .fault("21: \(product).offers[1].id", "invisible character U+2063"),
        .catalog("id: stay30", "id: \"stay\\x0730\"")
            .fault("21: \(product).offers[1].id", "invisible character U+0007"),
        .catalog("id: stay30", "id: \"stay30 \"")
            .fault("21: \(product).offers[1].id", "begins or ends with white space"),
        .catalog("id: stay30", "id: &anchor stay30").fault("21: \(product).offers[1].id", "YAML anchor"),
        .catalog("id: stay30", "id: !!int 30").fault("21: \(product).offers[1].id", "YAML tag"),
        .catalog("id: stay30\n", "audiense: []\n                id: stay30\n")
            .fault("21: \(product).offers[1].audiense", "did you mean \"audience\"?"),
        .catalog("id: stay30\n                ", "").fault("21: \(product).offers[1].id", "is missing"),
        .catalog("        products:\n", "        products:\n          - { id: com.example.reader.pro.monthly }\n")
            .fault("16: apps[0].subscriptionGroups[0].products[1].id", "is also \(product).id, on line 15"),
        .catalog(
            "      - id: \"20900001\"\n",
            "      - { id: \"2\", products: [{ id: com.example.reader.pro.monthly }] }\n      - id: \"20900001\"\n"
        )
        .fault("16: apps[0].subscriptionGroups[1].products[0].id", "is also \(product).id, on line 13"),
        .catalog("      - id: \"20900001\"\n", "      - { id: 20900001, products: [] }\n      - id: \"20900001\"\n")
            .fault("14: apps[0].subscriptionGroups[1].id", "is also apps[0].subscriptionGroups[0].id, on line 13"),
        .catalog(
            "            offers:\n",
            "            offers:\n" + (1...99).map { "              - { id: offer\($0) }\n" }.joined()
        )
        .fault("16: \(product).offers", "has 101 offers; a product has 100 at most"),
    ]

    /// Adds a line to the offer comeback50, which stands on line 20 then.
    private static func rule(_ line: String, _ place: String, _ fragment: String) -> Self {
        .catalog("maxRedemptions: 1\n", "maxRedemptions: 1\n                \(line)\n")
            .fault("20: \(offer).\(place)", fragment)
    }

    static let ofRules: [Self] = [
        rule("scope: apps", "scope", "did you mean \"app\"?"),
        rule("afterRefund: yes", "afterRefund", "known here: refuse, allow"),
        rule("familyShared: true", "familyShared", "known here: refuse, allow"),
        rule("assigned: yes", "assigned", "known here: refuse, allow"),
        rule("bundled: yes", "bundled", "known here: refuse, allow"),
        rule("duringPriceIncrease: no", "duringPriceIncrease", "known here: refuse, allow"),
        rule("minimumTenureDays: 0", "minimumTenureDays", "from 1 to 36500"),
        rule("lapsedBecause: []", "lapsedBecause", "is empty; name at least one"),
        rule("lapsedBecause: [voluntry]", "lapsedBecause[0]", "did you mean \"voluntary\"?"),
        .catalog(
            "audience: [activeAutoRenewOff, billingRetry]",
            "audience: [activeAutoRenewOff, billingRetry]\n                lapsedBecause: [billing]"
        )
        .warning(
            "23: \(product).offers[1].lapsedBecause",
            "concerns lapsed subscribers, but the audience leaves them out"
        ),
        rule("storefronts: []", "storefronts", "is empty; name at least one"),
        rule("storefronts: [US]", "storefronts[0]", "\"US\" is no storefront; write the three letters"),
        rule("storefronts: [USA, U1A]", "storefronts[1]", "is no storefront"),
        rule("storefronts: USA", "storefronts", "a list is needed, each a storefront"),
        rule("minimumLapsedDays: 0", "minimumLapsedDays", "from 1 to 36500"),
        rule("maximumLapsedDays: -1", "maximumLapsedDays", "from 1 to 36500"),
        rule("minimumLapsedDays: \"3\"", "minimumLapsedDays", "quotation marks"),
        rule("fromProducts: []", "fromProducts", "is empty; name at least one"),
        rule("fromProducts: com.example.reader.pro.monthly", "fromProducts", "a list is needed, each an identifier"),
        rule(
            "fromProducts: [com.example.reader.pro.montly]",
            "fromProducts[0]",
            "did you mean \"com.example.reader.pro.monthly\"?"
        ),
        rule("fromProduct: [a]", "fromProduct", "did you mean \"fromProducts\"?"),
        .catalog("maxRedemptions: 1\n", "minimumLapsedDays: 60\n                maximumLapsedDays: 30\n")
            .fault("20: \(offer).maximumLapsedDays", "less than minimumLapsedDays (60)"),
        .catalog(
            "[activeAutoRenewOff, billingRetry]\n",
            "[activeAutoRenewOff, billingRetry]\n                minimumLapsedDays: 3\n"
        )
        .fault("23: \(product).offers[1].minimumLapsedDays", "but the audience leaves them out"),
        .catalog(
            "[activeAutoRenewOff, billingRetry]\n",
            "[activeAutoRenewOff, billingRetry]\n                afterRefund: allow\n"
        )
        .fault("23: \(product).offers[1].afterRefund", "add lapsed to the audience"),
        .catalog(
            "      - id: \"20900001\"\n",
            "      - { id: \"2\", products: [{ id: news, offers: [{ id: a, fromProducts: [com.example.reader.pro.monthly] }] }] }\n"
                + "      - id: \"20900001\"\n"
        )
        .fault(
            "13: apps[0].subscriptionGroups[0].products[0].offers[0].fromProducts[0]",
            "write scope: app, or name products of group \"2\""
        ),
        .catalog("            offers:\n", "            period: P1X\n            offers:\n")
            .fault("16: \(product).period", "write one such as P1W"),
        .catalog("            offers:\n", "            level: 0\n            offers:\n")
            .fault("16: \(product).level", "is not a whole number from 1"),
        holdout("{ name: spring26 }", ".percent", "is missing; write the percent of customers to hold out"),
        holdout("{ percent: 0 }", ".percent", "is not a whole number from 1"),
        holdout("{ percent: 100 }", ".percent", "is not a whole number from 1"),
        holdout("{ percent: 10.5 }", ".percent", "not a whole number"),
        holdout("{ percent: 10, name: \"\" }", ".name", "empty"),
        holdout("{ percent: 10, share: 10 }", ".share", "is not known"),
        holdout("{ percent: 10, name: spring26 }", "", "write requireAccount: true on the app", as: .warning),
        .catalog(
            "audience: [lapsed]",
            "audience: [lapsd]\n                minimumLapsedDays: 3\n                afterRefund: allow"
        )
        .fault("18: \(offer).audience[0]", "\"lapsd\" is not one of the choices; did you mean \"lapsed\"?"),
    ]
}
