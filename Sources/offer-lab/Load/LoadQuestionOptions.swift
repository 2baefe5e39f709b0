import ArgumentParser
import Foundation
import LoadGenerator

/// The options of `load` that say what is asked.
struct LoadQuestionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app; needed where the client has several.", valueName: "id"))
    var bundleId: String?

    @Option(help: ArgumentHelp("The product. By default any that can be signed for.", valueName: "id"))
    var productId: String?

    @Option(help: ArgumentHelp("The offer. By default any that can be signed.", valueName: "id"))
    var offerId: String?

    @Option(
        help: ArgumentHelp(
            """
            The kinds of evidence with their weights, such as receiptResponse=80,signedTransactions=10,transactionId=10. \
            Also receipt, and held: no evidence, once the service holds the customer's state by signed transactions.
            """,
            valueName: "mix"
        )
    )
    var mix = "receiptResponse"

    @Option(
        help: ArgumentHelp(
            """
            How many customers there are; new for one in each request who has not asked before; shared for the evidence of \
            one for ever more accounts, which is refused once a few have shown it.
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
        help: ArgumentHelp(
            "The App Store simulator that the service asks, for receipt and transactionId.",
            valueName: "url"
        )
    )
    var simulator: String?

    @Option(
        help: ArgumentHelp(
            "The directory of an App Store simulator whose root the service trusts, for signedTransactions and held.",
            valueName: "d"
        )
    )
    var simulatorDirectory: String?

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
    var signer: StandInSigner? {
        get throws {
            try simulatorDirectory.map { directory in
                do throws(PreparationFault) {
                    return try StandInSigner(directory: URL(filePath: directory, directoryHint: .isDirectory))
                } catch {
                    throw ValidationError("--simulator-directory: \(error)")
                }
            }
        }
    }

    /// The mix.
    var evidence: EvidenceMix {
        get throws {
            do throws(MixFault) {
                return try EvidenceMix(mix)
            } catch {
                throw ValidationError("--mix: \(error).")
            }
        }
    }

    /// The App Store simulator, if one is named.
    var simulatorAddress: ServiceAddress? {
        get throws {
            let address = try address("--simulator", simulator)
            if let address, !address.isLoopback { throw ValidationError("--simulator: it runs on this machine alone.") }
            return address
        }
    }

    /// What finds out what can be asked.
    ///
    /// - Parameters:
    ///   - target: What load is put on.
    ///   - amount: How many offers each request asks for, and how long an answer may take.
    /// - Returns: The preparation.
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
