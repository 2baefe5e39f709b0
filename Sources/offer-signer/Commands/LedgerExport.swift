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
        )
    )
    var since: String?

    /// How many records are in memory at once.
    private static let page = 1000

    func validate() throws {
        guard let since else { return }
        do {
            _ = try MomentArgument.moment(since)
        } catch {
            throw ValidationError("--since \(error.message)")
        }
    }

    func run() async throws {
        let settings = try options.load().settings
        let start = since.flatMap { try? MomentArgument.moment($0) } ?? Timestamp(millisecondsSince1970: .min)
        let archive = try options.orFail { () throws(ValueFault) in try OpenLedger.readOnly(settings).storage }
        var place = LedgerPlace(before: start)
        while true {
            let records: [LedgerRecord]
            do throws(StorageFailure) {
                records = try archive.records(after: place, limit: Self.page)
            } catch {
                throw Console.failure("\(error)")
            }
            guard let last = records.last else { return }
            place = LedgerPlace(of: last)
            try Console.write(Data(records.flatMap(\.jsonLine)))
        }
    }
}
