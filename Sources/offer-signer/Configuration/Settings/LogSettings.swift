import LogLines
import Logging

/// What is logged, and how.
struct LogSettings: Equatable, Sendable {
    /// The least level that is written; a request has its line at `info`.
    let level: Logger.Level
    /// How lines look.
    let format: LogFormat
}
