import Offers

private let newsEntry = entry("2", "news.monthly")
private let news = bought("2", "news.monthly")
private let gone = bought("9", "gone")

// Rows read: who the customer is, what the evidence shows, which offer, what comes out.

extension CustomerTable {
    /// Subscriptions whose group neither the catalog nor the evidence tells.
    static let unknownGroups: [Row] = [
        Row("bought in no known group, without an entry", [], [gone], .groupUnknown),
        Row("scope app: the group does not matter", [], [gone], .noPendingRenewalInfo, "whole-app"),
        Row("no end, no subscription", [], [bought("9", "season-pass", until: nil)], .neverSubscribed, "whole-app"),
        Row("beside an entry of another group", [newsEntry], [news, gone], .groupUnknown),
        Row("beside an entry of the group", [entry()], [bought(), gone], .active),
        Row("beside a purchase of the group", [], [gone, bought(until: -200)], .noPendingRenewalInfo),
        Row(
            "a product of old of a subscription whose group is known",
            [newsEntry],
            [news, bought("2", "gone", on: -70, until: -40)],
            .neverSubscribed
        ),
        Row("another purchase tells the group", [], [gone, bought("8", "gone", group: "old")], .neverSubscribed),
        Row(
            "purchases of the product tell two groups",
            [entry("9", "gone")],
            [bought("7", "gone", group: "pro"), bought("8", "gone", group: "news")],
            .groupUnknown
        ),
        Row(
            "purchases of the subscription tell two groups",
            [entry("9", "gone")],
            [bought("9", "old", group: "pro"), bought("9", "older", group: "news")],
            .groupUnknown
        ),
        Row(
            "purchases of the subscription all tell one group",
            [entry("9", "gone")],
            [bought("9", "old", group: "pro"), bought("9", "older", group: "pro")],
            .active
        ),
        Row(
            "runs in the group that Apple names for the offer's product, which is not the catalog's",
            [entry(ended: true, group: "mistyped"), entry("9", "gone", group: "mistyped")],
            [bought(on: -90, until: -60, group: "mistyped"), bought("9", "gone", group: "mistyped")],
            .stateNotInAudience,
            "comeback"
        ),
        Row(
            "runs there without an entry",
            [entry(ended: true)],
            [bought(on: -90, until: -60, group: "mistyped"), bought("9", "gone", group: "mistyped")],
            .stateNotInAudience,
            "comeback"
        ),
        Row(
            "runs there, and it is another group of the catalog, too",
            [entry(ended: true)],
            [bought(on: -90, until: -60, group: "news"), bought("9", "gone", group: "news")],
            .groupUnknown,
            "comeback"
        ),
        Row(
            "runs in the group that Apple names for another group's product",
            [entry(ended: true), newsEntry],
            [
                bought(on: -90, until: -60), bought("2", "news.monthly", group: "other"),
                bought("9", "gone", group: "other"),
            ],
            .lapsed,
            "comeback"
        ),
        Row(
            "ended there",
            [entry(ended: true, group: "mistyped"), entry("9", "gone", ended: true, group: "mistyped")],
            [bought(on: -90, until: -60), bought("9", "gone", on: -60, until: -30, group: "mistyped")],
            .lapsed,
            "comeback"
        ),
        Row(
            "runs in a group of which nothing here is said",
            [entry(ended: true, group: "mistyped"), entry("9", "gone", group: "old")],
            [bought(on: -90, until: -60, group: "mistyped"), bought("9", "gone", group: "old")],
            .lapsed,
            "comeback"
        ),
    ]
}
