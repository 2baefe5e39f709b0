import Offers

private let newsEntry = entry("2", "news.monthly")
private let news = bought("2", "news.monthly")
private let gone = bought("9", "gone")

// Rows read: who the customer is, what the evidence shows, which offer, what comes out.

extension CustomerTable {
    /// Subscriptions whose group neither the catalog nor the evidence tells.
    static let unknownGroups: [Row] = [
        Row("bought in no known group, without an entry", history([], [gone]), "anyone", .groupUnknown),
        Row("scope app: the group does not matter", history([], [gone]), "whole-app", .noPendingRenewalInfo),
        Row(
            "what does not expire is no subscription",
            history([], [bought("9", "season-pass", until: nil)]),
            "whole-app",
            .neverSubscribed
        ),
        Row("beside an entry of another group", history([newsEntry], [news, gone]), "anyone", .groupUnknown),
        Row("beside an entry of the group", history([entry()], [bought(), gone]), "anyone", .active),
        Row(
            "beside a purchase of the group",
            history([], [gone, bought(until: -200)]),
            "anyone",
            .noPendingRenewalInfo
        ),
        Row(
            "a product of old of a subscription whose group is known",
            history([newsEntry], [news, bought("2", "gone", on: -70, until: -40)]),
            "anyone",
            .neverSubscribed
        ),
        Row(
            "another purchase of the product tells its group",
            history([], [gone, bought("8", "gone", group: "old")]),
            "anyone",
            .neverSubscribed
        ),
        Row(
            "purchases of the product tell two groups",
            history([entry("9", "gone")], [bought("7", "gone", group: "pro"), bought("8", "gone", group: "news")]),
            "anyone",
            .groupUnknown
        ),
        Row(
            "purchases of the subscription tell two groups",
            history([entry("9", "gone")], [bought("9", "old", group: "pro"), bought("9", "older", group: "news")]),
            "anyone",
            .groupUnknown
        ),
        Row(
            "purchases of the subscription all tell one group",
            history([entry("9", "gone")], [bought("9", "old", group: "pro"), bought("9", "older", group: "pro")]),
            "anyone",
            .active
        ),
    ]
}
