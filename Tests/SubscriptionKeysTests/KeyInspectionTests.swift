import Foundation
import SubscriptionKeys
import Testing

/// What `keys inspect` tells.
struct KeyInspectionTests {
    @Test(
        "The key's identifier is read from the file's name; that of an App Store Connect API key is taken with a note",
        arguments: [
            ("SubscriptionKey_ABC123DEFG.p8", "ABC123DEFG"), ("AuthKey_2X9R4HXF34.p8", "2X9R4HXF34"),
            ("key.p8", nil), ("SubscriptionKey_.p8", nil), ("AuthKey_A B.p8", nil), ("SubscriptionKey_ABC.pem", nil),
        ] as [(String, String?)]
    )
    func keyIdentifier(name: String, identifier: String?) throws {
        let workbench = try Workbench()
        let inspection = try KeyInspection(of: workbench.write(TestKey().pem, to: name))
        #expect(inspection.keyIdentifier == identifier)
        let isNoted = inspection.note?.contains("StoreKit refuses what such a key signs") == true
        #expect(isNoted == (identifier == "2X9R4HXF34") && isNoted == (inspection.note != nil))
    }

    @Test("It shows the public key, the mode and the self-test, and nothing private")
    func description() throws {
        let workbench = try Workbench()
        let key = try TestKey()
        let path = try workbench.write(key.pem, mode: 0o400)
        let inspection = try KeyInspection(of: path)
        let spki = try Tool.openssl("pkey", "-in", path, "-pubout", "-outform", "DER")
        let fingerprint = try Tool.run("sha256sum", [workbench.write(spki, to: "spki")]).text.prefix(64)
        #expect(
            inspection.description == """
                \(path)
                  key id:      TEST123456
                  curve:       P-256
                  public key:  SHA-256 \(fingerprint)
                  file mode:   0400
                  self-test:   passed
                """
        )
    }

    @Test("A file that others can read is described in full, and the service refuses it")
    func refusal() throws {
        let workbench = try Workbench()
        let path = try workbench.write(TestKey().pem, mode: 0o644)
        let inspection = try KeyInspection(of: path)
        #expect(inspection.fileMode == "0644")
        #expect(inspection.keyIdentifier == "TEST123456")
        #expect(inspection.refusal?.code == .readableByOthers)
        #expect(inspection.refusal?.reason.hasSuffix("chmod 600 \(path)") == true)
        #expect(chmod(path, 0o600) == 0)
        #expect(try KeyInspection(of: path).refusal == nil)
    }
}
