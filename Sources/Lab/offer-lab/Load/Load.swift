import ArgumentParser
import LoadGenerator
import UnixSignals

/// `offer-lab load`: the load generator.
struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Puts load on a service, and measures throughput, latencies and errors.",
        discussion: """
            First it asks the service which offers the client's app has, and which of them customers in various \
            states may have. By default each connection waits for an answer before it sends the next request (a \
            closed loop). With --rate, requests are sent at that rate, however fast the service answers (an open \
            loop). With --self it starts its own service and App Store simulator, and stops both at the end. With \
            --retention it plays Apple's calls about customers who are about to cancel; first it makes these \
            customers known to the service. Ctrl-C ends the measurement early; a second Ctrl-C does not wait for the \
            last answers. Exit status 1 when a signature was wrong, nothing was signed, or it was ended before \
            anything was measured.
            """
    )

    @OptionGroup var target: LoadTargetOptions
    @OptionGroup(title: "What is asked") var questions: LoadQuestionOptions
    @OptionGroup(title: "How much, how long") var amount: LoadAmountOptions
    @OptionGroup(title: "The result") var output: LoadOutputOptions

    func validate() throws {
        guard !output.verifyAll || target.runsOwn || output.verifyKey != nil else {
            throw ValidationError("--verify-all checks signatures with a public key: give --verify-key, too.")
        }
        if target.retention {
            try questions.validateForRetention(runsOwn: target.runsOwn)
            guard amount.repeats == 1 else {
                throw ValidationError("--retention: each of Apple's calls is one of its own: leave --repeat out.")
            }
            guard amount.offers == 1 else { throw ValidationError("--retention: a call is answered by one offer.") }
            guard amount.warmUp + amount.duration <= RetentionPreparation.longestRunSeconds else {
                throw ValidationError(
                    "--retention: calls are signed before the run, and good for five minutes: --warm-up and --duration "
                        + "are \(Int(RetentionPreparation.longestRunSeconds)) seconds at most."
                )
            }
        }
        if target.runsOwn {
            guard questions.simulator == nil, questions.simulatorDirectory == nil else {
                throw ValidationError("--self starts a simulator of its own: leave --simulator out.")
            }
            return
        }
        let kinds = try questions.evidence.kinds
        guard !target.retention else { return }
        if questions.simulator == nil, kinds.contains(where: \.isAskedOfSimulator) {
            throw ValidationError("--mix: this one needs the App Store simulator: give --simulator, or --self.")
        }
        if questions.simulatorDirectory == nil, kinds.contains(.signedTransactions) {
            throw ValidationError("--mix: signedTransactions have to be signed: give --simulator-directory, or --self.")
        }
    }

    func run() async throws {
        let checker = try output.checker
        let stop = LoadStop()
        // Trapped before anything is started, so that whatever was started is stopped.
        let signals = await UnixSignalsSequence(trapping: LoadStop.signals)
        let waiting = Task { for await _ in signals { stop.request() } }
        defer { waiting.cancel() }
        let progress = LoadProgress(isShown: !output.json)
        if target.runsOwn {
            let own = try await startOwn(checker, stop, progress)
            defer { own.stop() }
            try await generate(own.target, stop, progress)
        } else {
            let customers = target.retention ? questions.retentionCustomers : nil
            let loadTarget = try target.makeTarget(checker, questions.simulatorAddress, questions.signer, customers)
            try await generate(loadTarget, stop, progress)
        }
    }

    private func startOwn(
        _ checker: SignatureChecker?,
        _ stop: LoadStop,
        _ progress: LoadProgress
    ) async throws(ExitCode) -> OwnService {
        let service = target.service
        let configuration = target.config ?? LoadTargetOptions.ownConfiguration
        let (bundleId, ledger, forRetention) = (questions.bundleId, target.ledger, target.retention)
        let offersAtOnce = amount.connections * amount.offers
        progress.show(preparation: "a service and an App Store simulator start")
        do throws(OwnServiceFault) {
            return try await stop.cancelling { () async throws(OwnServiceFault) in
                try await OwnService(
                    service,
                    configuration: configuration,
                    bundleId: bundleId,
                    ledger: ledger,
                    offersAtOnce: offersAtOnce,
                    forRetention: forRetention,
                    checker: checker
                )
            }
        } catch {
            // What `offer-signer check` says of a configuration is said as it is.
            if error.isOfConfiguration, !stop.isRequested {
                progress.clear()
                Console.message(error.description)
                throw .badConfiguration
            }
            throw fault(error, stop, progress)
        }
    }

    private func generate(_ target: LoadTarget, _ stop: LoadStop, _ progress: LoadProgress) async throws(ExitCode) {
        let measurement: LoadMeasurement
        let answers = try output.answers.map { file throws(ExitCode) in try AnswerFile(file) }
        do throws(LoadFault) {
            progress.show(preparation: "\(target.address) is asked what it would sign")
            let retention = questions.retentionPreparation(for: target, amount)
            let preparation = questions.preparation(for: target, amount)
            let deck = try await stop.cancelling { () async throws(LoadFault) in
                if let retention { return try await retention.deck() }
                return try await preparation.deck()
            }
            var plan = LoadPlan(deck, to: target.address)
            amount.fill(&plan)
            plan.processes = target.processes
            plan.keptAnswers = output.verifyAll ? nil : target.checker == nil ? 0 : LoadOutputOptions.sample
            if let answers { plan.answered = { line in answers.write(line) } }
            let run = LoadRun(plan)
            stop.whenRequested { again in if again { run.abandon() } else { run.stop() } }
            measurement = try await run.run { progress.show($0) }
            progress.clear()
        } catch {
            throw fault(error, stop, progress)
        }
        let report = LoadReport(measurement, verification: target.checker?.check(measurement))
        try output.write(report, measurement)
        try answers?.end()
        if let fault = fault(of: report, measurement) {
            Console.message("error: \(fault)")
            throw .failure
        }
    }

    /// Why a result is none, or a bad one; `nil` when it is neither.
    private func fault(of report: LoadReport, _ measurement: LoadMeasurement) -> String? {
        if report.isSuccess { return nil }
        // The service is not to blame for what was not tried.
        if measurement.elapsedSeconds == 0 { return "stopped in the warm-up, before anything was measured" }
        return report.requests == 0 ? "nothing was signed" : "there are wrong signatures"
    }

    /// Says why there is no measurement.
    private func fault(_ error: any Error, _ stop: LoadStop, _ progress: LoadProgress) -> ExitCode {
        progress.clear()
        Console.message("error: \(stop.isRequested ? "stopped before anything was measured" : "\(error)")")
        return .failure
    }
}
