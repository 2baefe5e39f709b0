import Foundation
import ProcessMemory
import SubscriptionKeys
import Testing

/// A process that loads a key and signs has it in its locked memory and nowhere else; one that let it go, nowhere.
///
/// The process does not know the key but by its file. This one does, and looks from outside.
struct MemoryScanTests {
    @Test("No copy of the key outside of the locked memory", arguments: [false, true])
    func copies(isCareless: Bool) async throws {
        let workbench = try Workbench()
        let key = try TestKey()
        let path = try workbench.write(key.pem)
        let scan = MemoryScan(of: key, directory: workbench.directory, stages: ["loaded", "signed", "freed"])
        await #expect(processExitsWith: .success) {
            [path = path as String, directory = workbench.directory as String, isCareless] in
            PlantedSecrets.plant()
            // Nobody sees secret memory from outside: with it, the search could not show that it finds what there is.
            try SecureHeap.initialize(secret: false)
            let careless = isCareless ? try Data(contentsOf: URL(fileURLWithPath: path)) : nil
            var signer: SigningKey? = try SigningKey(contentsOf: path, keyIdentifier: "TEST123456")
            try MemoryScan.reach("loaded", in: directory)
            try Self.sign(with: #require(signer), times: 500)
            try MemoryScan.reach("signed", in: directory)
            signer = nil
            try MemoryScan.reach("freed", in: directory)
            withExtendedLifetime(careless) {}
        }
        let counts = try scan.result()
        // Finding it there shows that the search finds what there is.
        #expect(counts.map { $0.locked > 0 } == [true, true, false])
        #expect(counts.map { $0.elsewhere > 0 } == [isCareless, isCareless, isCareless])
    }

    private static func sign(with signer: SigningKey, times: Int) throws {
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for count in 0..<times {
                let message = Array("thread \(thread), message \(count)".utf8)
                _ = try? signer.derSignature(over: message.span)
            }
        }
    }
}
