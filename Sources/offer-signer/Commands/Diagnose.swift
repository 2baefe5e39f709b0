import ArgumentParser
import OfferAPI
import OfferService
import Offers
import Storage
import StrictJSON

struct Diagnose: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Says why StoreKit refused a signature: one sentence for the cause, one for the fix.",
        discussion: """
            The report is what the app gave StoreKit. For a discount, an object with bundleId, keyIdentifier, productId, \
            offerId, appAccountToken or applicationUsername, nonce, timestamp and signature, and if known payload, the \
            signed bytes in Base64. For a JWS, an object with bundleId, productId, offerId or allowIntroductoryOffer, \
            jws, and if known transactionId and resultingTransaction. Both may have storeKitError, a number, a name, or \
            as it is printed. Exit status 1 when the signature is not valid.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print the diagnosis as POST /v1/diagnoses gives it.")
    var json = false

    @Argument(help: ArgumentHelp("The report; - is standard input.", valueName: "report.json"))
    var report: String

    func run() async throws {
        let service = try options.load()
        let call = try InputFile.json(report) { (json) throws(JSONFault) in try DiagnosisCall(json: json) }
        let bundleIds = Set(service.settings.apps.map(\.app.bundleId))
        let diagnoses = service.diagnoseReports(recalling: recall(service.settings))
        let diagnosis: Diagnosis?
        do throws(EvidenceFault) {
            diagnosis = try await call.diagnosis(by: diagnoses, callersApps: bundleIds)
        } catch {
            throw ValueFault("\(Echo.file(report)) at /resultingTransaction: \(error.detail)")
        }
        guard let diagnosis else {
            let fault = Echo.unknownApp(call.bundleId, in: service.settings.apps)
            throw ValueFault("\(Echo.file(report)) at /bundleId: \(fault)")
        }
        if json {
            try Console.result(String(decoding: diagnosis.json, as: UTF8.self))
        } else {
            // A report is a stranger's, and so may have what a terminal obeys.
            for cause in diagnosis.causes { try Console.result("\(cause.detail.visible)\n  \(cause.fix.visible)") }
            if diagnosis.causes.isEmpty { try Console.result("The signature is right for these values.") }
        }
        if !diagnosis.isValid { throw ExitCode.failure }
    }

    /// The ledger; `nil`, with a message, where it cannot be asked.
    private func recall(_ settings: Settings) -> LedgerRecall? {
        do throws(ValueFault) {
            return try OpenLedger.remembered(settings).recall
        } catch {
            Console.message("warning: the ledger was not asked: \(error.message)")
            return nil
        }
    }
}
