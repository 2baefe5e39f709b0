public import Hummingbird

/// What goes along with a request on its way through Hummingbird.
public struct ServiceRequestContext: RequestContext {
    /// What Hummingbird itself needs, with the logger, which names the request.
    public var coreContext: CoreRequestContextStorage
    /// What becomes known of the request, for metrics and the log.
    public let trail: RequestTrail

    /// Creates the context of a request.
    ///
    /// - Parameter source: The connection that the request came on.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        trail = RequestTrail()
    }
}
