@testable import offer_signer

/// An app's `retention` in `catalog.yaml`.
extension ConfigurationChange {
    /// As the reference shows it.
    static let retentionCatalog = """
        apps:
          - bundleId: com.example.reader
            appAppleId: 1234567890
            keys: [{ id: EXAMPLE123, file: SubscriptionKey_EXAMPLE123.p8 }]
            issuerId: 57246542-96fe-1a63-e053-0824d011072a
            subscriptionGroups:
              - id: "20900001"
                products:
                  - { id: pro.monthly, offers: [{ id: stay30 }] }
                  - { id: pro.yearly, offers: [{ id: capped, maximumSignaturesPerCustomer: 1 }, { id: yearly20 }] }
              - { id: "20900002", products: [{ id: news.monthly }] }
            retention:
              messages:
                stay: { default: 11111111-2222-4333-8444-555555555555, de: 21111111-2222-4333-8444-555555555555 }
                plain: { default: 41111111-2222-4333-8444-555555555555 }
              rules:
                - { products: [pro.monthly], offer: stay30, message: stay }
                - { products: [pro.yearly], switchTo: pro.monthly, billingPlanType: MONTHLY, message: plain }
                - { products: [pro.monthly], offer: yearly20, offerProduct: pro.yearly, message: stay }
                - { message: plain }

        """

    private static let rules = "apps[0].retention.rules"

    static let ofRetention: [Self] = [
        .retention("stay: { default: 1", "stay: { de-DE: 1")
            .fault("14: apps[0].retention.messages.stay", "has no default"),
        .retention("stay: { default: 11111111-2222-4333-8444-555555555555", "stay: { default: stay-message")
            .fault("14: apps[0].retention.messages.stay.default", ": is not a message identifier"),
        .retention(", de: 2", ", de_DE: 2").fault("14: apps[0].retention.messages.stay.de_DE", "is not a locale"),
        .retention(", de: 2", ", german: 2").fault("14: apps[0].retention.messages.stay.german", "is not a locale"),
        .retention(", de: 2", ", default: 2").fault("14", "\"default\" is given twice"),
        .retention("stay30, message: stay }", "stay30, message: stya }")
            .fault("17: \(rules)[0].message", "did you mean \"stay\"?"),
        .retention("offer: stay30,", "offer: stay3,").fault("17: \(rules)[0].offer", "did you mean \"stay30\"?"),
        .retention("offer: stay30,", "offer: yearly,")
            .fault("17: \(rules)[0].offer", "is no offer of \"pro.monthly\" in"),
        .retention("[pro.yearly], switchTo", "[pro.yaerly], switchTo")
            .fault("18: \(rules)[1].products[0]", "did you mean \"pro.yearly\"?"),
        .retention("switchTo: pro.monthly", "switchTo: news.monthly")
            .fault("18: \(rules)[1].switchTo", "is in another group than \"pro.yearly\""),
        .retention("switchTo: pro.monthly", "switchTo: pro.yearly")
            .fault("18: \(rules)[1].switchTo", "is one of the products"),
        .retention("switchTo: pro.monthly", "switchTo: pro.weekly")
            .fault("18: \(rules)[1].switchTo", "is no product of this app"),
        .retention("switchTo: pro.monthly, ", "")
            .fault("18: \(rules)[1].billingPlanType", "says how the other product is paid"),
        .retention("billingPlanType: MONTHLY", "billingPlanType: monthly")
            .fault("18: \(rules)[1].billingPlanType", "known here: BILLED_UPFRONT, MONTHLY"),
        .retention("offerProduct: pro.yearly", "offerProduct: news.monthly")
            .fault("19: \(rules)[2].offerProduct", "is in another group"),
        .retention("offer: yearly20, offerProduct", "offerProduct")
            .fault("19: \(rules)[2].offerProduct", "add offer, or remove this"),
        .retention("offer: yearly20,", "offer: yearly20, switchTo: pro.yearly,")
            .fault("19: \(rules)[2].switchTo", "write two rules"),
        .retention("- { message: plain }", "- { products: [] , message: plain }")
            .fault("20: \(rules)[3].products", "is empty"),
        .retention("- { message: plain }", "- { products: [news.monthly] }")
            .fault("20: \(rules)[3].message", "is missing"),
        .retention("    appAppleId: 1234567890\n", "").fault("11: apps[0].retention", "needs appAppleId"),
        .retention("    issuerId: 57246542-96fe-1a63-e053-0824d011072a\n", "")
            .fault("11: apps[0].retention", "needs the issuerId"),
        Self(
            edits: [
                .init("catalog.yaml", ConfigurationFixture.catalog, retentionCatalog),
                .init("offer-signer.yaml", "notifications: { host: 0.0.0.0, port: 8081 }\n", ""),
            ],
            place: "catalog.yaml:12: apps[0].retention",
            says: "needs the listener that Apple calls"
        ),
        .retention("- { message: plain }", "- { products: [pro.yearly, pro.monthly], message: plain }")
            .warning("16: \(rules)", "has no rule that takes everybody"),
        .retention("- { message: plain }", "- { offer: stay30, message: plain }")
            .warning("16: \(rules)", "add a last rule with a message alone"),
        .retention(
            "- { message: plain }",
            "- { products: [pro.yearly, pro.monthly], message: plain }\n        - { message: plain }"
        )
        .fine,
        .retention("- { message: plain }", "- { products: [pro.yearly], message: plain }\n        - { message: plain }")
            .warning("20: \(rules)[3]", "never applies"),
        .retention("- { message: plain }", "- { message: plain }\n        - { message: stay }")
            .warning("21: \(rules)[4]", "never applies"),
        .retention("offer: yearly20,", "offer: capped,")
            .warning("19: \(rules)[2].offer", "has maximumSignaturesPerCustomer"),
    ]
}
