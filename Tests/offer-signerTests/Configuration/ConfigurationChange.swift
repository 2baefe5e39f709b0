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
    /// What the finding begins with, such as `catalog.yaml:3: apps[0].appAppleId`.
    let place: String
    /// A piece of what it says after that.
    let says: String
    var finding = Finding.fault

    static func main(_ old: String, _ new: String, _ place: String, _ says: String, as finding: Finding = .fault)
        -> Self
    {
        let name = "offer-signer.yaml"
        return Self(edits: [.init(name, old, new)], place: name + ":" + place, says: says, finding: finding)
    }

    static func catalog(_ old: String, _ new: String, _ place: String, _ says: String, as finding: Finding = .fault)
        -> Self
    {
        let name = "catalog.yaml"
        return Self(edits: [.init(name, old, new)], place: name + ":" + place, says: says, finding: finding)
    }

    /// Of the catalog that has a `retention` section.
    static func retention(_ old: String, _ new: String, _ place: String, _ says: String, as finding: Finding = .fault)
        -> Self
    {
        var change = catalog(old, new, place, says, as: finding)
        change.edits.insert(.init("catalog.yaml", ConfigurationFixture.catalog, retentionCatalog), at: 0)
        return change
    }

    /// Of the first client, by a key.
    static func clients(_ old: String, _ new: String, _ key: String, _ says: String) -> Self {
        let name = "clients.yaml"
        return Self(edits: [.init(name, old, new)], place: name + ":2: clients[0]." + key, says: says)
    }

    static func environment(_ name: String, _ value: String, _ says: String, as finding: Finding = .fault) -> Self {
        Self(environment: [name: value], place: name, says: says, finding: finding)
    }

    static func flags(_ flags: [String: String], _ place: String, _ says: String, as finding: Finding = .fault)
        -> Self
    {
        Self(flags: flags, place: place, says: says, finding: finding)
    }

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
