import FoundationEssentials
import Logging

/// A logger's handler that writes one line for each event.
struct LineLogHandler: LogHandler {
    private let label: String
    private let output: LogOutput
    private var ownLevel: Logger.Level?
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    /// Creates a handler with the level of its output.
    ///
    /// - Parameters:
    ///   - label: The logger's label.
    ///   - output: Where lines go.
    ///   - metadataProvider: What is added to every line.
    init(label: String, output: LogOutput, metadataProvider: Logger.MetadataProvider?) {
        self.label = label
        self.output = output
        self.metadataProvider = metadataProvider
    }

    /// The logger's own level where it was given one, else that of the output at the moment.
    var logLevel: Logger.Level {
        get { ownLevel ?? output.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var members = metadataProvider?.get() ?? [:]
        members.merge(metadata) { $1 }
        if let own = event.metadata { members.merge(own) { $1 } }
        if let error = event.error { members["error"] = "\(error)" }
        output.write(
            LogLine(
                time: Date.now,
                level: event.level,
                label: label,
                message: event.message.description,
                metadata: members.sorted { $0.key < $1.key }
            )
        )
    }
}
