import AppStore
import ArgumentParser

struct RetentionTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Has Apple test your address. In Production, Apple asks an address only after a test has passed.",
        subcommands: [AskApple<Start>.self, AskApple<Result>.self]
    )

    func run() throws { throw Self.subcommandMissing() }

    struct Start: RetentionWork {
        static let isForSandboxAlone = true
        static let configuration = CommandConfiguration(
            commandName: "start",
            abstract: "Starts the test, waits for its result, and prints it as Apple gives it.",
            discussion: """
                Apple asks the address that is set in the Sandbox, about a customer of the Sandbox. Exit status 0 when the \
                test has passed. The command waits for an hour at most; offer-signer retention test result asks again.
                """
        )

        @Option(help: ArgumentHelp("The original transaction of a subscription in the Sandbox.", valueName: "id"))
        var transactionId: String

        @Flag(
            name: .customLong("no-wait"),
            help: "Print the test's identifier and what Apple will do, and do not wait for the result."
        )
        var doesNotWait = false

        func validate() throws {
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            guard (1...32).contains(transactionId.utf8.count), transactionId.utf8.allSatisfy(digits.contains) else {
                throw ValidationError("--transaction-id is a number of up to 32 digits.")
            }
        }

        func run(asking apple: RetentionSetUp) async throws {
            let test = try await apple.ask(.startTest(originalTransactionId: transactionId))
            if doesNotWait {
                try Console.result(String(decoding: test.json, as: UTF8.self))
            } else {
                try RetentionTest.end(await RetentionTest.result(of: test, from: apple))
            }
        }
    }

    struct Result: RetentionWork {
        static let isForSandboxAlone = true
        static let configuration = CommandConfiguration(
            commandName: "result",
            abstract: "Prints the result of a test, as Apple gives it. Exit status 0 when the test has passed."
        )

        @Argument(help: ArgumentHelp("The test's identifier.", valueName: "id"))
        var requestId: String

        func validate() throws {
            guard (1...100).contains(requestId.utf8.count) else {
                throw ValidationError("The test's identifier has 1 to 100 bytes.")
            }
        }

        func run(asking apple: RetentionSetUp) async throws {
            try RetentionTest.end(await apple.ask(.testResult(requestId)))
        }
    }

    /// Prints a result as Apple gives it; exit 0 for a test that has passed.
    private static func end(_ result: PerformanceTestResult) throws(ExitCode) {
        try Console.result(String(decoding: result.json, as: UTF8.self))
        switch result.verdict {
        case .pass: return
        case .fail: throw Console.failure("the endpoint has not passed")
        case .pending: throw Console.failure("the test is still pending")
        }
    }

    /// Asks for a result until the verdict is there, or an hour is over.
    private static func result(
        of test: StartedPerformanceTest,
        from apple: RetentionSetUp
    ) async throws(RetentionFault) -> PerformanceTestResult {
        let (longest, start) = (Duration.seconds(3600), ContinuousClock.now)
        let calls = test.totalRequests.map { "\($0) calls" } ?? "some calls"
        Console.message("test \(test.requestId) has begun: Apple makes \(calls), and is asked for the result")
        // Before that there is none.
        try? await Task.sleep(for: min(test.totalDuration ?? .zero, longest))
        while true {
            let result = try await apple.ask(.testResult(test.requestId))
            guard result.verdict == .pending, start.duration(to: .now) < longest else { return result }
            // Apple takes such a call every ten seconds in the Sandbox.
            try? await Task.sleep(for: .seconds(10))
        }
    }
}
