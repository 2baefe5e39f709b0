import Testing

@testable import offer_signer

/// A change of a configuration that is in order, and the one finding that `check` has then.
struct ConfigurationChange: CustomTestStringConvertible, Sendable {
    enum Finding {
        case fault
        case warning
        case none
    }

    var edits: [ConfigurationFixture.Edit] = []
    /// By key path.
    var flags: [String: String] = [:]
    var environment: [String: String] = [:]
    /// What the finding begins with, such as `catalog.yaml:3: apps[0].appAppleId`; of a change, as far as it tells that.
    var place = ""
    /// A piece of what it says after that.
    var says = ""
    var finding = Finding.fault

    static func main(_ old: String, _ new: String) -> Self {
        Self(edits: [.init("offer-signer.yaml", old, new)], place: "offer-signer.yaml:")
    }

    static func catalog(_ old: String, _ new: String) -> Self {
        Self(edits: [.init("catalog.yaml", old, new)], place: "catalog.yaml:")
    }

    /// Of the catalog that has a `retention` section.
    static func retention(_ old: String, _ new: String) -> Self {
        var change = catalog(old, new)
        change.edits.insert(.init("catalog.yaml", ConfigurationFixture.catalog, retentionCatalog), at: 0)
        return change
    }

    /// Of the first client, by a key.
    static func clients(_ old: String, _ new: String) -> Self {
        Self(edits: [.init("clients.yaml", old, new)], place: "clients.yaml:2: clients[0].")
    }

    static func environment(_ name: String, _ value: String, _ says: String, as finding: Finding = .fault) -> Self {
        Self(environment: [name: value], place: name, says: says, finding: finding)
    }

    static func flags(_ flags: [String: String]) -> Self { Self(flags: flags) }

    /// The change with its finding: where, after what the change itself tells of that, and what it says.
    func finds(_ finding: Finding, _ place: String, _ says: String) -> Self {
        var change = self
        (change.finding, change.place, change.says) = (finding, self.place + place, says)
        return change
    }

    func fault(_ place: String, _ says: String) -> Self { finds(.fault, place, says) }

    func warning(_ place: String, _ says: String) -> Self { finds(.warning, place, says) }

    var fine: Self { finds(.none, "", "") }

    /// What a P8 begins with, in one that is of letters and digits alone, as a few in a hundred are.
    static let p8 =
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcfasB5gJnJDE1ve3Bu26MdMXL2n8UqogoAt3m76zYzKhRANCAAR0wo51ONk8"

    /// Nothing of them is repeated.
    static let secrets = ["hunter2", "my-secret-token", "-----BEGIN", "c2VjcmV0", "0f0f", String(p8.suffix(12))]

    var testDescription: String {
        edits.suffix(1).map { "\($0.old) -> \($0.new)" }.joined() + (flags.isEmpty ? "" : " \(flags)")
            + (environment.isEmpty ? "" : " \(environment)")
    }
}
