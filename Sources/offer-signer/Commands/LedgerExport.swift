import ArgumentParser
import Foundation
import Offers
import Storage

struct LedgerExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints the records as JSON Lines, in the order of their times.",
        discussion: "The service may be running."
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "Only signatures from this time on: 2026-01-31T00:00:00Z, 2026-01-31, or milliseconds since 1970.",
            valueName: "time"
        ),
        transform: Timestamp.argument
    )
    var since: Timestamp?

    /// How many records are in memory at once.
    private static let page = 1000

    func run() async throws {
        let settings = try options.load().settings
        let archive = try OpenLedger.readOnly(settings).storage
        var place = LedgerPlace(before: since ?? Timestamp(millisecondsSince1970: .min))
        while true {
            let records = try archive.records(after: place, limit: Self.page)
            guard let last = records.last else { return }
            place = LedgerPlace(of: last)
            try Console.write(Data(records.flatMap(\.jsonLine)))
        }
    }
}
