import NIOCore
import NIOEmbedded
import Testing

@testable import OfferAPI

@Suite("The shared set-up of an event loop's connections")
struct LoopSetupsTests {
    @Test("is made once for each")
    func loops() {
        let setups = LoopSetups { _ in
            ConnectionSetup(
                limits: ConnectionLimits(),
                census: ConnectionCensus(),
                guests: .everybody(at: [:]),
                telemetry: nil,
                answer: { _ in }
            )
        }
        let (one, other) = (EmbeddedEventLoop(), EmbeddedEventLoop())
        #expect(setups.setup(on: one) === setups.setup(on: one))
        #expect(setups.setup(on: one) !== setups.setup(on: other))
        #expect(setups.setup(on: other) === setups.setup(on: other))
    }
}
