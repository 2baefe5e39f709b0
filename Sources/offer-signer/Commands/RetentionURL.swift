import AppStore
import ArgumentParser
import FoundationEssentials

struct RetentionURL: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Prints, sets or deletes the address that Apple asks.",
        subcommands: [Get.self, Set.self, Delete.self]
    )

    static let longest = 256

    func run() throws { throw Self.subcommandMissing() }

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Prints the address that Apple asks."
        )

        @Option(help: "Production or Sandbox. Each has its own address.")
        var environment = EnvironmentArgument.production

        @OptionGroup var options: RetentionOptions

        func run() async throws {
            try Console.result(
                try await options.asking(in: environment) { (setUp) throws(RetentionFault) in
                    try await setUp.url()
                }
            )
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract:
                "Sets the address that Apple asks: https://HOST/v1/retention-messages, which leads to the notifications listener.",
            discussion: "Production needs a passed performance test first: offer-signer retention test start."
        )

        @Argument(help: ArgumentHelp("The address: https, 256 characters at most.", valueName: "url"))
        var url: String

        @Option(help: "Production or Sandbox. Each has its own address.")
        var environment = EnvironmentArgument.production

        @OptionGroup var options: RetentionOptions

        func validate() throws {
            guard url.unicodeScalars.count <= RetentionURL.longest else {
                throw ValidationError(
                    "The address has \(url.unicodeScalars.count) characters; Apple takes \(RetentionURL.longest) at most."
                )
            }
            guard let parts = URLComponents(string: url, encodingInvalidCharacters: false),
                parts.scheme?.lowercased() == "https", let host = parts.host, !host.isEmpty, parts.user == nil,
                parts.password == nil, parts.fragment == nil,
                parts.rangeOfPort == nil || (1...65_535).contains(parts.port ?? 0)
            else {
                throw ValidationError(
                    "The address is an https URL without user, password and fragment, such as "
                        + "https://offers.example.com/v1/retention-messages."
                )
            }
        }

        func run() async throws {
            let url = url
            try await options.asking(in: environment) { (setUp) throws(RetentionFault) in
                try await setUp.setURL(url)
            }
            Console.message("in \(environment.rawValue), Apple asks \(url) from now on")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Deletes the address. Apple then asks nobody, and shows default messages as before."
        )

        @Option(help: "Production or Sandbox. Each has its own address.")
        var environment = EnvironmentArgument.production

        @OptionGroup var options: RetentionOptions

        func run() async throws {
            try await options.asking(in: environment) { (setUp) throws(RetentionFault) in
                try await setUp.deleteURL()
            }
            Console.message("in \(environment.rawValue), Apple asks nobody from now on")
        }
    }
}
