import ArgumentParser
import LoadGenerator
import UnixSignals

/// `offer-signer load`: the load generator.
struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Puts load on a service, and measures throughput, latencies and errors.",
        discussion: """
            It finds out by itself what the service would sign: which offers the client's app has, and which of them \
            customers of various states may have. In a closed loop (the default) each connection sends its next \
            request when its last answer is there; with --rate, requests are sent at that rate whatever the service \
            does. With --self it starts a service and an App Store simulator of its own, and stops both at the end. \
            Ctrl-C ends the measurement early. Exit status 1 when a signature was wrong or nothing was signed.
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
    }

    func run() async throws {
        let checker = try output.checker
        let stop = LoadStop()
        // Trapped before anything is started, so that whatever was started is stopped.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let waiting = Task { for await _ in signals { stop.request() } }
        defer { waiting.cancel() }
        if target.runsOwn {
            let own: OwnService
            do throws(OwnServiceFault) {
                own = try await OwnService(
                    configuration: target.config,
                    bundleId: questions.bundleId,
                    customers: questions.customers,
                    checker: checker
                )
            } catch {
                Console.message("error: \(error)")
                throw ExitCode.failure
            }
            do {
                try await generate(own.target, stop)
            } catch {
                own.stop()
                throw error
            }
            own.stop()
        } else {
            try await generate(try target.given(checker, questions.simulatorAddress), stop)
        }
    }

    private func generate(_ target: LoadTarget, _ stop: LoadStop) async throws(ExitCode) {
        let progress = LoadProgress(isShown: !output.json)
        let measurement: LoadMeasurement
        do throws(PreparationFault) {
            var plan = LoadPlan(
                try await questions.preparation(for: target, offers: amount.offers).deck(),
                to: target.address
            )
            amount.fill(&plan)
            plan.processes = target.processes
            plan.keptAnswers = output.verifyAll ? nil : target.checker == nil ? 0 : LoadOutputOptions.sample
            let run = LoadRun(plan)
            stop.whenRequested { run.stop() }
            measurement = try await run.run { progress.show($0) }
            progress.clear()
        } catch {
            progress.clear()
            Console.message("error: \(error)")
            throw .failure
        }
        let report = LoadReport(measurement, verification: target.checker?.check(measurement))
        try output.write(report, measurement)
        if !report.isSuccess {
            Console.message(report.requests == 0 ? "error: nothing was signed" : "error: there are wrong signatures")
            throw .failure
        }
    }
}
