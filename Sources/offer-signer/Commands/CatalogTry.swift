import ArgumentParser
import Foundation
import OfferService
import Offers
import Storage

struct CatalogTry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Counts what another catalog would decide, for every customer with held state.",
        usage: "offer-signer catalog try --config <file> --with <file> [<options>]",
        discussion: """
            Each offer is decided by both catalogs, at one moment, as a request without evidence would be; what is held \
            counts at any age. Nothing is signed, recorded or remembered. The service may be running.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("The other catalog; it needs no keys.", valueName: "file"))
    var with: String

    @Option(help: ArgumentHelp("Only this offer; may be repeated.", valueName: "product/offer"))
    var offer: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard !with.isEmpty else { throw ValidationError("--with is the path of a file, such as catalog.new.yaml.") }
        for text in offer where Self.request(text) == nil {
            throw ValidationError("--offer is PRODUCT/OFFER, the two ids with a slash between them.")
        }
    }

    private static func request(_ text: String) -> OfferRequest? {
        // No id has a slash in App Store Connect.
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts.allSatisfy({ (1...Identifier.maximumBytes).contains($0.utf8.count) }) else {
            return nil
        }
        return OfferRequest(productId: parts[0], offerId: parts[1])
    }

    func run() async throws {
        let settings = try options.settings()
        let before = settings.apps.map(\.app)
        let other = try options.loadApps(ofCatalog: with, hasNotifications: settings.listeners.notifications != nil)
            .map(\.app)
        let asked = Set(offer.compactMap(Self.request))
        try check(asked, of: before + other)
        let (database, digestKey) = try OpenLedger.readOnlyWithKey(settings)
        let storage = database.storage
        let trial = CatalogTrial(
            before: before,
            with: other,
            only: asked.isEmpty ? nil : asked,
            at: WallClock.now(),
            drawingBy: digestKey
        ) { questions throws(StorageFailure) in
            try await HeldCustomerWalk.answers(to: questions, in: storage, digestKey)
        }
        let report: TrialReport
        do throws(StorageFailure) {
            report = try await Self.run(trial, in: storage, digestKey)
        } catch {
            Console.progress("")
            throw ValueFault("the ledger cannot be read: \(error.detail)")
        }
        Console.progress("")
        await database.close()
        try Console.result(json ? report.json : report.text)
    }

    private func check(_ asked: Set<OfferRequest>, of apps: [App]) throws {
        for request in asked.sorted(by: { ($0.productId, $0.offerId) < ($1.productId, $1.offerId) }) {
            let products = apps.compactMap { $0.product(request.productId)?.product }
            guard !products.contains(where: { $0.offer(request.offerId) != nil }) else { continue }
            let missing =
                products.isEmpty
                ? "product \(Echo.beginning(of: request.productId)); "
                    + Echo.hint(for: request.productId, among: apps.flatMap { $0.offers.map(\.productId) }.unique)
                : "offer \(Echo.beginning(of: request.offerId)) on \(Echo.known(request.productId)); "
                    + Echo.hint(for: request.offerId, among: products.flatMap { $0.offers.map(\.id) }.unique)
            Console.message("error: --offer: neither catalog has the \(missing)")
            throw ExitCode.validationFailure
        }
    }

    /// Reads one page while others are decided.
    private static func run(
        _ trial: CatalogTrial,
        in storage: any SQLDatabase,
        _ digestKey: DigestKey
    ) async throws(StorageFailure) -> TrialReport {
        var walk = try await HeldCustomerWalk(of: storage, digestKey: digestKey) { count in
            if count % 50_000 == 0 { Console.progress("counting: \(count.of("subscription"))") }
        }
        var progress = TrialProgress(of: walk.total)
        var tally = TrialTally(rows: trial.offers.count)
        let width = max(ProcessInfo.processInfo.activeProcessorCount, 1)
        var failure: StorageFailure?
        await withTaskGroup(of: Result<TrialTally, StorageFailure>.self) { group in
            var running = 0
            func collect(_ result: Result<TrialTally, StorageFailure>?) {
                running -= 1
                switch result {
                case .success(let part): tally.add(part)
                case .failure(let error): failure = failure ?? error
                case nil: break
                }
            }
            do throws(StorageFailure) {
                while failure == nil, let page = try await walk.next() {
                    if running == width { collect(await group.next()) }
                    running += 1
                    group.addTask {
                        do throws(StorageFailure) {
                            return .success(try await trial.tally(try page.customers()))
                        } catch {
                            return .failure(error)
                        }
                    }
                    progress.add(page)
                }
            } catch {
                failure = failure ?? error
            }
            while running > 0 { collect(await group.next()) }
        }
        if let failure { throw failure }
        return TrialReport(trial.offers, tally, changedMeanwhile: walk.changed)
    }
}

/// How far a trial is, with its rate and the time that is left, on a terminal.
private struct TrialProgress {
    private let total: Int
    private var start = ContinuousClock.now
    private var shown = ContinuousClock.now
    private var done = 0
    private var isLastPass = false

    init(of total: Int) { self.total = total }

    mutating func add(_ page: HeldCustomers) {
        let now = ContinuousClock.now
        if page.isLastPass, !isLastPass { (isLastPass, start, done) = (true, now, 0) }
        done += page.subscriptions
        guard shown.duration(to: now) >= .milliseconds(250), done > 0 else { return }
        shown = now
        let seconds = start.duration(to: now) / .seconds(1)
        let rate = Double(done) / max(seconds, 0.001)
        let left = Double(max(total - done, 0)) / rate
        Console.progress(
            (isLastPass ? "without an account, or changed meanwhile: " : "")
                + "\(min(done, total)) of \(total.of("subscription")), \(Int(rate)) a second, "
                + "\(Int(left.rounded(.up))) s left"
        )
    }
}

extension [String] {
    fileprivate var unique: [String] {
        var known: Set<String> = []
        return filter { known.insert($0).inserted }
    }
}
