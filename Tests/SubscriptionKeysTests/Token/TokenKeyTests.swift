import Offers
import SubscriptionKeys
import Testing

@Suite("A key that stays in a token signs, or says what its token does", .serialized)
struct TokenKeyTests {
    private let fixture: TokenFixture
    private let message = Array("message".utf8)

    init() throws {
        fixture = try TokenFixture.shared.get()
        try fixture.order("ok")
    }

    private func untilItSigns(_ key: TokenKey) async throws {
        for _ in 0..<100 where key.unavailability != nil { try await Task.sleep(for: .milliseconds(50)) }
        #expect(key.unavailability == nil)
    }

    @Test("Apple's P8, imported, signs what openssl verifies")
    func signs() async throws {
        let key = try fixture.load()
        #expect(key.description.token == "offers" && key.description.label == "EXAMPLE123")
        #expect(key.description.isSensitive == true && key.description.isExtractable == false)
        let signature = try await fixture.sign(key, message)
        #expect(try fixture.workbench.opensslVerifies(signature, over: message, by: fixture.key))
        #expect(await key.selfTest() == nil)
    }

    @Test(
        "A fault lists what is there, and no PIN",
        arguments: [
            ("pkcs11:token=other;object=A", "has no token that the URI names; it has \"offers\" (serial "),
            ("pkcs11:token=offers;object=A", "no private key that the URI names; it has \"EXAMPLE123\" (id %01)"),
            ("pkcs11:token=offers;object=A", #""\u{1b}[2J" (id %04)"#),
            ("pkcs11:token=offers;object=TWICE", "names 2 private keys"),
        ]
    )
    func fault(uri: String, says: String) throws {
        let fault = try #require(throws: KeyError.self) { try fixture.load(uri) }
        #expect(fault.description.contains(says), "\(fault)")
        #expect(!fault.description.contains("4711") && !fault.description.contains("\u{1B}"))
    }

    @Test(
        "A failed signature is tried once more, and then the key is away until its token is back",
        arguments: [
            // SESSION_HANDLE_INVALID, DEVICE_REMOVED, TOKEN_NOT_PRESENT, USER_NOT_LOGGED_IN, DEVICE_ERROR,
            // FUNCTION_FAILED, OPERATION_ACTIVE, GENERAL_ERROR, and one of a vendor's own.
            "fail 179", "fail 50", "fail 224", "fail 257", "fail 48", "fail 6", "fail 144", "fail 5", "fail 2147483649",
            "short",
        ]
    )
    func fails(order: String) async throws {
        let key = try fixture.load()
        try fixture.order(order)
        let failure = await #expect(throws: SigningFailure.self) { try await fixture.sign(key, message) }
        #expect(failure?.isUnavailability == true)
        #expect(key.unavailability != nil)
        try fixture.order("ok")
        try await untilItSigns(key)
        _ = try await fixture.sign(key, message)
    }

    @Test("A lost session is opened anew within the same signature")
    func forgets() async throws {
        let key = try fixture.load()
        try fixture.order("forget")
        let signature = try await fixture.sign(key, message)
        #expect(try fixture.workbench.opensslVerifies(signature, over: message, by: fixture.key))
    }

    @Test("A signature that takes too long is given up in time, and those after it are refused at once while all hang")
    func delays() async throws {
        let key = try fixture.load()
        try fixture.order("delay 1500")
        let start = ContinuousClock.now
        let message = message
        let steps = try (0..<3).map { _ in
            try key.work { (signer) throws(SigningFailure) in try signer.derSignature(over: message.span) }
        }
        for step in steps {
            await #expect(throws: SigningFailure.self) { try await step.value() }
        }
        #expect(start.duration(to: .now) < .milliseconds(1200))
        #expect(key.unavailability != nil)
        let again = ContinuousClock.now
        await #expect(throws: SigningFailure.self) { try await fixture.sign(key, message) }
        #expect(again.duration(to: .now) < .milliseconds(100))
        try fixture.order("ok")
        try await untilItSigns(key)
        _ = try await fixture.sign(key, message)
    }

    @Test(
        "A signature that the public key does not verify never leaves, and takes the key out of use until it signs right"
    )
    func wrong() async throws {
        let key = try fixture.load()
        let before = fixture.modules.faults["wrong_signature"] ?? 0
        try fixture.order("wrong")
        let failure = await #expect(throws: SigningFailure.self) { try await fixture.sign(key, message) }
        #expect(failure?.isUnavailability == true)
        #expect(key.unavailability?.contains("does not verify") == true)
        #expect(fixture.modules.faults["wrong_signature"] ?? 0 > before)
        #expect(throws: SigningFailure.self) { try key.derSignature(over: message.span) }
        try fixture.order("ok")
        try await untilItSigns(key)
        let signature = try await fixture.sign(key, message)
        #expect(try fixture.workbench.opensslVerifies(signature, over: message, by: fixture.key))
    }

    @Test(
        "Of several sessions one signs with another key: nothing of it leaves, and the key is back with a new session"
    )
    func stray() async throws {
        let key = try fixture.load()
        let message = message
        for _ in 0..<3 {
            try fixture.order("stray")
            var refused = 0
            for _ in 0..<10 {
                let steps = (0..<4).map { _ in
                    try? key.work { (signer) throws(SigningFailure) in try signer.derSignature(over: message.span) }
                }
                for step in steps {
                    guard let signature = try? await step?.value() else {
                        refused += 1
                        continue
                    }
                    #expect(try fixture.workbench.opensslVerifies(signature, over: message, by: fixture.key))
                }
            }
            #expect(refused > 0)
            try fixture.order("ok")
            try await untilItSigns(key)
        }
    }

    @Test("A session that does not sign takes down no other: all is signed, and the fault names the call that failed")
    func oneSession() async throws {
        let key = try fixture.load()
        let before = fixture.modules.faults["CKR_DEVICE_ERROR"] ?? 0
        try fixture.order("lame 48")
        for _ in 0..<40 {
            let signature = try await fixture.sign(key, message)
            #expect(try fixture.workbench.opensslVerifies(signature, over: message, by: fixture.key))
            #expect(key.unavailability == nil)
        }
        #expect(fixture.modules.faults["CKR_DEVICE_ERROR"] ?? 0 > before)
        try fixture.order("init 5")
        let fault = await #expect(throws: SigningFailure.self) { try await fixture.sign(key, message) }
        #expect(fault?.detail.contains("C_SignInit answers CKR_GENERAL_ERROR (slot-id ") == true, "\(fault as Any)")
        try fixture.order("ok")
        try await untilItSigns(key)
    }

    @Test("C_OpenSession that hangs for a minute while the token comes back does not keep the key away as long")
    func hangsAtOpening() async throws {
        let key = try fixture.load()
        try fixture.order("fail 48")
        await #expect(throws: SigningFailure.self) { try await fixture.sign(key, message) }
        try fixture.order("hang 60000")
        try await Task.sleep(for: .seconds(2))
        try fixture.order("ok")
        for _ in 0..<300 where key.unavailability != nil { try await Task.sleep(for: .milliseconds(100)) }
        _ = try await fixture.sign(key, message)
    }
}
