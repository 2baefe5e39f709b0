import ArgumentParser
import LoadGenerator

/// The options of `load` that say how much is asked and for how long.
struct LoadAmountOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: ArgumentHelp("How many connections there are.", valueName: "n"))
    var connections = 16

    @Option(help: ArgumentHelp("Requests a second, whatever the service does: an open loop.", valueName: "n"))
    var rate: Double?

    @Option(name: .shortAndLong, help: ArgumentHelp("How long is measured, in seconds.", valueName: "s"))
    var duration = 10.0

    @Option(help: ArgumentHelp("How long requests are sent before that, in seconds.", valueName: "s"))
    var warmUp = 2.0

    @Option(help: ArgumentHelp("How many offers each request asks for, 1 to 100.", valueName: "k"))
    var offers = 1

    @Option(help: ArgumentHelp("How long an answer may take, in seconds, before the run, too.", valueName: "s"))
    var timeout = 10.0

    @Option(
        help: ArgumentHelp("Event loops that send; more than one takes CPUs from a service beside it.", valueName: "n")
    )
    var eventLoops = 1

    func validate() throws {
        guard (1...10_000).contains(connections) else {
            throw ValidationError("--connections is a number from 1 to 10,000.")
        }
        if let rate, !(rate >= 0.01 && rate <= 1_000_000) {
            throw ValidationError("--rate is a number of requests a second from 0.01 to 1,000,000.")
        }
        guard duration > 0, duration <= 86_400 else {
            throw ValidationError("--duration is a number of seconds above 0, up to a day.")
        }
        guard warmUp >= 0, warmUp <= 3600 else {
            throw ValidationError("--warm-up is a number of seconds from 0 to an hour.")
        }
        guard (1...100).contains(offers) else { throw ValidationError("--offers is a number from 1 to 100.") }
        guard timeout > 0, timeout <= 3600 else {
            throw ValidationError("--timeout is a number of seconds above 0, up to an hour.")
        }
        guard (1...64).contains(eventLoops), eventLoops <= connections else {
            throw ValidationError("--event-loops is a number from 1 to 64, and no more than --connections.")
        }
    }

    /// About how many requests there will be, within bounds: in a closed loop, as many as a quick service answers.
    var expectedRequests: Int { Int(min((rate ?? 8000) * (warmUp + duration), 500_000)) }

    /// Puts the amounts into a plan.
    ///
    /// - Parameter plan: The plan.
    func fill(_ plan: inout LoadPlan) {
        plan.connections = connections
        plan.rate = rate
        plan.durationSeconds = duration
        plan.warmUpSeconds = warmUp
        plan.timeoutSeconds = timeout
        plan.eventLoops = eventLoops
    }
}
