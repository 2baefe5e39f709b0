import ArgumentParser
import Foundation
import OfferAPI
import Offers
import Storage
import StrictJSON

struct LedgerExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints the records as JSON Lines, in the order of their times.",
        usage: "offer-signer ledger export --config <file> [<options>]",
        discussion: "The service may be running."
    )

    @Flag(
        help: "Print redemptions, as GET /v1/redemptions tells them: app by app, in the order of their becoming known."
    )
    var redemptions = false

    @Flag(help: "Print the erasures: when which customer's data was deleted, by digest, and how many rows.")
    var erasures = false

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "Only signatures, or redemptions, from this time on: 2026-01-31T00:00:00Z, 2026-01-31, or milliseconds since 1970.",
            valueName: "t"
        ),
        transform: Timestamp.argument
    )
    var since: Timestamp?

    /// How many records are in memory at once.
    private static let page = 1000

    func validate() throws {
        guard !redemptions || !erasures else { throw ValidationError("Give --redemptions or --erasures, not both.") }
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
        guard !redemptions else { return try await export(DurableRedemptions(archive), of: settings) }
        var place = LedgerPlace(before: since ?? Timestamp(millisecondsSince1970: .min))
        while true {
            let records = try archive.records(after: place, limit: Self.page)
            guard let last = records.last else { return }
            place = LedgerPlace(of: last)
            try Console.write(Data(records.flatMap(\.jsonLine)))
        }
    }

    private func export(_ store: DurableRedemptions, of settings: Settings) async throws {
        for app in settings.apps.map(\.app.bundleId) {
            var position: Int64 = 0
            while let page = try await store.redemptions(of: app, after: position, limit: Self.page) {
                guard let last = page.last else { break }
                position = last.position
                var lines: [UInt8] = []
                for told in page where since.map({ told.redemption.redeemedAt ?? $0 >= $0 }) ?? true {
                    var writer = JSONWriter(capacity: 320)
                    told.write(to: &writer)
                    lines += writer.bytes + [UInt8(ascii: "\n")]
                }
                try Console.write(Data(lines))
            }
        }
    }
}

extension Erasure {
    fileprivate var jsonLine: [UInt8] {
        var writer = JSONWriter(capacity: 160)
        writer.object { line in
            line.member("erasedAt", time.rfc3339)
            line.member("bundleId", bundleId)
            line.member("customerDigest", Hexadecimal.text(customer.bytes))
            line.member("rows", Int64(rows))
        }
        return writer.bytes + [UInt8(ascii: "\n")]
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
