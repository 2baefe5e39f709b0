import NIOCore

/// One connection: sends a request, waits for its answer, and reports it to its lane.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// A request that waits for its answer; times are nanoseconds of the monotonic clock.
    struct Flight {
        let request: RequestDeck.Place
        let intended: Int64
        let sent: Int64
    }

    var flight: Flight?
    /// Whether requests were answered over it, and none failed: its end is no fault.
    private(set) var isOrderly = false

    /// Since when it has nothing to wait for, in nanoseconds of the monotonic clock.
    var freeSince: Int64 = 0

    private let lane: LoadLane
    private var reader = AnswerReader()
    private var context: ChannelHandlerContext?

    init(_ lane: LoadLane) { self.lane = lane }

    func send(_ bytes: ByteBuffer, _ flight: Flight) {
        self.flight = flight
        context?.writeAndFlush(wrapOutbound(bytes), promise: nil)
    }

    func close() { context?.close(promise: nil) }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        lane.opened(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(unwrapInboundIn(data))
        do throws(LoadFault) {
            while let answer = try reader.next() {
                guard let flight else { throw LoadFault("nothing was asked") }
                // What follows came before the next question was asked, and would be taken for the answer to it.
                guard reader.isEmpty else { throw LoadFault("more than was asked for") }
                self.flight = nil
                isOrderly = true
                lane.answered(self, flight, answer)
            }
        } catch {
            fail(.malformed("\(error)"))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        fail(.closed)
        lane.lost(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Gives up the request that waits for its answer, and the connection with it.
    func fail(_ failure: LoadFailure) {
        guard let flight else { return }
        self.flight = nil
        isOrderly = false
        lane.failed(flight, failure)
        close()
    }

    private func wrapOutbound(_ bytes: ByteBuffer) -> NIOAny { NIOAny(bytes) }
}
