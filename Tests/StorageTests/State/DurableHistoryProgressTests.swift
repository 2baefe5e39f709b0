import Offers
import Testing

@testable import Storage

@Suite("What is stored of Apple's notification history")
struct DurableHistoryProgressTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_000_000_000)
    private static let owner = HistoryOwner(bundleId: "com.example.reader", environment: .sandbox)

    @Test("Mark, window and page come back as they were, of service and command apart", arguments: LedgerHome.allCases)
    func progress(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = DurableHistoryProgress(try fixture.database())
        #expect(try await store.progress(of: Self.owner, by: .service) == nil)
        let window = HistoryWindow(start: Self.now.adding(days: -1), end: Self.now, paginationToken: "page 2")
        let progress = HistoryProgress(since: Self.now.adding(days: -3), mark: window.start, window: window)
        try await store.put(progress, of: Self.owner, by: .service)
        try await store.put(HistoryProgress(since: Self.now), of: Self.owner, by: .command)
        #expect(try await store.progress(of: Self.owner, by: .service) == progress)
        try await store.put(HistoryProgress(since: Self.now), of: Self.owner, by: .service)
        #expect(try await store.progress(of: Self.owner, by: .service) == HistoryProgress(since: Self.now))
        try await store.put(nil, of: Self.owner, by: .command)
        #expect(try await store.progress(of: Self.owner, by: .command) == nil)
    }

    @Test("One of two reads, for as long as it asks; when it is gone, the other does", arguments: LedgerHome.allCases)
    func leader(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let patience = Duration.seconds(5)
        let other = DurableHistoryProgress(try fixture.database(), patience: patience)
        do {
            let one = DurableHistoryProgress(try fixture.database(), patience: patience)
            #expect(try await one.isReader())
            #expect(try await !other.isReader())
            #expect(try await one.isReader())
        }
        try await wait { try await other.isReader() }
        #expect(try await other.isReader())
    }
}
