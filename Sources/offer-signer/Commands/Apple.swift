import AppStore
import ArgumentParser
import Foundation
import Glibc
import Offers

struct Apple: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple",
        abstract: "Sends one call of the App Store Server API in an app's name, and prints Apple's answer.",
        discussion: """
            The call is signed with the app's first key and its issuerId, and sent once. Apple's body is on standard output \
            as it came. Exit status 0 when Apple did it (2xx), otherwise 1, with a reason on standard error. \
            docs/retention.md has the calls that set retention messages up.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("The app.", valueName: "id"))
    var bundleId: String

    @Option(help: "Production or Sandbox. Apple keeps what is set up in each by itself.")
    var environment = EnvironmentArgument.production

    @Argument(help: "GET, PUT, POST or DELETE.")
    var method: OutgoingRequest.Method

    @Argument(help: "Apple's path, with its query: /inApps/v1/messaging/message/list, for example.")
    var path: String

    @Argument(
        help: ArgumentHelp("The body to send: a PNG if its name ends in .png, otherwise JSON.", valueName: "body-file")
    )
    var body: String?

    func validate() throws {
        try Identifier.check(["--bundle-id": bundleId])
        // Dots would lead elsewhere.
        guard path.wholeMatch(of: /\/inApps\/([A-Za-z0-9\-._~!$&'()*+,;=:@\/?]|%[0-9A-Fa-f]{2})*/) != nil,
            !path.split(whereSeparator: { "/?".contains($0) }).contains(where: { $0 == "." || $0 == ".." })
        else {
            throw ValidationError(
                "PATH begins with /inApps/ and is percent-encoded where a URL wants it, such as "
                    + "/inApps/v1/messaging/message/list. The address before it is the configuration's."
            )
        }
        if method == .get, body != nil { throw ValidationError("A GET has no body: leave BODY-FILE out.") }
    }

    func run() async throws {
        // Warnings for a service do not concern this command.
        let service = try options.load(logsWarnings: false)
        guard let app = service.appStoreApps.first(where: { $0.bundleId == bundleId }) else {
            throw ValueFault(Echo.unknownApp(bundleId, in: service.settings.apps))
        }
        let bytes = try body.map { (file) throws(ValueFault) in try InputFile.bytes(of: file) }
        let transport = AsyncHTTPTransport()
        let caller = ServerAPICaller(
            of: app,
            in: environment.environment,
            urls: service.appStoreURLs,
            transport: transport,
            now: WallClock.now
        )
        let isImage = body?.lowercased().hasSuffix(".png") == true
        let answer: ServerAPICaller.Answer
        do {
            answer = try await caller.send(
                method,
                path,
                body: bytes,
                contentType: isImage ? "image/png" : "application/json"
            )
            await transport.shutdown()
        } catch {
            await transport.shutdown()
            throw error
        }
        try show(answer.body)
        if let fault = answer.fault { throw Console.failure(Echo.visible(fault)) }
    }

    /// Prints a body: its very bytes, but to a terminal as a line without what it would obey.
    private func show(_ body: [UInt8]) throws(ExitCode) {
        guard !body.isEmpty else { return }
        guard isatty(STDOUT_FILENO) == 1 else { return try Console.write(Data(body)) }
        try Console.result(String(decoding: body, as: UTF8.self))
    }
}

extension OutgoingRequest.Method: ExpressibleByArgument {}
