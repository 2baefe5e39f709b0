import Offers
import Testing

@Suite("What a backend signed in place of the right payload")
struct PayloadMistakeTests {
    @Test(
        "A mistake is named, and no other; with the payload, one that nobody thought of as well",
        arguments: [true, false]
    )
    func alone(withPayload: Bool) {
        let report = BackendMistake.report()
        let unforeseen = withPayload ? BackendMistake.unforeseen : []
        for mistake in BackendMistake.single + BackendMistake.several + unforeseen {
            var backend = Backend(signingFor: report)
            mistake.make(&backend)
            let found = BackendMistake.diagnosis(report, signed: backend, withPayload: withPayload).causes
            #expect(Set(found.map(\.code)) == mistake.codes, "\(mistake.testDescription): \(found)")
        }
    }

    @Test("Where the payment has no account, a word in its place is unexpected", arguments: [true, false])
    func unexpected(withPayload: Bool) {
        let report = BackendMistake.report(account: .none)
        for word in ["undefined", "null", "None", "nil", "(null)", "0", "\"\""] {
            var backend = Backend(signingFor: report)
            backend.fields[4] = word
            let found = BackendMistake.diagnosis(report, signed: backend, withPayload: withPayload).causes
            #expect(found.map(\.code) == [.accountUnexpected], "\(word)")
        }
        for mistake in BackendMistake.single where mistake.part != "account" {
            var backend = Backend(signingFor: report)
            mistake.make(&backend)
            // Without a separator, an empty field that is left out is not missed.
            let found = BackendMistake.diagnosis(report, signed: backend, withPayload: withPayload).causes
            #expect(Set(found.map(\.code)) == mistake.codes, "\(mistake.testDescription): \(found)")
        }
    }

    @Test("With the payload, every two mistakes are named, and no others", arguments: [BackendMistake.account, .none])
    func pairs(account: Account) {
        let report = BackendMistake.report(account: account)
        let mistakes = (BackendMistake.single + BackendMistake.unforeseen).filter { mistake in
            mistake.part != "whole" && (account != .none || mistake.part != "account")
        }
        for (place, first) in mistakes.enumerated() {
            for second in mistakes[(place + 1)...] where second.part != first.part && mayBeTold(first, second, account)
            {
                var backend = Backend(signingFor: report)
                first.make(&backend)
                second.make(&backend)
                let found = BackendMistake.diagnosis(report, signed: backend, withPayload: true).causes
                let names = "\(first.testDescription) and \(second.testDescription)"
                #expect(Set(found.map(\.code)) == first.codes.union(second.codes), "\(names): \(found)")
            }
        }
    }

    /// Whether both mistakes can be told apart.
    private func mayBeTold(_ first: BackendMistake, _ second: BackendMistake, _ account: Account) -> Bool {
        let parts: Set = [first.part, second.part]
        let names = [first.name, second.name]
        let leavesOut = names.contains { $0.hasPrefix("without ") }
        // What is in no row, or left out, is not told where fields have no separator of their own.
        if !["", "-", "."].filter(names.contains).isEmpty {
            let isForeseen = BackendMistake.unforeseen.allSatisfy { !names.contains($0.name) }
            if !isForeseen || leavesOut || names.contains("4 and 5") { return false }
        }
        // A line break at the end is a separator too many where line breaks join the fields.
        if names.contains("a line break"), names.contains("\n") { return false }
        // An eighth field belongs to the last one, whichever that is, and has a right separator.
        if names.contains("an eighth field"), !parts.isDisjoint(with: ["order", "separator"]) { return false }
        // Nothing tells an empty account from an empty nonce where both are wrong.
        if account == .none, names.contains("4 and 5"), parts.contains("nonce") { return false }
        // What was left out has no other mistake, and is not told from a field that follows it.
        return !leavesOut || parts.isSubset(of: Self.others)
    }

    private static let others: Set = ["order", "separator", "key", "hash"]

    @Test("The first byte that differs is named with its field and 40 characters from there, unseen ones written out")
    func firstDifference() {
        func detail(_ change: (inout Backend) -> Void) -> String? {
            let report = BackendMistake.report()
            var backend = Backend(signingFor: report)
            change(&backend)
            return BackendMistake.diagnosis(report, signed: backend, withPayload: true).causes.first?.detail
        }
        #expect(
            detail { $0.fields[2] = "monthly\u{A0}" }
                == "The payload differs from its byte 35 on (the first is 0), in productId: "
                + "\"<U+00A0><U+2063>back50<U+2063>led-1<U+2063>0f4c2b1a-9d3e-4f6a-8b7c-1\" was signed, "
                + "\"<U+2063>back50<U+2063>led-1<U+2063>0f4c2b1a-9d3e-4f6a-8b7c-1d\" is due."
        )
        let account = detail { $0.fields[4] = "led\u{200B}-1" }
        #expect(account?.contains("byte 50 on (the first is 0), in account: \"<U+200B>-1<U+2063>0f4c") == true)
        #expect(account?.contains(" was signed, \"-1<U+2063>0f4c2b1a-") == true)
        let character = detail {
            $0.order = []
            $0.ending = "com.example.Reader\u{2064}KEY0"
        }
        #expect(character?.contains("byte 20 on (the first is 0), in bundleId: \"<U+2064>KEY0\" was signed") == true)
        let long = detail { $0.ending = String(repeating: "x", count: 60) }
        #expect(long?.contains("in timestamp: \"\(String(repeating: "x", count: 40))\" was signed, nothing is") == true)
        let short = detail {
            $0.order = []; $0.ending = "com.example.Reader"
        }
        #expect(short?.contains("byte 18 on (the first is 0), in bundleId: nothing was signed, \"<U+2063>KEY0") == true)
    }

    @Test("Beside a difference stand the seven fields that are due, in their order")
    func dueFields() {
        let fixes = [BackendMistake.account, .none].map { account in
            let report = BackendMistake.report(account: account)
            var backend = Backend(signingFor: report)
            backend.fields[2] = "monthly "
            return BackendMistake.diagnosis(report, signed: backend, withPayload: true).causes.first?.fix ?? ""
        }
        let time = BackendMistake.report().timestamp
        let others = "nonce 0f4c2b1a-9d3e-4f6a-8b7c-1d2e3f4a5b6c, timestamp \(time), in this order, with U+2063"
        let first = "bundleId com.example.Reader, keyIdentifier KEY0, productId monthly, offerId back50, "
        #expect(fixes[0].contains("\(first)account led-1, \(others)"), "\(fixes[0])")
        #expect(fixes[1].contains("\(first)account, which is empty, \(others)"), "\(fixes[1])")
    }

    @Test("Bytes that are no text are compared as well")
    func noText() {
        let report = BackendMistake.report(payload: [UInt8](repeating: 0xFF, count: 9))
        let found = BackendMistake.diagnosis(report, by: [])
        #expect(found.causes.map(\.code) == [.wrongKey, .payloadDiffers])
    }

    @Test(
        "A payload that no key of the app has signed, and a text that is no signature: what differs is named all the same"
    )
    func unknownSignature() {
        let report = BackendMistake.report()
        var backend = Backend(signingFor: report)
        backend.fields[5] = report.nonce.uppercased()
        let stranger = BackendMistake.diagnosis(report, signed: backend, withPayload: true, by: ["KEY1"]).causes
        #expect(stranger.map(\.code) == [.nonceUppercase, .wrongKey])
        #expect(stranger.last?.detail.hasPrefix("None of the app's keys has signed this payload") == true)
    }

    @Test("A timestamp whose end was cut off is found without the payload", arguments: [0, 799, 999])
    func cutOff(end: Int64) {
        let milliseconds = clock.millisecondsSince1970 / 1000 * 1000 + end
        let report = BackendMistake.report(account: .none, timestamp: milliseconds / 1000)
        var backend = Backend(signingFor: report)
        backend.fields[6] = String(milliseconds)
        let found = BackendMistake.diagnosis(report, signed: backend).causes
        #expect(found.map(\.code) == [.timestampInSeconds])
    }

    @Test(
        "The search of two mistakes is given up, and the payload asked for; its cost is bounded, and ends with its caller"
    )
    func bounds() async {
        let app = BackendMistake.app("com.example.Reader", (0..<3000).map { ("p\($0)", ["o\($0)"]) })
        func diagnose(_ verifier: CountingVerifier) -> [DiagnosisCause] {
            Diagnostician(of: DiagnosableApp(app: app, verifiers: [verifier]), now: clock)
                .diagnose(BackendMistake.report()).causes
        }
        let verifier = CountingVerifier("KEY0")
        let causes = diagnose(verifier)
        #expect(causes.map(\.code) == [.offerNotInCatalog, .unexplained])
        #expect(causes.last?.fix.contains("payload") == true)
        #expect((1000...4001).contains(verifier.verifications))
        let unasked = CountingVerifier("KEY0")
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = diagnose(unasked)
        }.value
        #expect(unasked.verifications == 1)
    }
}
