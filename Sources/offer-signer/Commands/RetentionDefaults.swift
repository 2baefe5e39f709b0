import AppStore
import ArgumentParser

struct RetentionDefaults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "defaults",
        abstract: "Prints, sets or deletes default messages. Apple asks only where there is one.",
        subcommands: [AskApple<Get>.self, AskApple<Set>.self, AskApple<Delete>.self]
    )

    func run() throws { throw Self.subcommandMissing() }

    /// The products and locales that a command is for: each with each.
    struct Places: ParsableArguments {
        @Option(help: ArgumentHelp("A product; several may be named.", valueName: "id"))
        var productId: [String]

        @Option(help: ArgumentHelp("A locale such as en-US; several may be named.", valueName: "locale"))
        var locale: [String]

        func validate() throws {
            for id in productId where !(1...100).contains(id.utf8.count) {
                throw ValidationError("--product-id has 1 to 100 bytes.")
            }
            for locale in locale where locale.wholeMatch(of: /[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}/) == nil {
                throw ValidationError("--locale: \(Echo.name(locale)) is none such as en-US or zh-Hans.")
            }
        }

        /// Does it for each product in each locale, until one is refused.
        func each(_ work: (_ product: String, _ locale: String) async throws -> Void) async throws {
            for product in productId {
                for locale in locale {
                    do {
                        try await work(product, locale)
                    } catch let fault as RetentionFault {
                        throw ValueFault("\(Echo.known(product)) in \(locale): \(fault)")
                    }
                }
            }
        }
    }

    struct Get: RetentionWork {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Prints product, locale and the default message's identifier."
        )

        @OptionGroup var places: Places

        func run(asking apple: RetentionSetUp) async throws {
            try await places.each { product, locale in
                let message = try await apple.ask(.defaultMessage(of: product, in: locale))
                try Console.result("\(product) \(locale) \(message)")
            }
        }
    }

    struct Set: RetentionWork {
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

        func run(asking apple: RetentionSetUp) async throws {
            try await places.each { product, locale in
                try await apple.ask(.setDefault(messageId, of: product, in: locale))
                Console.message("\(product) in \(locale): \(messageId) is the default")
            }
        }
    }

    struct Delete: RetentionWork {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Deletes default messages. Apple then asks nothing for these products and locales."
        )

        @OptionGroup var places: Places

        func run(asking apple: RetentionSetUp) async throws {
            try await places.each { product, locale in
                try await apple.ask(.deleteDefault(of: product, in: locale))
                Console.message("\(product) in \(locale): there is no default any more")
            }
        }
    }
}
