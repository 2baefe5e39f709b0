import Testing

@testable import offer_signer

@Suite("Each change of a configuration that is in order has one finding, at its place")
struct ConfigurationChangeTests {
    @Test("In offer-signer.yaml", arguments: ConfigurationChange.ofMainFile)
    func mainFile(_ change: ConfigurationChange) throws { try expect(change) }

    @Test("In catalog.yaml", arguments: ConfigurationChange.ofApps + ConfigurationChange.ofKeys)
    func apps(_ change: ConfigurationChange) throws { try expect(change) }

    @Test("In the offers of catalog.yaml", arguments: ConfigurationChange.ofOffers + ConfigurationChange.ofRules)
    func offers(_ change: ConfigurationChange) throws { try expect(change) }

    @Test("In the retention section of catalog.yaml", arguments: ConfigurationChange.ofRetention)
    func retention(_ change: ConfigurationChange) throws { try expect(change) }

    @Test("In clients.yaml", arguments: ConfigurationChange.ofClients)
    func clients(_ change: ConfigurationChange) throws { try expect(change) }

    @Test("By flags and variables", arguments: ConfigurationChange.ofOverrides)
    func overrides(_ change: ConfigurationChange) throws { try expect(change) }

    @Test("For keys in tokens", arguments: ConfigurationChange.ofTokens)
    func tokens(_ change: ConfigurationChange) throws { try expect(change) }

    @Test("In the files that it names", arguments: ConfigurationChange.ofFiles)
    func files(_ change: ConfigurationChange) throws { try expect(change) }

    private func expect(_ change: ConfigurationChange) throws {
        let found = try ConfigurationFixture(change.edits).check(flags: change.flags, environment: change.environment)
        let findings = change.finding == .fault ? found.faults : found.warnings
        #expect(findings.count == (change.finding == .none ? 0 : 1), "\(findings)")
        if change.finding != .fault { #expect(found.faults.isEmpty, "\(found.faults)") }
        for finding in findings {
            #expect(finding.hasPrefix(change.place + ": "), "\(finding)")
            #expect(finding.contains(change.says), "\(finding)")
            // No key of a ledger comes from there.
            if change.place.contains(": ledger.") { #expect(!finding.contains("App Store Connect"), "\(finding)") }
        }
        for secret in ConfigurationChange.secrets { #expect(!"\(found)".contains(secret), "\(found)") }
    }
}
