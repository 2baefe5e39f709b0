import Foundation
import ProcessMemory
import Testing

@testable import SubscriptionKeys

/// The secure heap, each time in a process of its own, as a process has one.
struct SecureHeapTests {
    @Test("It is locked, and many threads that set it up at once get the same one")
    func locked() async {
        await #expect(processExitsWith: .success) {
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                #expect((try? SecureHeap.initialize())?.isLocked == true)
            }
            #expect(try SecureHeap.initialize(size: 1 << 20).size == 64 << 10)
            let locked = try ProcessMemory(of: getpid()).mappings.filter(\.isLocked)
            #expect(locked.map(\.range.count) == [64 << 10])
        }
    }

    @Test("Where the kernel has secret memory, the arena is in it: signing works, and no other process reads it")
    func secret() async {
        await #expect(processExitsWith: .success) {
            let status = try SecureHeap.initialize()
            // The kernel's own word: without it, the fallback has to say why.
            try #require(status.isSecret == Kernel.hasSecretMemory)
            #expect((status.whyNotSecret == nil) == status.isSecret)
            let workbench = try Workbench()
            #expect(throws: Never.self) { try workbench.load(TestKey().pem).selfTest() }
            let locked = try ProcessMemory(of: getpid()).mappings.filter(\.isLocked)
            let (arenas, stacks) = (
                locked.filter { $0.range.count == 64 << 10 }, locked.filter { $0.range.count == SigningStack.size }
            )
            #expect(arenas.count == 1 && stacks.count == (SigningStack.whyOrdinary == nil ? 1 : 0))
            #expect(locked.count == arenas.count + stacks.count)
            guard status.isSecret, let arena = arenas.first else { return }
            let memory = open("/proc/self/mem", O_RDONLY)
            var byte: UInt8 = 0
            for mapping in locked {
                #expect(pread(memory, &byte, 1, off_t(mapping.range.lowerBound)) == -1)
                #expect(pread(memory, &byte, 1, off_t(mapping.range.upperBound - 1)) == -1)
            }
            #expect(arena.range.contains(try Self.placeOfBuffer()))
        }
    }

    @Test("The memory of keys is in no dump, and a thread's signing memory is in no child", arguments: [true, false])
    func flags(secret: Bool) async {
        await #expect(processExitsWith: .success) { [secret] in
            try SecureHeap.initialize(secret: secret)
            try Workbench().load(TestKey().pem).selfTest()
            let locked = try ProcessMemory(of: getpid()).mappings.filter(\.isLocked)
            let stacks = locked.filter { $0.range.count == SigningStack.size }
            #expect(locked.count == stacks.count + 1 && stacks.count == (SigningStack.whyOrdinary == nil ? 1 : 0))
            #expect(locked.allSatisfy { $0.flags.contains("dd") })
            #expect(stacks.allSatisfy { $0.flags.contains("dc") })
        }
    }

    /// Where the heap puts what is asked for.
    private static func placeOfBuffer() throws -> UInt {
        let buffer = try SecureBuffer(count: 100)
        return buffer.withBytes { bytes in bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    }

    @Test("Secret memory is optional: without it the arena is only locked")
    func notSecret() async {
        await #expect(processExitsWith: .success) {
            let status = try SecureHeap.initialize(secret: false)
            #expect(status == SecureHeap.Status(size: 64 << 10, isLocked: true, isSecret: false, whyNotSecret: nil))
        }
    }

    @Test("Secret memory needs no higher limit of locked memory than the arena itself")
    func secretWithinLimit() async {
        await #expect(processExitsWith: .success) {
            let hasSecretMemory = Kernel.hasSecretMemory
            var limit = rlimit(rlim_cur: 64 << 10, rlim_max: 64 << 10)
            try #require(setrlimit(__rlimit_resource_t(8), &limit) == 0)
            if geteuid() == 0 { try #require(setuid(65534) == 0) }
            let status = try SecureHeap.initialize()
            #expect(status.isLocked)
            #expect(status.isSecret == hasSecretMemory)
        }
    }

    @Test("Unlocked memory is refused, and no key loads then; a setting allows it")
    func notLocked() async {
        await #expect(processExitsWith: .success) {
            // Root may lock without limit: become nobody.
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            try #require(setrlimit(__rlimit_resource_t(8), &none) == 0)
            if geteuid() == 0 { try #require(setuid(65534) == 0) }

            let refusal = #expect(throws: KeyError.self) { try SecureHeap.initialize() }
            #expect(refusal?.code == .heapNotLocked)
            #expect(refusal?.description.hasPrefix("the secure heap of 65536 bytes could not be locked") == true)
            let workbench = try Workbench(secureHeap: false)
            let path = try workbench.write(TestKey().pem)
            let error = #expect(throws: KeyError.self) { try KeyInspection(of: path) }
            #expect(error?.code == .secureHeap)

            #expect(try !SecureHeap.initialize(allowUnlocked: true).isLocked)
            #expect(throws: Never.self) { try KeyInspection(of: path) }
            let later = #expect(throws: KeyError.self) { try SecureHeap.initialize() }
            #expect(later?.code == .heapNotLocked)
        }
    }

    @Test("Sizes that the arena cannot have are refused", arguments: [-1, 0, 1 << 10, 100_000, 32 << 20])
    func invalidSize(size: Int) async {
        await #expect(processExitsWith: .success) { [size] in
            let error = #expect(throws: KeyError.self) { try SecureHeap.initialize(size: size) }
            #expect(error?.code == .heapSize)
            #expect(error?.description.contains("heap of \(size) bytes is not possible; expected is a power") == true)
        }
    }

    @Test("Before it is set up, no key is read")
    func notSetUp() async {
        await #expect(processExitsWith: .success) {
            let workbench = try Workbench(secureHeap: false)
            let path = try workbench.write(TestKey().pem)
            let error = #expect(throws: KeyError.self) { try KeyInspection(of: path) }
            #expect(error?.code == .secureHeap)
            #expect(SecureHeap.bytesInUse == 0)
        }
    }

    @Test("The environment's openssl.cnf is not read")
    func configuration() async throws {
        // With this one, nothing can be hashed or signed, as openssl itself shows.
        let configuration = """
            openssl_conf = main
            [main]
            alg_section = algorithms
            [algorithms]
            default_properties = fips=yes
            """
        let workbench = try Workbench()
        let path = try workbench.write(Array(configuration.utf8), to: "openssl.cnf")
        let file = try TestKey().write(on: workbench)
        let environment = ["OPENSSL_CONF": path]
        let arguments = ["dgst", "-sha256", "-sign", file, path]
        #expect(try Tool.run("openssl", arguments).status == 0)
        #expect(try Tool.run("openssl", arguments, environment: environment).status != 0)
        await #expect(processExitsWith: .success) { [path = path as String, file = file as String] in
            setenv("OPENSSL_CONF", path, 1)
            try SecureHeap.initialize()
            #expect(throws: Never.self) { try KeyInspection(of: file) }
        }
    }

    @Test("A key that goes gives back all it took, and so does one that was refused")
    func givesBack() async {
        await #expect(processExitsWith: .success) {
            let workbench = try Workbench()
            let key = try TestKey().pem
            let message: [UInt8] = [1, 2, 3]
            // The first key also sets up OpenSSL's random generators, which stay.
            _ = try workbench.load(key)
            let before = SecureHeap.bytesInUse
            var signer: SigningKey? = try workbench.load(key)
            _ = try signer?.derSignature(over: message.span)
            #expect(SecureHeap.bytesInUse > before)
            signer = nil
            #expect(SecureHeap.bytesInUse == before)
            for bad in BadKey.all {
                #expect(throws: KeyError.self) { try workbench.load(bad.make()) }
                #expect(SecureHeap.bytesInUse == before, "\(bad.testDescription)")
            }
        }
    }

    @Test("A full heap is an error, not a way into ordinary memory; threads that are new to signing find room in it")
    func full() async {
        await #expect(processExitsWith: .success) {
            let workbench = try Workbench()
            let file = try workbench.write(TestKey().pem)
            var signers: [SigningKey] = []
            let error = #expect(throws: KeyError.self) {
                for _ in 0..<10_000 { try signers.append(SigningKey(contentsOf: file, keyIdentifier: "TEST123456")) }
            }
            #expect(error?.code == .secureHeap)
            #expect(error?.reason.contains("no room for another key; load fewer keys") == true)
            // There is room for more keys than any account has.
            #expect(signers.count > 500)
            let signer = try #require(signers.first)
            let signatures = Signatures()
            let (hasSigned, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            for _ in 0..<64 {
                Thread.detachNewThread {
                    let message: [UInt8] = [1, 2, 3]
                    signatures.add(try? signer.derSignature(over: message.span), over: message)
                    hasSigned.signal()
                    // A thread that ends gives its room back.
                    isOver.wait()
                }
            }
            for _ in 0..<64 { hasSigned.wait() }
            #expect(signatures.all.count == 64)
            for _ in 0..<64 { isOver.signal() }
            signers = [signer]
            #expect(throws: Never.self) { try KeyInspection(of: file) }
        }
    }
}
