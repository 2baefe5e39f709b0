import Offers
import Testing

@testable import Storage

@Suite("The draw of customers who are held out")
struct HoldoutDrawTests {
    private static let bundleId = "com.example.reader"
    private let key: DigestKey

    init() throws { key = try #require(DigestKey(bytes: Array(0..<32))) }

    private func customer(_ text: String) -> AccountDigest {
        key.digest(ofCustomer: text, originalTransactionId: nil, bundleId: Self.bundleId)
    }

    /// By `hmac` of Python, with the key that it makes of the digest key and "offer-signer holdout draw 1".
    @Test("A draw is the first eight bytes of HMAC-SHA256 over the name, a zero byte and the customer's digest")
    func knownAnswers() {
        let anna = customer("anna.schmidt@example.com")
        #expect(key.draw("spring26", of: anna) == 0xd80a_1bbc_dadb_32a4)
        #expect(key.draw("früh😀", of: anna) == 0x6c3c_13eb_e6f7_2b62)
        let subscription = key.digest(ofCustomer: nil, originalTransactionId: "1000", bundleId: Self.bundleId)
        #expect(key.draw("comeback50", of: subscription) == 0x7add_22c6_f209_bd74)
    }

    @Test("Two services hold out the same of 100,000 customers; shares fit, and a larger one has all of a smaller")
    func shares() throws {
        let other = try #require(DigestKey(bytes: Array(0..<32)))
        let count = 100_000
        let percents = [1, 10, 50, 99]
        var held = [Int](repeating: 0, count: percents.count)
        var (differences, returned, both) = (0, 0, 0)
        for number in 0..<count {
            let customer = customer("customer-\(number)")
            let draw = key.draw("spring26", of: customer)
            if other.draw("spring26", of: customer) != draw { differences += 1 }
            let isHeldOut = percents.map { Holdout(percent: $0).holdsOut(draw) }
            for index in percents.indices where isHeldOut[index] { held[index] += 1 }
            for (smaller, larger) in zip(isHeldOut, isHeldOut.dropFirst()) where smaller && !larger { returned += 1 }
            if isHeldOut[2], Holdout(percent: 50).holdsOut(key.draw("autumn26", of: customer)) { both += 1 }
        }
        #expect(differences == 0)
        #expect(returned == 0)
        for (percent, held) in zip(percents, held) { expectFit(held, of: count, share: Double(percent) / 100) }
        // The draws of two names are independent.
        expectFit(both, of: count, share: 0.25)
    }

    /// Expects a number within three standard deviations.
    private func expectFit(_ found: Int, of count: Int, share: Double) {
        let deviation = (Double(count) * share * (1 - share)).squareRoot()
        #expect(abs(Double(found) - Double(count) * share) < 3 * deviation, "\(found) for \(share)")
    }

    @Test("A percent holds out exactly the draws below it")
    func bounds() {
        for percent in Holdout.percents {
            let holdout = Holdout(percent: percent)
            // Below the hundredths of 2^64, rounded up.
            let (quotient, rest) = UInt64(100).dividingFullWidth((UInt64(percent), 0))
            let limit = rest == 0 ? quotient : quotient + 1
            #expect(holdout.holdsOut(limit - 1) && !holdout.holdsOut(limit))
        }
        #expect(Holdout(percent: 1).holdsOut(0))
        #expect(!Holdout(percent: 99).holdsOut(.max))
    }
}
