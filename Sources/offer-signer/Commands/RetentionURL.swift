import AppStore
import ArgumentParser
import FoundationEssentials
import Offers

struct RetentionURL: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Prints, sets or deletes the address that Apple asks.",
        subcommands: [AskApple<Get>.self, AskApple<Set>.self, AskApple<Delete>.self]
    )

    private static let longest = 256

    func run() throws { throw Self.subcommandMissing() }

    struct Get: RetentionWork {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Prints the address that Apple asks."
        )

        func run(asking apple: RetentionSetUp) async throws { try Console.result(await apple.ask(.url)) }
    }

    struct Set: RetentionWork {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract:
                "Sets the address that Apple asks: https://HOST/v1/retention-messages, which leads to the notifications listener.",
            discussion: "Production needs a passed performance test first: offer-signer retention test start."
        )

        @Argument(help: ArgumentHelp("The address: https, 256 characters at most.", valueName: "url"))
        var url: String

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

        func run(asking apple: RetentionSetUp) async throws {
            try await apple.ask(.setURL(url))
            Console.message("in \(apple.environment.rawValue), Apple asks \(url) from now on")
        }
    }

    struct Delete: RetentionWork {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Deletes the address. Apple then asks nobody, and shows default messages as before."
        )

        func run(asking apple: RetentionSetUp) async throws {
            try await apple.ask(.deleteURL)
            Console.message("in \(apple.environment.rawValue), Apple asks nobody from now on")
        }
    }
}
