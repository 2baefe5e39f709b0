/// The header fields that decide where a request begins and ends, and what may come behind it.
struct RequestFraming: Sendable {
    /// `Host`.
    var host = OnlyField()
    /// `Content-Length`.
    var contentLength = OnlyField()
    /// `Transfer-Encoding`.
    var transferCoding = OnlyField()
    /// The values of `Expect`.
    var expectations: [String] = []
    /// Whether another protocol is asked for.
    var upgrades = false

    /// Begins with none of them.
    init() {}
}
