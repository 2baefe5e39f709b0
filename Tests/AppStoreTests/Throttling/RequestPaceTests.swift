import Testing

@testable import AppStore

@Suite("Apple is asked no faster than it allows")
struct RequestPaceTests {
    @Test("In any ten seconds there are fifty requests a second, and a few at once")
    func rate() {
        var pace = RequestPace(requestsPerSecond: 50)
        var sent = 0
        // Asked for every millisecond, without patience.
        for millisecond in 0..<10_000 where pace.reserve(at: .milliseconds(millisecond), patience: .zero) == .zero {
            sent += 1
        }
        #expect((500...511).contains(sent))
    }

    @Test("A caller that can wait has a place of its own; one that cannot takes none")
    func places() {
        var pace = RequestPace(requestsPerSecond: 10)
        let waits = (0..<6).map { _ in pace.reserve(at: .seconds(1), patience: .seconds(1)) }
        #expect(waits == [0, 0, 0, 100, 200, 300].map { .milliseconds($0) })
        #expect(pace.reserve(at: .seconds(1), patience: .milliseconds(399)) == .milliseconds(400))
        #expect(pace.reserve(at: .seconds(1), patience: .milliseconds(400)) == .milliseconds(400))
        #expect(pace.reserve(at: .seconds(1), patience: .milliseconds(500)) == .milliseconds(500))
    }

    @Test("A place that is given back shortens the row")
    func givenBack() {
        var pace = RequestPace(requestsPerSecond: 10)
        for _ in 0..<4 { _ = pace.reserve(at: .seconds(1), patience: .seconds(1)) }
        pace.giveBack()
        #expect(pace.reserve(at: .seconds(1), patience: .seconds(1)) == .milliseconds(100))
        #expect(pace.reserve(at: .seconds(1), patience: .seconds(1)) == .milliseconds(200))
    }

    @Test("A long silence saves nothing up")
    func silence() {
        var pace = RequestPace(requestsPerSecond: 10)
        let waits = (0..<4).map { _ in pace.reserve(at: .seconds(3600), patience: .seconds(1)) }
        #expect(waits == [0, 0, 0, 100].map { .milliseconds($0) })
    }
}
