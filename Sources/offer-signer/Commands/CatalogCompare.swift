import AppStore
import ArgumentParser
import Foundation
import Offers

struct CatalogCompare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Says what differs between the catalog and App Store Connect, worst first.",
        discussion: """
            Exit status 1 where an offer of the catalog cannot be bought. Of the configuration it reads the main file and \
            the catalog alone, and none of the keys: run it where the service does not run.
            """
    )

    @Option(help: ArgumentHelp("Only this app.", valueName: "id"))
    var bundleId: String?

    @Flag(help: "Also look at the territories: one request more for each offer, and two for each product.")
    var prices = false

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var connect: AppStoreConnectOptions

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard connect.key != nil else { throw ValidationError("Missing expected argument '--key <file>'") }
        if let bundleId { try Identifier.check(["--bundle-id": bundleId]) }
    }

    func run() async throws {
        let all = try options.loadApps()
        let apps = all.filter { bundleId?.hasSameBytes(as: $0.app.bundleId) ?? true }
        guard !apps.isEmpty else { throw ValueFault(Echo.unknownApp(bundleId ?? "", in: all)) }
        let differences = try await connect.asking { connect in
            var differences: [CatalogDifference] = []
            for app in apps { differences += try await self.differences(of: app, from: connect) }
            return differences.worstFirst
        }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try Console.result(String(decoding: encoder.encode(differences), as: UTF8.self))
        } else {
            for difference in differences { try Console.result(Self.line(difference)) }
            let count = differences.isEmpty ? "nothing differs" : differences.count.of("difference")
            Console.message("\(apps.count.of("app")) of the catalog compared with App Store Connect: \(count)")
        }
        if differences.contains(where: { $0.severity == .error }) { throw ExitCode.failure }
    }

    private func differences(of app: AppSettings, from connect: AppStoreConnect) async throws -> [CatalogDifference] {
        var theirs = try await AppStoreConnectOptions.catalog(of: app.app.bundleId, from: connect)
        if var catalog = theirs {
            try await connect.addDetails(to: &catalog, of: app.app, withPrices: prices) {
                Console.progress("reading \(app.app.bundleId): prices of \($0)")
            }
            if let words = catalog.leftOutInWords {
                Console.message("\(app.app.bundleId): left out, as no catalog has it: \(words)")
            }
            theirs = catalog
        }
        return CatalogComparison.differences(
            of: app.app,
            appAppleId: app.appAppleId,
            retention: app.retention ?? [],
            from: theirs,
            at: WallClock.now()
        )
    }

    private static func line(_ difference: CatalogDifference) -> String {
        let place = [difference.bundleId, difference.productId, difference.offerId].compactMap(\.self)
        let names = place.map { Echo.known($0) }.joined(separator: " ")
        let sentence = Echo.visible("\(difference.detail); \(difference.fix)")
        return "\(difference.severity.rawValue): \(names): \(sentence)"
    }
}
