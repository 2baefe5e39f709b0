import ChildProcess
import Foundation
import PostgreSQLServer
import Testing

/// The ledgers of `Tests/Fixtures`, whose README says which customer has which evidence.
@Suite("The ledger of an earlier version", .serialized)
struct UpgradeTests {
    enum Database: CaseIterable { case sqlite, postgreSQL }

    /// An installation with a copy of a ledger of 0.2.0, and the server that has it.
    private struct Upgrade {
        let installation: Installation
        let server: PostgreSQLServer?

        init(of database: Database) throws {
            let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/0.2.0")
            installation = try Installation()
            let directory = installation.directory
            func copy(_ name: String, to copy: String) throws {
                let file = directory.url.appending(path: copy)
                try Data(contentsOf: fixtures.appending(path: name)).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            }
            try copy("digest.key", to: "ledger.sqlite.digest-key")
            try copy("checkpoint.p8", to: "ledger.sqlite.checkpoint-key.p8")
            var ledger = ""
            switch database {
            case .sqlite:
                try copy("sqlite.ledger", to: "ledger.sqlite")
                server = nil
            case .postgreSQL:
                let made = try PostgreSQLServer()
                try made.query(String(contentsOf: fixtures.appending(path: "postgresql.sql"), encoding: .utf8))
                ledger = """
                    ledger:
                      url: "\(made.url())"
                      digestKeyFile: ledger.sqlite.digest-key
                      checkpointKeyFile: ledger.sqlite.checkpoint-key.p8
                    """
                server = made
            }
            try installation.configure("evidence: { maximumAgeSeconds: 0 }\n" + ledger)
            try installation.limit(offer: "maximumSignaturesPerCustomer: 2, signaturePeriodDays: 36500")
            try installation.edit("catalog.yaml", "comeback50, audience: [lapsed]", "once, maxRedemptions: 1")
        }
    }

    @Test(
        "A ledger that 0.2.0 wrote: signatures and redemptions count, held state answers, and new records follow the old",
        arguments: Database.allCases
    )
    func served(from database: Database) throws {
        let upgrade = try Upgrade(of: database)
        let installation = upgrade.installation
        let service = try RunningService(installation)
        try service.waitUntilReadiness(is: 200)
        // Two chains of 0.2.0, and one of this service.
        func expectOrder(_ records: Int) throws {
            let verified = try installation.ledger("verify")
            #expect(verified.status == 0, "\(verified.errors)")
            #expect(verified.text.contains("\(records) records in 3 chains"), "\(verified.text)")
            #expect(verified.text.contains("The ledger is in order."), "\(verified.text)")
        }
        func decision(_ offer: String, ofCustomer number: Int) throws -> [String: Any] {
            let response = try service.sign(
                #"""
                {"appAccountToken":"00000000-0000-4000-8000-00000000000\#(number)",
                "offers":[{"productId":"pro.monthly","offerId":"\#(offer)"}]}
                """#
            )
            #expect(response.status == 200, "\(response.json)")
            return try #require(response.decisions.first)
        }
        func reason(_ offer: String, ofCustomer number: Int) throws -> String? {
            try decision(offer, ofCustomer: number)["reason"] as? String
        }
        let old = try installation.records().compactMap { $0["nonce"] as? String }
        #expect(old.count == 11)
        try expectOrder(11)
        // Held state, and what was found out of all subscriptions of an account.
        #expect(try reason("anyone", ofCustomer: 3) == "family_shared")
        #expect(try reason("anyone", ofCustomer: 8) == "never_subscribed")
        #expect(try reason("anyone", ofCustomer: 9) == "no_evidence")
        // Seats that others pay for exist since this one was bought, and 0.2.0 did not keep whose it is.
        #expect(try reason("anyone", ofCustomer: 2) == "no_evidence")
        // Redemptions: without a signature, and with it.
        #expect(try reason("once", ofCustomer: 7) == "redemption_limit")
        #expect(try decision("once", ofCustomer: 6)["discount"] == nil)
        // Customer 1 had two signatures, customers 4 and 5 one each.
        #expect(try reason("anyone", ofCustomer: 1) == "signature_limit")
        for customer in [4, 5] {
            let decision = try decision("anyone", ofCustomer: customer)
            #expect(decision["reason"] as? String == "lapsed")
            #expect(decision["discount"] != nil)
            #expect(try reason("anyone", ofCustomer: customer) == "signature_limit")
        }
        let all = try installation.records().compactMap { $0["nonce"] as? String }
        #expect(all.count == 13)
        #expect(Array(all.prefix(11)) == old)
        service.stop()
        try expectOrder(13)
        withExtendedLifetime(upgrade.server) {}
    }
}
