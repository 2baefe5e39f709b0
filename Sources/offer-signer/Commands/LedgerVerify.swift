import ArgumentParser
import Crypto
import Foundation
import Offers
import Storage
import StrictJSON
import SubscriptionKeys

struct LedgerVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks every record's hash and every statement's signature; names the first broken record.",
        discussion:
            "Exit status 1 when anything is broken or missing. The service may be running. Only --anchor finds a ledger "
            + "that an older copy has replaced: keep the output of --json on another machine."
    )

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print the result as JSON. Keep it as an anchor.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The output of an earlier `ledger verify --json`: everything in it still has to be there.",
            valueName: "file"
        )
    )
    var anchor: String?

    func run() async throws {
        let settings = try options.settings()
        let anchor = try self.anchor.map(LedgerAnchor.init(file:))
        let files = LedgerKeyFiles(settings)
        try files.checkLedgerIsThere()
        let key = try files.loadCheckpointKey().publicKeySPKI
        // Reported first: by another key no statement is in order, whatever the records are.
        let otherKey = otherKeyFault(settings, key)
        if let otherKey { Console.message("error: \(otherKey)") }
        let archive = try OpenLedger.readOnly(settings).storage
        var found: LedgerVerification
        var differences: [String] = []
        do {
            let key = try P256.Signing.PublicKey(derRepresentation: key)
            differences = try archive.schemaDifferences()
            found = try LedgerVerifier(archive, key: key).verify(anchor: anchor)
            found.add(differences: differences)
        } catch {
            // For them it may be that no record can be read.
            for difference in differences { Console.message("broken: the ledger's tables: \(difference)") }
            throw Console.failure("\(error)")
        }
        for loss in found.losses { Console.message("lost: \(loss.sentence)") }
        if !json {
            for change in found.keyChanges { try Console.result(change.sentence) }
        }
        for fault in found.faults { Console.message("broken: \(fault)") }
        let isInOrder = found.faults.isEmpty && otherKey == nil
        if otherKey == nil { await record(found, in: settings) }
        if json {
            try Console.write(Data(found.jsonLine(isInOrder: isInOrder)))
        } else {
            try Console.result(found.summary)
        }
        guard isInOrder else { throw ExitCode.failure }
        if !json { try Console.result("The ledger is in order.") }
    }

    /// Records the finding for the page of a running service.
    ///
    /// A file that no service has open stays as it is.
    private func record(_ found: LedgerVerification, in settings: Settings) async {
        if case .sqlite(let path) = settings.ledger.location, !SQLiteDatabase.isWrittenByAnother(path) { return }
        guard let database = try? LedgerDatabase(settings.ledger.location, access: .existing) else { return }
        let verification = NotedVerification(
            at: WallClock.now(),
            chains: Int64(found.chains),
            records: Int64(found.records),
            faults: Int64(found.faults.count)
        )
        try? database.storage.record(verification)
        await database.close()
    }

    /// A sentence where the ledger was written with another checkpoint key than this one, as far as that is known.
    private func otherKeyFault(_ settings: Settings, _ key: [UInt8]) -> String? {
        let marks = LedgerKeyMarks(digestKey: nil, checkpointKeySPKI: key)
        do throws(StorageFailure) {
            _ = try LedgerDatabase(settings.ledger.location, access: .readOnly, keys: marks)
            return nil
        } catch {
            return error.code == .otherKeys ? error.detail : nil
        }
    }
}

extension LedgerVerification {
    fileprivate var summary: String {
        "\(records.of("record")) in \(chains.of("chain")), signed up to "
            + "\(checkpoint?.time.rfc3339 ?? "never"), \(uncovered.of("record")) after that; beside them "
            + configurations.of("configuration")
    }

    fileprivate func jsonLine(isInOrder: Bool) -> [UInt8] {
        JSONWriter.line(capacity: 512) { found in
            found.flag("inOrder", isInOrder)
            found.member("chains", Int64(chains))
            found.member("records", Int64(records))
            found.member("configurations", Int64(configurations))
            found.member("uncoveredRecords", Int64(uncovered))
            found.member("newestChain", anchor.newest)
            found.objects("openChains", anchor.open.sorted { $0.key < $1.key }) { open, chain in
                chain.member("writer", open.key)
                chain.member("number", open.value.number)
                chain.member("hash", Hexadecimal.text(open.value.hash))
            }
            if let checkpoint {
                found.object("checkpoint") { json in
                    json.member("time", checkpoint.time.millisecondsSince1970)
                    json.member("signature", Hexadecimal.text(checkpoint.signature))
                }
            }
            found.objects("losses", losses) { loss, json in
                json.member("writer", loss.writer)
                json.member("first", loss.first)
                json.member("last", loss.last.number)
                json.member("time", loss.time.millisecondsSince1970)
                json.flag("acknowledged", loss.isAcknowledged)
            }
            found.objects("keyChanges", keyChanges) { change, json in
                json.member("number", change.number)
                json.member("time", change.time.millisecondsSince1970)
                json.member("chains", change.chains)
                json.member("oldKeySHA256", Hexadecimal.text(change.oldKeySHA256))
                json.member("newKeySHA256", Hexadecimal.text(change.newKeySHA256))
            }
            found.objects("faults", faults) { fault, json in
                if let writer = fault.writer { json.member("writer", writer) }
                if let number = fault.number { json.member("number", number) }
                json.member("detail", fault.detail)
            }
        }
    }
}

extension LedgerAnchor {
    init(file: String) throws(ValueFault) {
        guard let data = try? Data(contentsOf: URL(filePath: file)) else {
            throw ValueFault("--anchor: \(Echo.path(file)) cannot be read")
        }
        let other = "--anchor: \(Echo.path(file)) is not what `ledger verify --json` prints"
        guard let printed = try? JSONDecoder().decode(PrintedAnchor.self, from: data), printed.chains >= 0 else {
            throw ValueFault("\(other): it has inOrder, chains, newestChain and openChains")
        }
        guard printed.inOrder else { throw ValueFault("\(other) of a ledger in order") }
        self.init()
        chains = printed.chains
        newest = printed.newestChain
        for chain in printed.openChains {
            guard let hash = Hexadecimal.bytes(chain.hash) else {
                throw ValueFault("\(other): the hash of an open chain is in hexadecimal")
            }
            open[chain.writer] = LedgerChain.Head(number: chain.number, hash: hash)
        }
    }
}

/// The members of what `ledger verify --json` prints that an anchor needs.
private struct PrintedAnchor: Decodable {
    struct Chain: Decodable {
        let writer: String
        let number: Int64
        let hash: String
    }

    let inOrder: Bool
    let chains: Int
    let newestChain: String
    let openChains: [Chain]
}
