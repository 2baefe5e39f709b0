import Hummingbird
import NIOCore

/// A request's context with its connection, which an outage closes.
struct SimulatorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// No request to the App Store is larger.
    var maxUploadSize: Int { 4 * 1024 * 1024 }
}
