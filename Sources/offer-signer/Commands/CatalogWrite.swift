import AppStore
import ArgumentParser
import Foundation
import Offers
import StrictJSON

struct CatalogWrite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Prints a catalog.yaml with an app's products and offers, as App Store Connect has them.",
        discussion: """
            App Store Connect knows no audiences and limits: each offer is for lapsed customers, until you change that. \
            Fill in the line of the key that signs; then offer-signer check accepts it.
            """
    )

    @Option(help: ArgumentHelp("The app.", valueName: "id"))
    var bundleId: String

    @OptionGroup var connect: AppStoreConnectOptions

    func validate() throws { try Identifier.check(["--bundle-id": bundleId]) }

    func run() async throws {
        let catalog = try await connect.asking { try await AppStoreConnectOptions.catalog(of: bundleId, from: $0) }
        guard let catalog else {
            throw ValueFault(
                "the key's team has no app \(Echo.name(bundleId, orElse: "of this bundle id")); correct it, or take a key "
                    + "of the team that has the app"
            )
        }
        try Console.write(Data(CatalogText(catalog, on: String(WallClock.now().rfc3339.prefix(10))).text.utf8))
    }
}

/// The text of a `catalog.yaml` for an app of App Store Connect.
struct CatalogText {
    private static let width = 110

    private(set) var text = ""

    /// The day is that of the reading, such as 2026-01-31.
    init(_ catalog: ConnectCatalog, on day: String) {
        comment(
            "#",
            "Written by `offer-signer catalog write` on \(day): what App Store Connect has of this app. It knows no "
                + "audiences, limits and windows, so each offer's rules are a default."
        )
        line("apps:")
        line("  - bundleId: \(Self.scalar(catalog.bundleId))", note: catalog.name)
        let isNumber = catalog.appAppleId.wholeMatch(of: /[0-9]+/) != nil
        line("    appAppleId: \(isNumber ? catalog.appAppleId : Self.scalar(catalog.appAppleId))")
        comment("    #", "Without this line Production alone counts; TestFlight and App Review are Sandbox.")
        line("    # environments: [Production, Sandbox]")
        comment("    #", "The id above the In-App Purchase keys: for transactionId as evidence, and the format jws.")
        line("    # issuerId: 00000000-0000-0000-0000-000000000000")
        comment("    #", "Fill in the In-App Purchase key, which signs: not the key of App Store Connect.")
        line("    keys: [{ id: KEY_ID, file: SubscriptionKey_KEY_ID.p8 }]")
        rules()
        line("    subscriptionGroups:\(catalog.groups.isEmpty ? " []" : "")")
        for group in catalog.groups {
            line("      - id: \(Self.scalar(group.id))", note: group.name)
            line("        products:\(group.products.isEmpty ? " []" : "")")
            for product in group.products { self.product(product, on: day) }
        }
    }

    private mutating func rules() {
        let states = SubscriberState.audience.map(\.rawValue).joined(separator: ", ")
        comment("    #", "An offer's audience has one or more of \(states). It may have more rules, each optional:")
        for key in OfferKey.all where key.name != "audience" {
            comment("    #  ", "\(key.name): \(key.meaning.replacing("`", with: ""))")
        }
    }

    private mutating func product(_ product: ConnectCatalog.Product, on day: String) {
        let sale = product.isForSale ? nil : "not for sale: \(product.state)"
        line(
            "          - id: \(Self.scalar(product.id))",
            note: [product.name, sale].compactMap(\.self).joined(separator: "; ")
        )
        if let level = product.level { line("            level: \(level)") }
        if let period = product.period { line("            period: \(period.iso8601)") }
        let winBackOffers = product.winBackOffers.filter { !$0.hasEnded(on: day) }
        if !winBackOffers.isEmpty { line("            winBackOffers:") }
        for offer in winBackOffers {
            line(
                "              - { id: \(Self.scalar(offer.id)), url: \"\(offer.url)\" }",
                note: offer.endDate.map { "until \($0)" }
            )
        }
        if !product.offers.isEmpty { line("            offers:") }
        for offer in product.offers {
            comment("              #", offer.terms + (offer.isForMonthlyPlan ? ", for the plan MONTHLY alone" : ""))
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
