import ArgumentParser
import Foundation
import OfferAPI
import Offers
import Storage
import StrictJSON

struct LedgerExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints the records of signatures as JSON Lines, in the order of their times.",
        usage: "offer-signer ledger export --config <file> [<options>]",
        discussion: "The service may be running."
    )

    @Flag(
        help: "Print redemptions, as GET /v1/redemptions tells them: app by app, in the order of their becoming known."
    )
    var redemptions = false

    @Flag(help: "Print the erasures: when which customer's data was deleted, by digest, and how many rows.")
    var erasures = false

    @Flag(help: "Print the configurations that were put into use, each with its changes to the one before.")
    var configurations = false

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "Only what is from this time on: 2026-01-31T00:00:00Z, 2026-01-31, or milliseconds since 1970.",
            valueName: "t"
        ),
        transform: Timestamp.argument
    )
    var since: Timestamp?

    /// How many records are in memory at once.
    private static let page = 1000

    func validate() throws {
        guard [redemptions, erasures, configurations].count(where: \.self) < 2 else {
            throw ValidationError("Give one of --redemptions, --erasures and --configurations.")
        }
    }

    func run() async throws {
        let settings = try options.settings()
        let archive = try OpenLedger.readOnly(settings).storage
        guard !erasures else {
            for erasure in try archive.erasures() where since.map({ erasure.time >= $0 }) ?? true {
                try Console.write(Data(erasure.jsonLine))
            }
            return
        }
        guard !configurations else { return try exportConfigurations(archive) }
        guard !redemptions else { return try await export(DurableRedemptions(archive), of: settings) }
        var place = LedgerPlace(before: since ?? Timestamp(millisecondsSince1970: .min))
        while true {
            let records = try archive.records(after: place, limit: Self.page)
            guard let last = records.last else { return }
            place = LedgerPlace(of: last)
            try Console.write(Data(records.filter { !$0.isConfiguration }.flatMap(\.jsonLine)))
        }
    }

    private func exportConfigurations(_ archive: any SQLDatabase) throws {
        var before: ConfigurationInUse?
        for recorded in try archive.configurations() {
            let configuration = ConfigurationInUse(recorded: recorded.values)
            defer { before = configuration }
            guard since.map({ recorded.recordedAt >= $0 }) ?? true else { continue }
            try Console.write(Data(recorded.jsonLine(configuration, since: before)))
        }
    }

    private func export(_ store: DurableRedemptions, of settings: Settings) async throws {
        for app in settings.apps.map(\.app.bundleId) {
            var position: Int64 = 0
            while let page = try await store.redemptions(of: app, after: position, limit: Self.page) {
                guard let last = page.last else { break }
                position = last.position
                var lines: [UInt8] = []
                for entry in page where since.map({ entry.redemption.redeemedAt ?? $0 >= $0 }) ?? true {
                    var writer = JSONWriter(capacity: 320)
                    entry.write(to: &writer)
                    lines += writer.bytes + [UInt8(ascii: "\n")]
                }
                try Console.write(Data(lines))
            }
        }
    }
}

extension Erasure {
    fileprivate var jsonLine: [UInt8] {
        JSONWriter.line(capacity: 160) { line in
            line.member("erasedAt", time.rfc3339)
            line.member("bundleId", bundleId)
            line.member("customerDigest", Hexadecimal.text(customer.bytes))
            line.member("rows", Int64(rows))
        }
    }
}

extension RecordedConfiguration {
    /// The configuration as a line of JSON, with its line feed: its values, and its changes to another, if there is one.
    fileprivate func jsonLine(_ configuration: ConfigurationInUse?, since before: ConfigurationInUse?) -> [UInt8] {
        JSONWriter.line(capacity: 4096) { line in
            line.member("recordedAt", recordedAt.rfc3339)
            line.member("sha256", Hexadecimal.text(Self.digest(of: values)))
            let changes = before.flatMap { configuration?.changes(since: $0) }
            line.member("changes", changes?.lines ?? [])
            if let count = changes?.leftOut, count > 0 { line.member("leftOut", Int64(count)) }
            line.object("values") { json in
                for (path, value) in (configuration?.values ?? [:]).sorted(by: { $0.key < $1.key }) {
                    json.member(named: path, value)
                }
            }
            if let record { line.object("record") { $0.members(of: record) } }
        }
    }
}
