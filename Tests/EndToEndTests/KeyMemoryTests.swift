import ChildProcess
import Foundation
import ProcessMemory
import Testing

/// The running service has its keys in its locked memory and nowhere else.
///
/// A search through all that it can write shows it from outside. Root alone can look into it: it is not dumpable.
@Suite("Keys in the memory of the running service", .enabled(if: geteuid() == 0, "only root can look into it"))
struct KeyMemoryTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    private func patterns(_ file: String) throws -> [[UInt8]] {
        try KeyPatterns(pem: String(contentsOfFile: file, encoding: .utf8)).all
    }

    /// Runs the service with secrets planted where keys are searched for.
    private func start(flags: [String] = [], libraries: [String] = []) throws -> RunningService {
        let planted = try SharedObject.build(PlantedSecrets.library, named: "planted.so", in: installation.directory)
        let preload = (libraries + [planted]).joined(separator: ":")
        return try RunningService(installation, flags: flags, environment: ["LD_PRELOAD": preload])
    }

    /// How often each key was found: in locked memory, and elsewhere.
    private func search(_ service: RunningService, for keys: [[[UInt8]]]) throws -> (locked: [Int], elsewhere: [Int]) {
        let memory = try ProcessMemory(of: service.identifier)
        try memory.findPlantedSecrets()
        try #require(memory.mappings.contains { $0.isLocked })
        return try (memory.counts(of: keys, locked: true), memory.counts(of: keys, locked: false))
    }

    /// Signs ten offers with each request.
    private func useKeys(of service: RunningService, times: Int) {
        let offers = Array(repeating: #"{"productId":"pro.monthly","offerId":"anyone"}"#, count: 10)
        let body = Customers.request("alice").replacing(offers[0], with: offers.joined(separator: ","))
        let samples = Load(on: service, connections: 4, requests: times / 40, body: body).finish()
        #expect(samples.count == times / 10)
        #expect(samples.allSatisfy { $0.status == 200 && !$0.signature.isEmpty })
    }

    @Test(
        "Thousands of signatures, reloads, a key removed: nothing of a key outside of locked memory, in the end nowhere",
        arguments: [false, true]
    )
    func noCopies(freeDoesNothing: Bool) throws {
        try installation.makeKey("SECONDKEY1")
        let first = try patterns(installation.key)
        let second = try patterns(installation.directory.path("SubscriptionKey_SECONDKEY1.p8"))
        try installation.writeCatalog(keys: Installation.entry("TESTKEY001") + ", " + Installation.entry("SECONDKEY1"))
        let libraries =
            try freeDoesNothing
            ? [SharedObject.build(SharedObject.neverFrees, named: "idle.so", in: installation.directory)] : []
        // Secret memory would hide the keys from the search, which then could not show that it finds what there is.
        let service = try start(flags: ["--keys-secret-memory", "false"], libraries: libraries)
        let mapped = try Executable.run(["/proc/\(service.identifier)/maps"], of: "/bin/cat").text
        #expect(mapped.contains("idle.so") == freeDoesNothing)
        useKeys(of: service, times: 2_000)
        #expect(try ProcessMemory(of: service.identifier).readableBytes(locked: false) > 1 << 20)
        try service.reload()
        try service.reload()
        useKeys(of: service, times: 400)
        let both = try search(service, for: [first, second])
        #expect(both.locked.allSatisfy { $0 > 0 })
        #expect(both.elsewhere == [0, 0])

        try installation.writeCatalog(keys: Installation.entry("SECONDKEY1"))
        try service.reload()
        useKeys(of: service, times: 400)
        let kept = try search(service, for: [first, second])
        #expect(kept.locked[0] == 0 && kept.locked[1] > 0)
        #expect(kept.elsewhere == [0, 0])
    }

    @Test("Where the kernel has secret memory, not even root reads the keys")
    func secretMemory() throws {
        let service = try start()
        let details = try service.readiness().details
        useKeys(of: service, times: 400)
        let key = try patterns(installation.key)
        #expect(try search(service, for: [key]).elsewhere == [0])
        let memory = try ProcessMemory(of: service.identifier)
        if details["keyMemory"] as? String == "secret" {
            #expect(try memory.readableBytes(locked: true) == 0)
        } else {
            #expect(details["keyMemory"] as? String == "locked")
            #expect(service.log.contains("not in secret memory"))
        }
    }

    @Test("OpenSSL signs on stacks that are like the keys' memory: locked, and secret where the kernel has that")
    func stacks() throws {
        let file = installation.directory.path("stacks")
        let library = try SharedObject.build(
            SharedObject.notingStacks(in: file),
            named: "stacks.so",
            in: installation.directory
        )
        let service = try RunningService(installation, environment: ["LD_PRELOAD": library])
        try #require(!service.log.contains("in ordinary memory"), "a thread of this processor has one stack alone")
        useKeys(of: service, times: 400)
        let places = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").compactMap {
            UInt($0, radix: 16)
        }
        #expect(places.count >= 400)
        let locked = try ProcessMemory(of: service.identifier).mappings.filter(\.isLocked)
        // Whatever has signed at the start may be gone.
        #expect(places.suffix(400).allSatisfy { place in locked.contains { $0.range.contains(place) } })
    }

    @Test("The search finds the copies of a careless program")
    func careless() throws {
        let loader = try ChildProcess(Executable.beside("CarelessLoader"), [installation.key])
        try waitUntil { try !String(contentsOf: loader.outputFile, encoding: .utf8).isEmpty }
        let patterns = try KeyPatterns(pem: String(contentsOfFile: installation.key, encoding: .utf8))
        let memory = try ProcessMemory(of: loader.identifier)
        #expect(try memory.count(of: patterns.number, locked: false) > 0)
        #expect(try memory.count(of: patterns.text, locked: false) > 0)
    }
}
