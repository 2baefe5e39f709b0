import AppStore
import ArgumentParser

struct RetentionDefaults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "defaults",
        abstract: "Prints, sets or deletes default messages. Apple asks only where there is one.",
        subcommands: [Get.self, Set.self, Delete.self]
    )

    func run() throws { throw Self.subcommandMissing() }

    /// The products and locales that a command is for: each with each.
    struct Places: ParsableArguments {
        @Option(help: ArgumentHelp("A product; several may be named.", valueName: "id"))
        var productId: [String]

        @Option(help: ArgumentHelp("A locale such as en-US; several may be named.", valueName: "locale"))
        var locale: [String]

        @Option(help: "Production or Sandbox. Each has its own defaults.")
        var environment = EnvironmentArgument.production

        func validate() throws {
            for id in productId where !(1...100).contains(id.utf8.count) {
                throw ValidationError("--product-id has 1 to 100 bytes.")
            }
            for locale in locale where locale.wholeMatch(of: /[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}/) == nil {
                throw ValidationError("--locale: \(Echo.name(locale)) is none such as en-US or zh-Hans.")
            }
        }

        /// Asks Apple for each product in each locale, until one is refused: `fault` says which and why.
        func each(
            of options: RetentionOptions,
            _ work:
                @Sendable (RetentionSetUp, _ product: String, _ locale: String) async throws(RetentionFault) ->
                String
        ) async throws(ExitCode) -> (lines: [String], fault: String?) {
            let pairs = productId.flatMap { product in locale.map { (product, $0) } }
            return try await options.asking(in: environment) { setUp in
                var lines: [String] = []
                for (product, locale) in pairs {
                    do throws(RetentionFault) {
                        lines.append(try await work(setUp, product, locale))
                    } catch {
                        return (lines, "\(Echo.known(product)) in \(locale): \(error)")
                    }
                }
                return (lines, nil)
            }
        }
    }

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Prints product, locale and the default message's identifier."
        )

        @OptionGroup var places: Places
        @OptionGroup var options: RetentionOptions

        func run() async throws {
            let (lines, fault) = try await places.each(of: options) { (setUp, product, locale) throws(RetentionFault) in
                "\(product) \(locale) \(try await setUp.defaultMessage(ofProduct: product, in: locale))"
            }
            for line in lines { try Console.result(line) }
            try RetentionDefaults.end(fault)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Makes an approved message the default of products and locales.",
            discussion: "A default message is a text, with or without an image. It has no offer and no other product."
        )

        @Option(
            help: ArgumentHelp("The message's identifier, a UUID.", valueName: "uuid"),
            transform: MessageIdentifier.argument
        )
        var messageId: MessageIdentifier

        @OptionGroup var places: Places
        @OptionGroup var options: RetentionOptions

        func run() async throws {
            let messageId = messageId
            let (lines, fault) = try await places.each(of: options) { (setUp, product, locale) throws(RetentionFault) in
                try await setUp.setDefaultMessage(messageId, ofProduct: product, in: locale)
                return "\(product) in \(locale): \(messageId) is the default"
            }
            for line in lines { Console.message(line) }
            try RetentionDefaults.end(fault)
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Deletes default messages. Apple then asks nothing for these products and locales."
        )

        @OptionGroup var places: Places
        @OptionGroup var options: RetentionOptions

        func run() async throws {
            let (lines, fault) = try await places.each(of: options) { (setUp, product, locale) throws(RetentionFault) in
                try await setUp.deleteDefaultMessage(ofProduct: product, in: locale)
                return "\(product) in \(locale): there is no default any more"
            }
            for line in lines { Console.message(line) }
            try RetentionDefaults.end(fault)
        }
    }

    private static func end(_ fault: String?) throws(ExitCode) {
        guard let fault else { return }
        throw Console.failure("\(fault)")
    }
}
