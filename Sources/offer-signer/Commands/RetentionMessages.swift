import AppStore
import ArgumentParser
import Foundation
import Offers
import StrictJSON

struct RetentionMessages: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages",
        abstract: "Lists, uploads or deletes messages.",
        subcommands: [AskApple<List>.self, AskApple<Put>.self, AskApple<Delete>.self]
    )

    func run() throws { throw Self.subcommandMissing() }

    struct List: RetentionWork {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Prints each message's identifier and state: PENDING, APPROVED or REJECTED."
        )

        func run(asking apple: RetentionSetUp) async throws {
            let messages = try await apple.ask(.messages)
            for message in messages { try Console.result("\(message.identifier) \(message.state)") }
            if messages.isEmpty { Console.message("there are no messages in \(apple.environment.rawValue)") }
        }
    }

    struct Put: RetentionWork {
        static let configuration = CommandConfiguration(
            commandName: "put",
            abstract: "Uploads a message for Apple's review, and prints its identifier.",
            discussion: """
                The file is Apple's UploadMessageRequestBody as JSON: header (66 characters) and body (144). Optional: \
                image {imageIdentifier, altText}, headerPosition (ABOVE_BODY or ABOVE_IMAGE) and up to five \
                bulletPoints {text, imageIdentifier, altText}. The message gets the identifier of messageIdentifier in \
                the file, or of --message-id, or a new one. A message that goes with an offer has no image.
                """
        )

        @Argument(help: ArgumentHelp("The message; - is standard input.", valueName: "file"))
        var file: String

        @Option(
            help: ArgumentHelp("The message's identifier, a UUID.", valueName: "uuid"),
            transform: MessageIdentifier.argument
        )
        var messageId: MessageIdentifier?

        func run(asking apple: RetentionSetUp) async throws {
            let message = try InputFile.json(file) { (json) throws(JSONFault) in try MessageUpload(json: json) }
            if let inFile = message.identifier, let messageId, inFile != messageId {
                Console.message("error: \(Echo.file(file)) at /messageIdentifier: --message-id is another one")
                throw ExitCode.validationFailure
            }
            guard let identifier = message.identifier ?? messageId ?? MessageIdentifier(UUID().uuidString) else {
                throw ExitCode.failure
            }
            try await apple.ask(.upload(message, as: identifier))
            try Console.result(identifier.description)
            if message.hasImage {
                Console.message("it has images, so that only a rule without offer and switchTo may name it")
            }
            Console.message("Apple reviews it now; offer-signer retention messages list says how it stands")
        }
    }

    struct Delete: RetentionWork {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Deletes a message. Remove it from all rules and defaults first."
        )

        @Argument(
            help: ArgumentHelp("The message's identifier, a UUID.", valueName: "uuid"),
            transform: MessageIdentifier.argument
        )
        var messageId: MessageIdentifier

        func run(asking apple: RetentionSetUp) async throws {
            try await apple.ask(.deleteMessage(messageId))
            Console.message("\(messageId) is deleted in \(apple.environment.rawValue)")
        }
    }
}
