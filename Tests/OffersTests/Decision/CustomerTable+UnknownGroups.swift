import Offers

private let newsEntry = entry("2", "news.monthly")
private let news = bought("2", "news.monthly")
private let gone = bought("9", "gone")

// Rows read: who the customer is, what comes out, for which offer, when the evidence shows what.

extension CustomerTable {
    /// Subscriptions whose group neither the catalog nor the evidence tells.
    static let unknownGroups: [Row] = [
        Row("bought in no known group, without an entry", .groupUnknown).when([], [gone]),
        Row("scope app: the group does not matter", .noPendingRenewalInfo, "whole-app").when([], [gone]),
        Row("no end, no subscription", .neverSubscribed, "whole-app")
            .when([], [bought("9", "season-pass", until: nil)]),
        Row("beside an entry of another group", .groupUnknown).when([newsEntry], [news, gone]),
        Row("beside an entry of the group", .active).when([entry()], [bought(), gone]),
        Row("beside a purchase of the group", .noPendingRenewalInfo).when([], [gone, bought(until: -200)]),
        Row("a product of old of a subscription whose group is known", .neverSubscribed)
            .when([newsEntry], [news, bought("2", "gone", on: -70, until: -40)]),
        Row("another purchase tells the group", .neverSubscribed).when([], [gone, bought("8", "gone", group: "old")]),
        Row("purchases of the product tell two groups", .groupUnknown)
            .when([entry("9", "gone")], [bought("7", "gone", group: "pro"), bought("8", "gone", group: "news")]),
        Row("purchases of the subscription tell two groups", .groupUnknown)
            .when([entry("9", "gone")], [bought("9", "old", group: "pro"), bought("9", "older", group: "news")]),
        Row("purchases of the subscription all tell one group", .active)
            .when([entry("9", "gone")], [bought("9", "old", group: "pro"), bought("9", "older", group: "pro")]),
        Row("runs in the group that Apple names for the product, not in the catalog's", .stateNotInAudience, "comeback")
            .when(
                [entry(ended: true, group: "mistyped"), entry("9", "gone", group: "mistyped")],
                [bought(on: -90, until: -60, group: "mistyped"), bought("9", "gone", group: "mistyped")]
            ),
        Row("runs there without an entry", .stateNotInAudience, "comeback")
            .when(
                [entry(ended: true)],
                [bought(on: -90, until: -60, group: "mistyped"), bought("9", "gone", group: "mistyped")]
            ),
        Row("runs there, and it is another group of the catalog, too", .groupUnknown, "comeback")
            .when(
                [entry(ended: true)],
                [bought(on: -90, until: -60, group: "news"), bought("9", "gone", group: "news")]
            ),
        Row("runs in the group that Apple names for another group's product", .lapsed, "comeback")
            .when(
                [entry(ended: true), newsEntry],
                [
                    bought(on: -90, until: -60), bought("2", "news.monthly", group: "other"),
                    bought("9", "gone", group: "other"),
                ]
            ),
        Row("ended there", .lapsed, "comeback")
            .when(
                [entry(ended: true, group: "mistyped"), entry("9", "gone", ended: true, group: "mistyped")],
                [bought(on: -90, until: -60), bought("9", "gone", on: -60, until: -30, group: "mistyped")]
            ),
        Row("runs in a group of which nothing here is said", .lapsed, "comeback")
            .when(
                [entry(ended: true, group: "mistyped"), entry("9", "gone", group: "old")],
                [bought(on: -90, until: -60, group: "mistyped"), bought("9", "gone", group: "old")]
            ),
    ]
}
