import LedgerFixtures
import OfferService
import Testing

@testable import Offers
@testable import Storage

@Suite("Another catalog, tried")
struct CatalogTrialTests {
    private static let bundleId = "com.example.reader"
    private static let customers = 2_000

    private struct NoEvidence: EvidenceReader {
        func book(from evidence: Evidence) throws(EvidenceFault) -> Book { Book() }
    }

    private static func app(
        lapsedFor days: Int = 200,
        requiresAccount: Bool = false,
        customerSeparator: CustomerSeparator? = nil
    ) -> App {
        let offers = [
            PromotionalOffer(id: "comeback") {
                $0.audience = [.lapsed]
                $0.maximumLapsedDays = days
            },
            PromotionalOffer(id: "capped") {
                $0.maxRedemptions = 1
                $0.maximumSignaturesPerCustomer = 1
            }, PromotionalOffer(id: "half") { $0.holdout = Holdout(percent: 50) },
        ]
        return App(
            bundleId: bundleId,
            environments: [.production, .sandbox],
            requiresAccount: requiresAccount,
            customerSeparator: customerSeparator,
            subscriptionGroups: [SubscriptionGroup(id: "1", products: [Product(id: "monthly", offers: offers)])]
        )
    }

    private static func account(_ number: Int) -> Account {
        number.isMultiple(of: 3)
            ? .applicationUsername("reader-\(number)")
            : AppAccountToken("00000000-0000-4000-8000-" + String(format: number)).map(Account.appAccountToken) ?? .none
    }

    /// A customer of many kinds, the same at each run; every tenth subscription has no account.
    private static func book(_ number: Int) -> Book {
        var random = Words(state: UInt64(number))
        func up(to bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        let digest = account(number).stateKey.map { testDigestKey.digest(of: $0, bundleId: bundleId) }
        let isLone = number.isMultiple(of: 10)
        var chapters: [Chapter] = []
        for part in 0...(up(to: 8) == 0 ? 1 : 0) {
            let id = "\(1_000_000 + number * 10 + part)"
            let end = clock.adding(days: up(to: 500) - 450)
            let isNamed = !number.isMultiple(of: 3) && !isLone
            let account = isNamed ? digest?.pseudonym : nil
            var purchase = Transaction(id, in: "1", from: end.adding(days: -30), until: end, by: account)
            purchase.revocationDate = up(to: 12) == 0 ? end.adding(days: -3) : nil
            purchase.offer = up(to: 4) == 0 ? .promotional("capped") : nil
            let said = min(end.adding(days: up(to: 20) - 10), clock)
            let renewal = RenewalInfo(originalTransactionId: id, productId: "monthly", autoRenewStatus: up(to: 2) == 0)
            let environment: AppStoreEnvironment = up(to: 8) == 0 ? .sandbox : .production
            chapters.append(
                Chapter(
                    SubscriptionIdentity(bundleId: bundleId, environment: environment, originalTransactionId: id),
                    transactions: [Statement(purchase, asOf: said, by: .signature)],
                    renewal: Statement(renewal, asOf: said, by: .signature),
                    accounts: isLone ? [:] : digest.map { [$0: isNamed ? .bought : .presented(at: said)] } ?? [:]
                )
            )
        }
        return Book(chapters: chapters)
    }

    private static func service(_ app: App, _ journal: Journal) -> SignOffers {
        SignOffers(
            apps: [SigningApp(app: app, signer: KeySigner())],
            evidenceReader: NoEvidence(),
            memory: StateMemory(states: journal, digester: testDigestKey, draw: testDigestKey),
            maximumEvidenceAgeSeconds: 0,
            ledger: journal,
            now: { clock }
        )
    }

    private static func tried(_ fixture: LedgerFixture, _ before: [App], _ with: [App]) async throws -> (
        TrialTally, Int
    ) {
        let database = try fixture.database()
        let trial = CatalogTrial(before: before, with: with, only: nil, at: clock, drawingBy: testDigestKey) {
            (questions) throws(StorageFailure) in
            try await HeldCustomerWalk.answers(to: questions, in: database, testDigestKey)
        }
        var tally = TrialTally(rows: trial.offers.count)
        var walk = try await HeldCustomerWalk(of: database, digestKey: testDigestKey) { _ in }
        while let page = try await walk.next() { tally.add(try await trial.tally(try page.customers())) }
        return (tally, walk.changed)
    }

    @Test(
        "The counts are those of single decisions by the service, for all kinds of customers",
        arguments: LedgerHome.allCases
    )
    func bruteForce(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let books = (0..<Self.customers).map(Self.book)
        for start in stride(from: 0, to: books.count, by: 100) {
            _ = try fixture.states().commit(
                books[start..<min(start + 100, books.count)].map { StateWork(notification: nil, observation: $0) }
            )
        }
        let journal = try fixture.journal(at: clock)
        let apps = [Self.app(), Self.app(lapsedFor: 60)]
        let services = apps.map { Self.service($0, journal) }
        let offers = apps[0].offers
        // Some have used their limit up.
        for number in stride(from: 1, to: Self.customers, by: 7) {
            let request = CustomerRequest(
                client: "backend",
                bundleId: Self.bundleId,
                account: Self.account(number),
                evidence: nil,
                .signatures([OfferRequest(productId: "monthly", offerId: "capped")])
            )
            _ = try await services[0].answer(request)
        }
        var eligible = [[0, 0], [0, 0], [0, 0]]
        var gained = [0, 0, 0]
        var lost = [0, 0, 0]
        for (number, book) in books.enumerated() {
            // Of those without an account each subscription is a customer.
            let asked = number.isMultiple(of: 10) ? book.chapters.map { $0.id } : [nil]
            for id in asked {
                var verdicts: [[Bool]] = []
                for service in services {
                    let request = CustomerRequest(
                        client: "backend",
                        bundleId: Self.bundleId,
                        account: id == nil ? Self.account(number) : .none,
                        evidence: nil,
                        .eligibility(offers),
                        trial: id.map { CustomerRequest.Trial(of: $0, at: nil) }
                    )
                    let answer = try await service.answer(request)
                    verdicts.append(answer.decisions.map { $0.decision.verdict == .eligible })
                }
                for place in offers.indices {
                    for side in 0..<2 where verdicts[side][place] { eligible[place][side] += 1 }
                    if verdicts[1][place], !verdicts[0][place] { gained[place] += 1 }
                    if verdicts[0][place], !verdicts[1][place] { lost[place] += 1 }
                }
            }
        }
        journal.close()
        let (tally, changed) = try await Self.tried(fixture, [apps[0]], [apps[1]])
        #expect(tally.rows.map { [$0.before, $0.with] } == eligible)
        #expect(tally.rows.map(\.gained) == gained)
        #expect(tally.rows.map(\.lost) == lost)
        #expect(lost[0] > 0 && lost[1] == 0 && eligible.joined().allSatisfy { $0 > 0 }, "\(eligible), \(lost)")
        let moved = tally.rows[0].moves.filter {
            $0.key.from == .decided(.lapsed) && $0.key.to == .decided(.lapsedTooLong)
        }
        #expect(moved.map(\.value) == [lost[0]])
        let lone = books.enumerated().filter { $0.offset.isMultiple(of: 10) }.reduce(0) {
            $0 + $1.element.chapters.count
        }
        #expect(tally.customers == Self.customers - Self.customers / 10 + lone)
        #expect(changed == 0)
    }

    @Test("An offer, or an app, of one catalog alone counts nobody on the other side")
    func only() async throws {
        let fixture = try LedgerFixture(.sqlite)
        try fixture.states().learn(Self.book(1))
        for (before, with) in [
            ([Self.app()], [App(bundleId: Self.bundleId, subscriptionGroups: [])]), ([Self.app()], []),
        ] {
            let (tally, _) = try await Self.tried(fixture, before, with)
            #expect(tally.customers == 1)
            #expect(tally.rows.allSatisfy { $0.with == 0 && $0.gained == 0 && $0.lost == $0.before })
            #expect(tally.rows.flatMap { $0.moves.keys.map(\.to) }.allSatisfy { $0 == .decided(.offerNotInCatalog) })
        }
    }

    @Test("Where one of the catalogs cuts names, limits are known by neither, and nobody is gained or lost by that")
    func separator() async throws {
        let fixture = try LedgerFixture(.sqlite)
        try fixture.states().learn(Self.book(3))
        let apps = [Self.app(), Self.app(customerSeparator: CustomerSeparator(":"))]
        for (before, with) in [(apps[0], apps[1]), (apps[1], apps[0])] {
            let (tally, _) = try await Self.tried(fixture, [before], [with])
            #expect(tally.limitsUnknown == 1)
            #expect(tally.rows.allSatisfy { $0.before == $0.with && $0.moves.isEmpty })
        }
    }

    @Test("A subscription without an account is refused where a catalog wants one")
    func withoutAccount() async throws {
        let fixture = try LedgerFixture(.sqlite)
        try fixture.states().learn(Self.book(0))
        let (tally, _) = try await Self.tried(fixture, [Self.app()], [Self.app(requiresAccount: true)])
        #expect(tally.rows.flatMap { $0.moves.keys.map(\.to) }.allSatisfy { $0 == .accountRequired })
    }

    @Test("What came, went or changed meanwhile is counted")
    func changed() async throws {
        let fixture = try LedgerFixture(.sqlite)
        let states = try fixture.states()
        try states.learn(Self.book(1), Self.book(2), Self.book(4))
        let database = try fixture.database()
        var walk = try await HeldCustomerWalk(of: database, digestKey: testDigestKey) { _ in }
        _ = try await walk.next()
        let subscriptions = Self.book(1).chapters.count
        let gone = try #require(StoredCustomer(Self.account(1), of: Self.app(), by: testDigestKey))
        _ = try states.erase(gone)
        try states.learn(Self.book(5))
        while try await walk.next() != nil {}
        #expect(walk.changed == subscriptions + Self.book(5).chapters.count)
    }
}

extension String {
    fileprivate init(format number: Int) { self = String(repeating: "0", count: 12 - "\(number)".count) + "\(number)" }
}

/// SplitMix64: the same words at each run.
private struct Words: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
