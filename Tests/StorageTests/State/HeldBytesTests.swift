import LedgerFixtures
import Testing

@testable import Offers
@testable import Storage

@Suite("The bytes of a held subscription")
struct HeldBytesTests {
    /// A subscription with everything that one can have.
    private func rich() -> Chapter {
        var held = subscription("2000000123456789", of: digest(1), transactionId: "2000000987654321", refunded: true)
        let offers: [RedeemedOffer?] = [
            .introductory, .promotional("a"), .offerCode("ü"), .winBack("c"), nil, .other(type: 6, identifier: ""),
        ]
        for (number, offer) in offers.enumerated() {
            let price = offer?.catalogId.map { _ in PaidPrice(milliunits: -4990, currency: "EUR") }
            held = held.joining(
                subscription("2000000123456789", of: digest(2), transactionId: "\(number)", offer: offer, price: price)
            )
        }
        held = held.joining(
            Chapter(
                held.identity,
                shown: [
                    Transaction(
                        originalTransactionId: held.identity.originalTransactionId,
                        productId: "007",
                        offer: .retention("keep"),
                        transactionId: "99"
                    )
                ],
                accounts: [digest(3): .redeemed, digest(4): .presented(at: clock)]
            )
        )
        return held
    }

    /// Purchases of each kind of owner, with what they are copies or parts of, and all that else may be said of them.
    private func purchases() -> Chapter {
        let owners: [Ownership] = [
            .purchased, .familyShared, .assigned, .unknown("GIFTED"), .unknown(""), .unknown(nil),
        ]
        let transactions = owners.enumerated().map { number, owner in
            var transaction = Transaction(
                originalTransactionId: "1",
                productId: "p",
                ownership: owner,
                transactionId: "\(number)"
            )
            if owner == .assigned {
                transaction.webOrderLineItemId = "31"
                transaction.previousOriginalTransactionId = "7"
                transaction.appTransactionId = "704"
                transaction.isAddition = true
                transaction.kind = .bundle
            }
            return Statement(transaction, asOf: clock, by: .signature)
        }
        return Chapter(identity("1"), transactions: transactions, linked: ["7", "8"], confirmed: clock)
    }

    @Test("Kept state is read again, to the last member")
    func roundTrip() throws {
        let rich = rich()
        #expect(rich.shown.count == 1)
        for held in [rich, Chapter(rich.identity, renewal: Statement(nil, asOf: clock, by: .signature)), purchases()] {
            #expect(try Chapter(held.identity, bytes: held.bytes) == held)
        }
        var others = Transaction(originalTransactionId: "1", productId: "p", transactionId: "1")
        others.appAccountToken = AppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138")
        others.isOfferSaid = false
        others.isPaidUpFront = true
        let foreign = Chapter(identity("1"), transactions: [Statement(others, asOf: clock, by: .signature)])
        let read = try Chapter(identity("1"), bytes: foreign.bytes)["1"]
        #expect(read?.appAccountToken == others.appAccountToken)
        #expect(read?.isPaidUpFront == true)
    }

    @Test("Whether a period is free is read again, and not known of what 0.2.0 stored", arguments: [true, false, nil])
    func free(isFree: Bool?) throws {
        var transaction = Transaction(originalTransactionId: "1", productId: "p", transactionId: "1")
        transaction.isFree = isFree
        let bytes = Chapter(identity("1"), transactions: [Statement(transaction, asOf: clock, by: .signature)]).bytes
        for (bytes, expected) in [(bytes, isFree), ([1] + bytes.dropFirst(), nil)] {
            #expect(try Chapter(identity("1"), bytes: bytes)["1"]?.isFree == expected)
        }
    }

    @Test("A subscription with one purchase and its renewal info takes some 150 bytes")
    func size() {
        let transaction = Transaction(
            originalTransactionId: "2000000123456789",
            productId: "com.example.reader.pro.monthly",
            subscriptionGroupIdentifier: "20954321",
            purchaseDate: clock,
            expiresDate: clock.adding(days: 30),
            appAccountToken: digest(1).pseudonym,
            transactionId: "2000000123456790",
            reason: .renewal
        )
        let renewal = RenewalInfo(
            originalTransactionId: "2000000123456789",
            productId: "com.example.reader.pro.monthly",
            subscriptionGroupIdentifier: "20954321",
            autoRenewStatus: true
        )
        let held = Chapter(
            identity("2000000123456789"),
            transactions: [Statement(transaction, asOf: clock, by: .signature)],
            renewal: Statement(renewal, asOf: clock, by: .signature),
            accounts: [digest(1): .bought]
        )
        #expect(held.bytes.count < 160)
    }

    @Test("Truncated and changed bytes are refused or read, and never end the process")
    func damaged() {
        let held = rich()
        let bytes = held.bytes
        for count in 0..<bytes.count { _ = try? Chapter(held.identity, bytes: Array(bytes.prefix(count))) }
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var changed = bytes
                changed[index] = value
                _ = try? Chapter(held.identity, bytes: changed)
            }
        }
        let endless = Array(repeating: UInt8(0xFF), count: 40)
        for bytes in [[], [2], [1], [1, 0, 9], [1, 0, 1, 37], endless, [1] + endless] as [[UInt8]] {
            let failure = #expect(throws: StorageFailure.self) { try Chapter(held.identity, bytes: bytes) }
            #expect(failure?.code == .malformed)
        }
    }
}
