import Offers
import StrictJSON

/// The text of a `catalog.yaml` for an app whose key is to be filled in.
struct CatalogText {
    private static let width = 110

    private(set) var text = ""

    /// The day is that of the reading, such as 2026-01-31.
    init(_ catalog: CatalogDraft, on day: String) {
        comment(
            "#",
            "Written by `offer-signer catalog write` on \(day): what \(catalog.source) has of this app. It knows no "
                + "audiences, limits and windows, so each offer's rules are a default."
        )
        for note in catalog.notes { comment("#", note) }
        line("apps:")
        line("  - bundleId: \(Self.scalar(catalog.bundleId))", note: catalog.name)
        if let id = catalog.appAppleId {
            line("    appAppleId: \(id.wholeMatch(of: /[0-9]+/) != nil ? id : Self.scalar(id))")
        } else {
            comment("    #", "The app's Apple ID, under App Information in App Store Connect:")
            line("    # appAppleId: 1234567890")
        }
        comment("    #", "Without this line Production alone counts; TestFlight and App Review are Sandbox.")
        line("    # environments: [Production, Sandbox]")
        comment("    #", "The id above the In-App Purchase keys: for transactionId as evidence, and the format jws.")
        line("    # issuerId: 00000000-0000-0000-0000-000000000000")
        comment("    #", "Fill in the In-App Purchase key, which signs: not the key of App Store Connect.")
        line("    keys: [{ id: KEY_ID, file: SubscriptionKey_KEY_ID.p8 }]")
        rules()
        line("    subscriptionGroups:\(catalog.groups.isEmpty ? " []" : "")")
        for group in catalog.groups {
            if group.id == CatalogDraft.unknownGroup {
                comment(
                    "      #",
                    "Fill in the group's id as App Store Connect has it, or write all this again with --group-id "
                        + "\"\(group.name ?? "")=ID\": Xcode's file was never synchronised, and its id means nothing there."
                )
            }
            line("      - id: \(Self.scalar(group.id))", note: group.name)
            line("        products:\(group.products.isEmpty ? " []" : "")")
            for product in group.products { self.product(product) }
        }
    }

    private mutating func rules() {
        let states = SubscriberState.audience.map(\.rawValue).joined(separator: ", ")
        comment("    #", "An offer's audience has one or more of \(states). It may have more rules, each optional:")
        for key in OfferKey.all where key.name != "audience" {
            comment("    #  ", "\(key.name): \(key.meaning.replacing("`", with: ""))")
        }
    }

    private mutating func product(_ product: CatalogDraft.Product) {
        line("          - id: \(Self.scalar(product.id))", note: product.note)
        if let level = product.level { line("            level: \(level)") }
        if let period = product.period { line("            period: \(period.iso8601)") }
        if !product.winBackOffers.isEmpty { line("            winBackOffers:") }
        for offer in product.winBackOffers {
            let url = offer.url.map { ", url: \"\($0)\"" } ?? ""
            line("              - { id: \(Self.scalar(offer.id))\(url) }", note: offer.note)
        }
        if !product.offers.isEmpty { line("            offers:") }
        for offer in product.offers {
            comment("              #", offer.note ?? "")
            line("              - id: \(Self.scalar(offer.id))")
            line("                audience: [lapsed]", note: "a default: say yourself who may have it")
        }
    }

    private mutating func line(_ line: String, note: String? = nil) {
        text += line + (note.map { $0.isEmpty ? "" : "   # \(Echo.visible($0))" } ?? "") + "\n"
    }

    /// A comment, in as many lines as it needs.
    private mutating func comment(_ start: String, _ words: String) {
        var line = start
        for word in Echo.visible(words).split(separator: " ") {
            if line.count + word.count >= Self.width {
                text += line + "\n"
                line = start
            }
            line += " " + word
        }
        text += line + "\n"
    }

    /// An identifier, in quotes where YAML could take it for something else, as it could `true`; a JSON string is YAML,
    /// too, with its invisible characters escaped: YAML has line breaks among them that JSON does not have.
    static func scalar(_ id: String) -> String {
        if id.utf8.count > 5, id.wholeMatch(of: /[A-Za-z][A-Za-z0-9._-]*/) != nil { return id }
        var writer = JSONWriter()
        writer.string(id)
        return String(decoding: writer.bytes, as: UTF8.self).unicodeScalars.reduce(into: "") { text, scalar in
            guard Echo.isInvisible(scalar) else { return text.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            text +=
                (digits.count > 4 ? "\\U" : "\\u")
                + String(repeating: "0", count: (digits.count > 4 ? 8 : 4) - digits.count)
                + digits
        }
    }
}
