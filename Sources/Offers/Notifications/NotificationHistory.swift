/// An app in an environment: Apple has a notification history of each.
package struct HistoryOwner: Hashable, Sendable {
    package let bundleId: String
    package let environment: AppStoreEnvironment

    package init(bundleId: String, environment: AppStoreEnvironment) {
        self.bundleId = bundleId
        self.environment = environment
    }
}

/// A span of Apple's notification history that is read page by page.
package struct HistoryWindow: Equatable, Sendable {
    package let start: Timestamp
    package let end: Timestamp
    /// Apple's name of the next page; `nil` for the first one.
    package var paginationToken: String?

    package init(start: Timestamp, end: Timestamp, paginationToken: String? = nil) {
        self.start = start
        self.end = end
        self.paginationToken = paginationToken
    }
}

/// How far Apple's notification history was read and stored, window by window: pure arithmetic over moments.
package struct HistoryProgress: Equatable, Sendable {
    /// How far a new mark goes back.
    static let firstSeconds: Int64 = 24 * 3600
    /// How much before the mark is read again: Apple may list a notification some time after its date.
    static let overlapSeconds: Int64 = 600
    /// How long a notification may take to be listed.
    static let delaySeconds: Int64 = 120
    /// How much a window has beyond the mark at least: else each reading would find a moment more.
    static let shortestSeconds: Int64 = 60
    /// How much one window has at most: all of a first reading.
    static let longestSeconds: Int64 = 25 * 3600

    /// The moment from which on the history is read.
    package let since: Timestamp
    /// The mark: all from ``since`` to it is stored.
    package private(set) var mark: Timestamp
    /// The window that is under way; `nil` between two.
    package private(set) var window: HistoryWindow?

    package init(since: Timestamp, mark: Timestamp? = nil, window: HistoryWindow? = nil) {
        self.since = since
        self.mark = mark ?? since
        self.window = window
    }

    /// The progress of a service that has none yet.
    package static func new(at now: Timestamp) -> HistoryProgress {
        HistoryProgress(since: now.adding(seconds: -firstSeconds))
    }

    /// How many days Apple reaches back.
    package static func reachDays(in environment: AppStoreEnvironment) -> Int { environment == .production ? 180 : 30 }

    /// The first moment that a reading begins at: an hour after the first that Apple lists, so that a window which begins
    /// there can be read to its end.
    package static func reach(in environment: AppStoreEnvironment, at now: Timestamp) -> Timestamp {
        firstKept(in: environment, at: now).adding(seconds: 3600)
    }

    /// The first moment that Apple still has, or a minute later: its clock may be ahead.
    private static func firstKept(in environment: AppStoreEnvironment, at now: Timestamp) -> Timestamp {
        now.adding(days: -reachDays(in: environment)).adding(seconds: 60)
    }

    /// Whether the mark is of a clock that was ahead: then nobody knows what is stored.
    package func isInFuture(at now: Timestamp) -> Bool { mark > now.adding(seconds: ClockSkew.toleratedSeconds) }

    /// Whether Apple no longer lists all that came after the mark.
    package func isOutOfReach(in environment: AppStoreEnvironment, at now: Timestamp) -> Bool {
        mark < Self.reach(in: environment, at: now) && !isUnderWay(in: environment, at: now)
    }

    private func isUnderWay(in environment: AppStoreEnvironment, at now: Timestamp) -> Bool {
        window.map { $0.start >= Self.firstKept(in: environment, at: now) && $0.end <= now } ?? false
    }

    /// Begins the next window, or goes on in the one under way; `nil` where all is read that Apple can list by now.
    package mutating func nextWindow(in environment: AppStoreEnvironment, at now: Timestamp) -> HistoryWindow? {
        if isUnderWay(in: environment, at: now) { return window }
        window = nil
        let start = max(mark.adding(seconds: -Self.overlapSeconds), Self.firstKept(in: environment, at: now))
        let end = min(now.adding(seconds: -Self.delaySeconds), start.adding(seconds: Self.longestSeconds))
        guard end >= mark.adding(seconds: Self.shortestSeconds) else { return nil }
        window = HistoryWindow(start: start, end: end)
        return window
    }

    /// Notes that a page is stored, and Apple's name of the next one; `nil` after the last of the window.
    package mutating func stored(nextPage token: String?) {
        guard let end = window?.end else { return }
        window?.paginationToken = token
        guard token == nil else { return }
        mark = max(mark, end)
        window = nil
    }

    /// Begins the window anew, from its first page: Apple does not give one of its pages.
    package mutating func restartWindow() { window = nil }
}

/// A page of Apple's notification history.
package struct HistoryPage: Sendable {
    /// An attempt of Apple's to send a notification.
    package struct Attempt: Equatable, Sendable {
        package let date: Timestamp
        /// `sendAttemptResult`, as it came.
        package let result: String

        package init(date: Timestamp, result: String) {
            self.date = date
            self.result = result
        }
    }

    package struct Item: Sendable {
        package let signedPayload: String
        package let attempts: [Attempt]

        package init(signedPayload: String, attempts: [Attempt]) {
            self.signedPayload = signedPayload
            self.attempts = attempts
        }
    }

    package let items: [Item]
    /// `nil` on the last page.
    package let nextPage: String?

    package init(items: [Item], nextPage: String?) {
        self.items = items
        self.nextPage = nextPage
    }
}

/// Why a page of the history, or a test notification, could not be had.
package struct HistoryFault: Error, Equatable, CustomStringConvertible {
    /// Whether to ask again.
    package enum Kind: Equatable, Sendable {
        /// Asked again, it may be had.
        case temporary
        /// Apple refuses the app's key: asked again, it may be had once somebody has seen to that.
        case keyRefused
        /// Apple does not give this page, however often it is asked: its window may be read from its first page.
        case pageRefused
        /// Apple does not give the window either.
        case windowRefused
    }

    /// How long until a window that was refused is asked for again, in seconds.
    package static let refusedWindowSeconds = 3600

    package let description: String
    /// When Apple wants to be asked again; `nil` where it does not say.
    package let retryAfterSeconds: Int?
    package var kind: Kind

    package init(_ description: String, retryAfterSeconds: Int? = nil, _ kind: Kind = .temporary) {
        self.description = description
        self.retryAfterSeconds = retryAfterSeconds
        self.kind = kind
    }

    /// How long to wait before it is tried again, after so many failures in a row.
    package func pauseSeconds(afterFailures failures: Int) -> Int {
        if kind == .windowRefused { return Self.refusedWindowSeconds }
        return retryAfterSeconds ?? min(1 << min(max(failures - 1, 0), 6), 60)
    }
}

/// The port to Apple's notification history.
package protocol NotificationHistory: Sendable {
    /// The apps that can be asked about: in the catalog, with credentials.
    var owners: [HistoryOwner] { get }

    func page(_ window: HistoryWindow, of owner: HistoryOwner) async throws(HistoryFault) -> HistoryPage
}

/// The port to what is stored of the progress.
package protocol HistoryProgressStore: Sendable {
    /// `nil` where nothing was read yet.
    func progress(of owner: HistoryOwner, by reader: HistoryReader) async throws(StorageFailure) -> HistoryProgress?

    /// Stores the progress; `nil` deletes it.
    func put(
        _ progress: HistoryProgress?,
        of owner: HistoryOwner,
        by reader: HistoryReader
    ) async throws(StorageFailure)
}

/// Who reads the history; the raw values are kept in storage.
package enum HistoryReader: String, Sendable {
    /// The services that share the database.
    case service
    /// The command that reads further back.
    case command
}
