import ArgumentParser
import Foundation
import Glibc
import LogLines
import Logging
import OfferAPI
import OfferService
import Offers
import Storage

struct Sign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Prints one answer of the service, as POST /v1/signatures gives it.",
        discussion: """
            What the service remembers of the customer counts, and limits apply. Exit status 1 when nothing was signed: \
            the answer says why.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("The app.", valueName: "id"))
    var bundleId: String

    @Option(help: ArgumentHelp("The product that the customer buys.", valueName: "id"))
    var productId: String

    @Option(help: ArgumentHelp("The promotional offer.", valueName: "id"))
    var offerId: String

    @Option(help: ArgumentHelp("The account's UUID, signed in lowercase.", valueName: "uuid"))
    var appAccountToken: String?

    @Option(help: ArgumentHelp("The account's name, signed verbatim.", valueName: "name"))
    var applicationUsername: String?

    @Option(help: "The signature's format: discount, or jws for StoreKit 2's compactJWS arguments.")
    var format = SignatureFormat.discount

    @Option(
        help: ArgumentHelp("A file with a verifyReceipt answer, as evidence; - is standard input.", valueName: "file")
    )
    var receiptResponse: String?

    @Flag(help: "Sign without checking the customer. The catalog and the offer's dates still apply.")
    var skipEligibility = false

    func validate() throws {
        if appAccountToken != nil, applicationUsername != nil {
            throw ValidationError("Give --app-account-token or --application-username, not both.")
        }
        if let appAccountToken, AppAccountToken(appAccountToken) == nil {
            throw ValidationError("--app-account-token is a UUID: 8-4-4-4-12 hexadecimal digits.")
        }
        if let name = applicationUsername, name.isEmpty || name.utf8.count > Account.maximumUsernameBytes {
            throw ValidationError("--application-username has 1 to \(Account.maximumUsernameBytes) bytes.")
        }
        try Identifier.check(["--bundle-id": bundleId, "--product-id": productId, "--offer-id": offerId])
        for text in [bundleId, productId, offerId, applicationUsername ?? ""]
        where InvisibleSeparator.isFound(in: text) {
            throw ValidationError("No value may hold U+2063, which separates the fields of the signed payload.")
        }
    }

    func run() async throws {
        let service = try options.load()
        guard !skipEligibility || service.settings.ledgerAllowSkippedEligibility else {
            throw ValueFault(
                "--skip-eligibility: ledger.allowSkippedEligibility is false here; leave the flag out, and give evidence"
            )
        }
        let evidence = try receiptResponse.map { (file) throws(ValueFault) in
            Evidence.receiptResponse(json: try InputFile.bytes(of: file))
        }
        try LedgerKeyFiles(service.settings).checkIsNotLost()
        let answer = try await OpenLedger.use(service.settings, isMade: true) { opened in
            try await self.answer(of: service, evidence, recordingIn: opened)
        }
        let refusals = answer.decisions.filter { $0.decision.verdict != .eligible }
        if skipEligibility, refusals.isEmpty {
            let output = LogOutput(format: service.settings.logFormat)
            let logger = Logger(label: "offer-signer") { output.handler(label: $0, metadataProvider: nil) }
            logger.warning("eligibility was not judged; the ledger says so", metadata: operatorsName)
        }
        try Console.result(String(decoding: answer.json, as: UTF8.self))
        for refusal in refusals { Console.message("not signed: \(refusal.decision.detail)") }
        guard refusals.isEmpty else { throw ExitCode.failure }
    }

    private func answer(
        of service: LoadedService,
        _ evidence: Evidence?,
        recordingIn opened: OpenLedger
    ) async throws -> CustomerAnswer {
        if let beginning = opened.beginning {
            let isUnset = service.settings.ledger.origin == .none
            Console.message(beginning + (isUnset ? ": neither ledger.url nor STATE_DIRECTORY is set" : ""))
        }
        let signOffers = service.signOffers(
            asking: nil,
            recordingIn: opened.journal,
            with: nil,
            remembering: StateMemory(
                states: opened.journal,
                digester: opened.digestKey,
                draw: opened.digestKey
            ),
            counting: opened.journal,
            clock: opened.clock
        )
        let request = CustomerRequest(
            client: LedgerEntry.commandLine,
            bundleId: bundleId,
            account: account,
            evidence: evidence,
            .signatures([OfferRequest(productId: productId, offerId: offerId)], formats: [format])
        )
        do {
            return try await signOffers.answer(request, skippingEligibility: skipEligibility)
        } catch {
            throw ValueFault(sentence(for: error, in: service.settings.apps, opened.fault))
        }
    }

    /// Who runs the command, and what for: the login's number stays what it was when somebody became another user.
    private var operatorsName: Logger.Metadata {
        var name: Logger.Metadata = [
            "user": "\(ProcessInfo.processInfo.userName)", "uid": "\(getuid())", "bundleId": "\(bundleId)",
            "productId": "\(productId)", "offerId": "\(offerId)",
        ]
        let login = try? String(contentsOfFile: "/proc/self/loginuid", encoding: .utf8)
        if let login, login != String(UInt32.max) { name["loginUID"] = "\(login)" }
        return name
    }

    private var account: Account {
        if let token = appAccountToken.flatMap(AppAccountToken.init) { return .appAccountToken(token) }
        return applicationUsername.map(Account.applicationUsername) ?? .none
    }

    private func sentence(for fault: SignatureFault, in apps: [AppSettings], _ ledgerFault: String?) -> String {
        switch fault {
        case .unknownApp(let bundleId): Echo.unknownApp(bundleId, in: apps)
        case .accountRequired: "the app asks for an account: give --app-account-token or --application-username"
        case .issuerUnknown(let bundleId):
            "a JWS names the issuer of the key: write issuerId on the app \(Echo.known(bundleId)) in the catalog"
        case .transactionRequired: "no transaction of the customer is known"
        case .transactionMismatch, .evidenceOfOthers: "the transaction is not known to be the customer's"
        // No file is at fault where nobody can tell: what is held of customers is in the ledger's database.
        case .evidence(let fault) where fault.code == "state_unavailable":
            [fault.detail, ledgerFault].compactMap(\.self).joined(separator: " ")
        case .evidence(let fault):
            "\(receiptResponse.map(Echo.file) ?? "evidence")\(fault.pointer.isEmpty ? "" : " at \(fault.pointer)"): \(fault.detail)"
        case .signing(let failure): "\(failure)"
        case .ledger(let failure): "ledger: \(failure)"
        case .givenUp: "it was given up"
        }
    }
}
