import AppStoreSimulator
import ArgumentParser
import Foundation
import LoadGenerator

/// The options of `load` that say what is asked.
struct LoadQuestionOptions: ParsableArguments {
    @Option(help: .init("The app; needed where the client has several.", valueName: "id"))
    var bundleId: String?

    @Option(help: .init("The product. By default any that can be signed for.", valueName: "id"))
    var productId: String?

    @Option(help: .init("The offer. By default any that can be signed.", valueName: "id"))
    var offerId: String?

    @Option(
        help: .init(
            """
            The kinds of evidence with their weights, such as receiptResponse=80,signedTransactions=10,transactionId=10. \
            Also receipt, and held: requests without evidence, after signed transactions have made the customer known.
            """,
            valueName: "mix"
        )
    )
    var mix = "receiptResponse"

    @Option(
        help: .init(
            """
            How many customers ask. new: another customer in each request. shared: one customer's evidence for another \
            account in each request, which the service refuses after a few accounts.
            """,
            valueName: "n"
        ),
        transform: { text in
            guard let count = CustomerCount(text) else {
                throw ValidationError("--customers is a number from 1 to 1,000,000, new or shared.")
            }
            return count
        }
    )
    var customers = CustomerCount.number(100)

    @Option(
        help: .init("The App Store simulator that the service asks, for receipt and transactionId.", valueName: "url")
    )
    var simulator: String?

    @Option(
        help: .init(
            "The directory of an App Store simulator whose root the service trusts, for signedTransactions and held.",
            valueName: "d"
        )
    )
    var simulatorDirectory: String?

    @Option(help: .init("The app's Apple ID, for --retention.", valueName: "number"))
    var appAppleId: Int64?

    func validate() throws {
        let kinds = try evidence.kinds
        _ = try simulatorAddress
        if customers == .shared, !Set(kinds).isSubset(of: [.receiptResponse, .signedTransactions]) {
            throw ValidationError("--customers shared is for receiptResponse and signedTransactions.")
        }
        if customers == .new, kinds.contains(.held) {
            throw ValidationError("--mix: of customers who have not asked before, nothing is held.")
        }
    }

    /// What signs as the simulator does, if its directory is named.
    var signer: AppStoreSigner? {
        get throws {
            try simulatorDirectory.map { directory in
                do throws(SimulatorFault) {
                    return try AppStoreSigner(directory: URL(filePath: directory, directoryHint: .isDirectory))
                } catch {
                    throw ValidationError("--simulator-directory: \(error)")
                }
            }
        }
    }

    /// Checks what `--retention` needs, and what it has no use for; the app of the run's own service is known.
    func validateForRetention(runsOwn: Bool) throws {
        guard mix == "receiptResponse", offerId == nil, simulator == nil else {
            throw ValidationError(
                "--retention: Apple sends no evidence and names no offer: leave --mix and --offer-id out."
            )
        }
        guard case .number = customers else {
            throw ValidationError("--customers is a number with --retention: the service has to know them.")
        }
        guard !runsOwn else { return }
        guard simulatorDirectory != nil, retentionCustomers != nil else {
            throw ValidationError(
                "--retention needs --simulator-directory, --bundle-id, --app-apple-id and --product-id, or --self."
            )
        }
    }

    /// The customers of retention calls, as far as the options say.
    var retentionCustomers: RetentionCustomers? {
        guard let bundleId, let appAppleId, let productId else { return nil }
        return RetentionCustomers(bundleId: bundleId, appAppleId: appAppleId, productIds: [productId])
    }

    var evidence: EvidenceMix {
        get throws {
            do throws(LoadFault) {
                return try EvidenceMix(mix)
            } catch {
                throw ValidationError("--mix: \(error).")
            }
        }
    }

    var simulatorAddress: ServiceAddress? {
        get throws {
            let address = try address("--simulator", simulator)
            if let address, !address.isLoopback { throw ValidationError("--simulator: it runs on this machine alone.") }
            return address
        }
    }

    func retentionPreparation(for target: LoadTarget, _ amount: LoadAmountOptions) -> RetentionPreparation? {
        guard let retention = target.retention, let signer = target.signer else { return nil }
        var preparation = RetentionPreparation(
            for: target.address,
            bundleId: retention.bundleId,
            appAppleId: retention.appAppleId,
            productIds: retention.productIds.filter { $0 == productId ?? $0 },
            signer: signer
        )
        if case .number(let number) = customers { preparation.customers = number }
        preparation.expectedRequests = amount.expectedRequests
        preparation.timeoutSeconds = amount.timeout
        return preparation
    }

    func preparation(for target: LoadTarget, _ amount: LoadAmountOptions) -> LoadPreparation {
        var preparation = LoadPreparation(for: target.address, token: target.token)
        preparation.bundleId = bundleId
        preparation.productId = productId
        preparation.offerId = offerId
        preparation.offersPerRequest = amount.offers
        preparation.timeoutSeconds = amount.timeout
        preparation.customers = customers
        preparation.expectedRequests = amount.expectedRequests
        preparation.signer = target.signer
        preparation.mix = (try? evidence) ?? .receiptResponses
        preparation.simulator = target.simulator
        return preparation
    }
}

/// The options of `load` that say how much is asked and for how long.
struct LoadAmountOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: .init("How many connections to open.", valueName: "n"))
    var connections = 16

    @Option(help: .init("Send so many requests a second, however fast the service answers.", valueName: "n"))
    var rate: Double?

    @Option(name: .shortAndLong, help: .init("How long to measure, in seconds.", valueName: "s"))
    var duration = 10.0

    @Option(help: .init("How long to send requests before that, in seconds.", valueName: "s"))
    var warmUp = 2.0

    @Option(help: .init("How many offers each request asks for, 1 to 100.", valueName: "k"))
    var offers = 1

    @Option(
        name: .customLong("repeat"),
        help: .init(
            "How many requests in a row are for one customer. With as many connections, they are sent at once.",
            valueName: "n"
        )
    )
    var repeats = 1

    @Option(help: .init("How long an answer may take, in seconds, also before the run.", valueName: "s"))
    var timeout = 10.0

    @Option(
        help: .init(
            "How many event loops send. More than one takes CPU time from a service on the same machine.",
            valueName: "n"
        )
    )
    var eventLoops = 1

    func validate() throws {
        let rules = [
            ((1...10_000).contains(connections), "--connections is a number from 1 to 10,000."),
            (
                rate.map { (0.01...1_000_000).contains($0) } ?? true,
                "--rate is a number of requests a second from 0.01 to 1,000,000."
            ),
            (duration > 0 && duration <= 86_400, "--duration is a number of seconds above 0, up to a day."),
            ((0...3600).contains(warmUp), "--warm-up is a number of seconds from 0 to an hour."),
            ((1...100).contains(offers), "--offers is a number from 1 to 100."),
            ((1...10_000).contains(repeats), "--repeat is a number from 1 to 10,000."),
            (timeout > 0 && timeout <= 3600, "--timeout is a number of seconds above 0, up to an hour."),
            (
                (1...64).contains(eventLoops) && eventLoops <= connections,
                "--event-loops is a number from 1 to 64, and no more than --connections."
            ),
        ]
        if let (_, fault) = rules.first(where: { !$0.0 }) { throw ValidationError(fault) }
    }

    /// About how many requests there will be, within bounds: in a closed loop, as many as a quick service answers.
    var expectedRequests: Int { Int(min((rate ?? 8000) * (warmUp + duration) / Double(repeats), 500_000)) }

    func fill(_ plan: inout LoadPlan) {
        plan.connections = connections
        plan.rate = rate
        plan.durationSeconds = duration
        plan.warmUpSeconds = warmUp
        plan.timeoutSeconds = timeout
        plan.eventLoops = eventLoops
        plan.repeats = repeats
    }
}

/// The options of `load` that say what becomes of the result.
struct LoadOutputOptions: ParsableArguments {
    /// How many answers are kept, unless all are.
    static let sample = 1000

    @Option(
        help: .init(
            """
            Check a sample of the signatures after the run, with this public key as PEM (openssl pkey -pubout), or with \
            one of several in the file if the service's key changes during the run; - is standard input.
            """,
            valueName: "pem"
        )
    )
    var verifyKey: String?

    @Flag(help: "Check all signatures, not a sample. This keeps every answer until the end: half a kilobyte an offer.")
    var verifyAll = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    @Option(help: .init("A file to which the run is written second by second, for a plot.", valueName: "file"))
    var csv: String?

    @Option(
        help: .init(
            """
            Where each answer is written as it comes, the warm-up's too, one JSON object a line: time, status, account, \
            offers and nonces.
            """,
            valueName: "file"
        )
    )
    var answers: String?

    func validate() throws {
        // Nobody is to wait for a run whose result is lost.
        for case (let option, let file?) in [("--csv", csv), ("--answers", answers)] {
            guard let obstacle = Self.obstacle(toWriting: file) else { continue }
            throw ValidationError("\(option): \(file) cannot be written: \(obstacle).")
        }
    }

    var checker: SignatureChecker? {
        get throws { try verifyKey.map(Self.checker) }
    }

    private static func checker(_ file: String) throws -> SignatureChecker {
        guard let handle = file == "-" ? .standardInput : FileHandle(forReadingAtPath: file),
            let bytes = try? handle.readToEnd()
        else { throw misuse("\(file) cannot be read") }
        guard let checker = SignatureChecker(pem: String(decoding: bytes, as: UTF8.self)) else {
            throw misuse(
                "\(file) holds no P-256 public key; offer-signer keys inspect --public-key SubscriptionKey_ID.p8 prints one"
            )
        }
        return checker
    }

    /// A `ValidationError` of `run` would show the usage of the root command.
    private static func misuse(_ text: String) -> ExitCode {
        Console.message("error: --verify-key: \(text)")
        return .validationFailure
    }

    /// Why a file cannot be written, as far as that is known before it is; `nil` when nothing speaks against it.
    private static func obstacle(toWriting file: String) -> String? {
        let url = URL(filePath: file)
        var isDirectory: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
        guard !isThere || !isDirectory.boolValue else { return String(cString: strerror(EISDIR)) }
        let place = isThere ? url.path : url.deletingLastPathComponent().path
        return access(place, isThere ? W_OK : W_OK | X_OK) == 0 ? nil : String(cString: strerror(errno))
    }

    /// Prints the result, and writes the run second by second if that is wanted; each, though the other cannot be.
    func write(_ report: LoadReport, _ measurement: LoadMeasurement) throws(ExitCode) {
        var isWritten = true
        if let csv {
            do {
                try Data(measurement.csv.utf8).write(to: URL(filePath: csv))
            } catch {
                Console.message("error: \(csv) cannot be written: \(error)")
                isWritten = false
            }
        }
        let text: String
        do {
            text = json ? try report.json() : report.text
        } catch {
            Console.message("error: the result cannot be written: \(error)")
            throw .failure
        }
        try Console.result(text)
        guard isWritten else { throw .failure }
    }
}
