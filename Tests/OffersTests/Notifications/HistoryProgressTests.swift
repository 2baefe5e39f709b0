import Offers
import Testing

@Suite("How far Apple's notification history is read")
struct HistoryProgressTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_262_400_000)

    private static func hours(_ hours: Double) -> Timestamp { now.adding(seconds: Int64(hours * 3600)) }

    /// Reads window by window, a page each, until there is no more; gives the hours from now of starts and ends.
    private static func windows(
        _ progress: inout HistoryProgress,
        in environment: AppStoreEnvironment = .production
    ) -> [[Double]] {
        var found: [[Double]] = []
        while let window = progress.nextWindow(in: environment, at: now), found.count < 400 {
            found.append(
                [window.start, window.end].map {
                    (Double($0.millisecondsSince1970 - now.millisecondsSince1970) / 36_000).rounded() / 100
                }
            )
            progress.stored(nextPage: nil)
        }
        return found
    }

    @Test("A first reading begins 24 hours ago, ten minutes earlier, and ends two minutes ago")
    func first() {
        var progress = HistoryProgress.new(at: Self.now)
        #expect(Self.windows(&progress) == [[-24.17, -0.03]])
        #expect(progress.mark == Self.now.adding(seconds: -120))
        #expect(Self.windows(&progress).isEmpty)
        #expect(progress.nextWindow(in: .production, at: Self.now.adding(seconds: 59)) == nil)
        #expect(progress.nextWindow(in: .production, at: Self.now.adding(seconds: 60)) != nil)
    }

    @Test("Windows of 25 hours follow each other, each ten minutes back")
    func days() {
        var progress = HistoryProgress(since: Self.hours(-60))
        #expect(Self.windows(&progress) == [[-60.17, -35.17], [-35.33, -10.33], [-10.5, -0.03]])
    }

    @Test("The mark moves when the last page is stored, and the window stays until then")
    func pages() throws {
        var progress = HistoryProgress(since: Self.hours(-2))
        let first = progress.nextWindow(in: .production, at: Self.now)
        let window = try #require(first)
        progress.stored(nextPage: "2")
        #expect(progress.mark == Self.hours(-2))
        let next = progress.nextWindow(in: .production, at: Self.hours(1))
        let second = try #require(next)
        #expect((second.start, second.end, second.paginationToken) == (window.start, window.end, "2"))
        progress.stored(nextPage: nil)
        #expect(progress.mark == window.end)
    }

    @Test("What Apple no longer tells is not asked for", arguments: [AppStoreEnvironment.production, .sandbox])
    func reach(environment: AppStoreEnvironment) throws {
        let days = environment == .production ? 180 : 30
        let old = HistoryProgress(since: Self.now.adding(days: -200))
        #expect(old.isOutOfReach(in: environment, at: Self.now))
        var progress = HistoryProgress(since: HistoryProgress.reach(in: environment, at: Self.now))
        #expect(!progress.isOutOfReach(in: environment, at: Self.now))
        let windows = Self.windows(&progress, in: environment)
        #expect((days * 24 / 25...days).contains(windows.count))
        #expect(try #require(windows.first?.first) > Double(-days * 24))
    }

    @Test("A mark in the future says nothing; a window of a clock that was ahead is not asked for")
    func future() throws {
        #expect(HistoryProgress(since: Self.hours(0.2)).isInFuture(at: Self.now))
        #expect(!HistoryProgress(since: Self.now).isInFuture(at: Self.now))
        let ahead = HistoryWindow(start: Self.hours(-1), end: Self.hours(5), paginationToken: "2")
        var progress = HistoryProgress(since: Self.hours(-1), window: ahead)
        let first = progress.nextWindow(in: .production, at: Self.now)
        let window = try #require(first)
        #expect(window.end < Self.now)
        #expect(window.paginationToken == nil)
    }

    @Test("Failures are tried again after 1, 2, 4 … 60 seconds, or when Apple says")
    func pauses() {
        let fault = HistoryFault("")
        #expect((1...9).map { fault.pauseSeconds(afterFailures: $0) } == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        #expect(HistoryFault("", retryAfterSeconds: 700).pauseSeconds(afterFailures: 1) == 700)
    }
}
