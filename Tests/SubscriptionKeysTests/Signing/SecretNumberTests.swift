import Crypto
import Foundation
import ProcessMemory
import Synchronization
import Testing

@testable import SubscriptionKeys

/// A signature's secret number (SEC 1 §4.1.3) is as good as the key: with the signature, the key follows from it.
@Suite("The secret number of a signature")
struct SecretNumberTests {
    private static let depth = 256 << 10

    /// What was on the stack below a signature, on the one that OpenSSL had for it, and the signature.
    private struct Trace: Sendable {
        let signature: [UInt8]
        let stack: [UInt8]
        /// Empty where OpenSSL signs on the thread's.
        let signingStack: [UInt8]
    }

    /// Signs on a thread with a stack of its own, and copies what is below, and what is left where OpenSSL was.
    private func trace(_ signer: SigningKey, _ message: [UInt8]) -> Trace {
        let trace = Mutex<Trace?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let thread = Thread {
            let copy = UnsafeMutableRawPointer.allocate(byteCount: Self.depth, alignment: 16)
            let signature = (try? signer.derSignature(over: message.span)) ?? []
            var here: UInt8 = 0
            withUnsafeMutablePointer(to: &here) { _ = memcpy(copy, UnsafeRawPointer($0) - Self.depth, Self.depth) }
            let stack = Array(UnsafeRawBufferPointer(start: copy, count: Self.depth))
            let signingStack = SigningStack.ofThisThread().map { end in
                Array(UnsafeRawBufferPointer(start: end - SigningStack.depth, count: SigningStack.depth))
            }
            trace.withLock { $0 = Trace(signature: signature, stack: stack, signingStack: signingStack ?? []) }
            copy.deallocate()
            isDone.signal()
        }
        thread.stackSize = 4 * Self.depth
        thread.start()
        isDone.wait()
        return trace.withLock { $0 } ?? Trace(signature: [], stack: [], signingStack: [])
    }

    /// The two numbers of a signature in DER.
    private func numbers(of signature: [UInt8]) throws -> (r: P256Scalar, s: P256Scalar) {
        let raw = try P256.Signing.ECDSASignature(derRepresentation: signature).rawRepresentation
        return (P256Scalar(bigEndian: raw.prefix(32)), P256Scalar(bigEndian: raw.suffix(32)))
    }

    /// Where a pattern begins.
    private func count(of pattern: [UInt8], in stack: [UInt8]) -> Int {
        stack.indices.count { place in stack[place] == pattern[0] && stack[place...].starts(with: pattern) }
    }

    /// Looks for what a signature's secret number leaves on the thread's ordinary stack.
    private func leftovers(of key: TestKey, _ signer: SigningKey, _ message: [UInt8]) throws -> Int {
        let trace = trace(signer, message)
        let (r, s) = try numbers(of: trace.signature)
        let sum = P256Scalar(bigEndian: Array(SHA256.hash(data: message))) + r * P256Scalar(bigEndian: key.scalar)
        let secret = sum * s.inverse
        let inverse = s * sum.inverse
        #expect(secret * inverse == P256Scalar(bigEndian: [1]))
        // OpenSSL computes with them times 2^256, after Montgomery.
        let root = P256Scalar(bigEndian: [1] + [UInt8](repeating: 0, count: 16))
        let forms = [secret, inverse].flatMap { [$0, $0 * root * root] }
        return forms.flatMap(\.patterns).reduce(0) { $0 + count(of: $1, in: trace.stack) }
    }

    @Test("Nothing of it, nor of numbers computed from it, is on a thread's stack after a signature")
    func leftovers() throws {
        let workbench = try Workbench()
        let key = try TestKey()
        let signer = try SigningKey(contentsOf: key.write(on: workbench), keyIdentifier: "TEST123456")
        for round in 0..<2 { #expect(try leftovers(of: key, signer, Array("message \(round)".utf8)) == 0) }
    }

    @Test("Of the stack on which OpenSSL signs, all is overwritten after a signature")
    func signingStack() throws {
        let workbench = try Workbench()
        let signer = try workbench.load(TestKey().pem)
        for round in 0..<2 {
            let trace = trace(signer, Array("message \(round)".utf8))
            try #require(trace.signature.count > 64)
            // Without one, the test above has looked where OpenSSL was.
            #expect(trace.signingStack.isEmpty == (SigningStack.whyOrdinary != nil))
            #expect(trace.signingStack.allSatisfy { $0 == 0 })
        }
    }

    @Test("So it is where there is no memory for another stack")
    func ordinaryStack() async throws {
        await #expect(processExitsWith: .success) {
            // Room for the arena alone; root may lock without limit: become nobody.
            var limit = rlimit(rlim_cur: 64 << 10, rlim_max: 64 << 10)
            try #require(setrlimit(__rlimit_resource_t(8), &limit) == 0)
            if geteuid() == 0 { try #require(setuid(65534) == 0) }
            let workbench = try Workbench()
            let key = try TestKey()
            let signer = try SigningKey(contentsOf: key.write(on: workbench), keyIdentifier: "TEST123456")
            let reason = try #require(SigningStack.whyOrdinary)
            // Said as "Resource temporarily unavailable", it would seem to pass.
            #expect(reason.contains("memory: ") && reason.contains("; raise the limit of locked memory (systemd:"))
            let count = try SecretNumberTests().leftovers(of: key, signer, Array("message".utf8))
            #expect(count == 0)
        }
    }

    @Test("Threads that come and go give their stacks back")
    func threads() throws {
        let workbench = try Workbench()
        let signer = try workbench.load(TestKey().pem)
        let before = try ProcessMemory(of: getpid()).mappings.count(where: \.isLocked)
        for round in 0..<64 { #expect(trace(signer, Array("message \(round)".utf8)).signature.count > 64) }
        // Those of other tests that run beside this one are few.
        #expect(try ProcessMemory(of: getpid()).mappings.count(where: \.isLocked) < before + 32)
    }
}
