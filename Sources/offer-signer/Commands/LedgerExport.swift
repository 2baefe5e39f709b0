import ArgumentParser
import Foundation
import Offers
import Storage
import StrictJSON

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
        let settings = try options.settings()
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

extension LedgerRecord {
    /// The record as a line of JSON, with its line feed: all that its hash is computed from.
    ///
    /// Digests and hashes are in hexadecimal, times in milliseconds since 1970.
    var jsonLine: [UInt8] {
        var writer = JSONWriter(capacity: 640)
        writer.object { record in
            record.member("writer", self.writer)
            record.member("number", number)
            record.member("time", time.millisecondsSince1970)
            record.member("client", client)
            record.member("bundleId", bundleId)
            record.member("productId", productId)
            record.member("offerId", offerId)
            record.member("format", format)
            record.member("keyIdentifier", keyIdentifier)
            record.member("nonce", nonce)
            record.member("timestamp", timestamp.millisecondsSince1970)
            record.member("reason", reason)
            if let evidence { record.member("evidence", evidence) }
            if let environment { record.member("environment", environment) }
            if let originalTransactionId { record.member("originalTransactionId", originalTransactionId) }
            if let account { record.member("accountDigest", Hexadecimal.text(account)) }
            record.member("customerDigest", Hexadecimal.text(customer))
            record.member("hash", Hexadecimal.text(hash))
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
