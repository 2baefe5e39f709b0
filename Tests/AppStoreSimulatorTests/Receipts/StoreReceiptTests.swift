import ChildProcess
import Foundation
import Offers
import SwiftASN1
import Testing

@testable import AppStoreSimulator

@Suite("Receipts")
struct StoreReceiptTests {
    private let signer: AppStoreSigner
    private let world: AppStoreWorld
    private let customer: StoreCustomer
    private let receipt: String

    init() throws {
        signer = try TestStore.signing()
        world = try TestStore.world(state: "lapsed")
        customer = try #require(world.customer("c"))
        receipt = try StoreReceipt.text(of: customer, at: world.clock.now, signer: signer)
    }

    @Test("openssl verifies an app receipt under the root, and finds the transactions in it")
    func openssl() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func path(_ name: String) -> String { directory.appending(path: name).path }
        try #require(Data(base64Encoded: receipt)).write(to: URL(filePath: path("receipt")))
        let root = try TestStore.signer.get().root
        try Data(try root.serializeAsPEM().pemString.utf8).write(to: URL(filePath: path("root.pem")))
        let outcome = try ChildProcess(
            "/usr/bin/openssl",
            [
                "cms", "-verify", "-inform", "DER", "-in", path("receipt"), "-CAfile", path("root.pem"), "-purpose",
                "any", "-out", path("content"),
            ]
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let content = try Data(contentsOf: URL(filePath: path("content")))
        #expect(content.first == 0x31)
        for transaction in customer.transactions {
            #expect(content.range(of: Data(transaction.transactionId.utf8)) != nil)
        }
    }

    @Test("A receipt of another signer, or with a changed byte, is not authentic or not a receipt")
    func forged() throws {
        let other = try CertificateAuthority()
        let stranger = AppStoreSigner(key: other.leafKey, chain: signer.chain)
        #expect(throws: ReceiptFault.notAuthentic) {
            try StoreReceipt.identity(
                try StoreReceipt.text(of: customer, at: world.clock.now, signer: stranger),
                signer: signer
            )
        }
        let bytes = Array(try #require(Data(base64Encoded: receipt)))
        for index in stride(from: 0, to: bytes.count, by: 7) {
            var changed = bytes
            changed[index] ^= 0x01
            // A change in what no signature covers, such as the certificates, may pass; one of the facts never does.
            if let identity = try? StoreReceipt.identity(Data(changed).base64EncodedString(), signer: signer) {
                #expect(identity.customer == "c")
            }
        }
        for text in ["", "AAAA", "nonsense", Data("{\n}".utf8).base64EncodedString()] {
            #expect(throws: ReceiptFault.malformed) { try StoreReceipt.identity(text, signer: signer) }
        }
    }
}
