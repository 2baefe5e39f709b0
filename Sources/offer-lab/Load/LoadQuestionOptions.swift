import ArgumentParser
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
            Also receipt, and held: no evidence, once the service holds the customer's state.
            """,
            valueName: "mix"
        )
    )
    var mix = "receiptResponse"

    @Option(help: ArgumentHelp("How many customers there are.", valueName: "n"))
    var customers = 100

    @Option(
        help: ArgumentHelp(
            "The App Store simulator that the service asks, for evidence that has to be signed.",
            valueName: "url"
        )
    )
    var simulator: String?

    func validate() throws {
        guard (1...1_000_000).contains(customers) else {
            throw ValidationError("--customers is a number from 1 to 1,000,000.")
        }
        _ = try evidence
        _ = try simulatorAddress
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
        preparation.mix = (try? evidence) ?? .receiptResponses
        preparation.simulator = target.simulator
        return preparation
    }
}
