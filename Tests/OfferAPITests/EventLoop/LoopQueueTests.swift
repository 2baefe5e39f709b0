import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import OfferAPI

@Suite("Requests that wait for the end of an event loop's tick")
struct LoopQueueTests {
    /// Notes which requests come together, and takes a number of them at once.
    private final class Notes: LoopResponder {
        let most: Int
        nonisolated(unsafe) var ticks: [[String]] = []  // One thread runs an embedded event loop: that of the test.
        nonisolated(unsafe) var onAnswer: (String) -> Void = { _ in }

        init(atMost most: Int = .max) { self.most = most }

        func queue(of head: RequestHead) -> AdmissionControl.Queue? { .answer }

        func answer(_ calls: [LoopCall], on loop: any EventLoop) -> Int {
            let taken = calls.prefix(most)
            ticks.append(taken.map { $0.head.target })
            for call in taken { onAnswer(call.head.target) }
            return taken.count
        }
    }

    private final class Nobody: LoopConnection {
        var isWaiting: Bool { true }

        func send(_ answer: consuming LoopAnswer) {}
    }

    private let loop = EmbeddedEventLoop()

    private func call(_ path: String) -> LoopCall {
        LoopCall(
            RequestHead(HTTPRequest(method: .post, scheme: nil, authority: nil, path: path)),
            ByteBuffer(),
            progress: RequestProgress(nil),
            on: Nobody()
        )
    }

    @Test("are answered together, once all that has arrived is read")
    func together() {
        let notes = Notes()
        let queue = LoopQueue(on: loop, answeredBy: notes)
        for path in ["1", "2", "3"] { queue.add(call(path)) }
        #expect(notes.ticks.isEmpty)
        loop.run()
        #expect(notes.ticks == [["1", "2", "3"]])
        queue.add(call("4"))
        loop.run()
        #expect(notes.ticks == [["1", "2", "3"], ["4"]])
    }

    @Test("leave the loop to its connections when they are too many for a tick, and are answered in their order")
    func tooMany() {
        let notes = Notes(atMost: 2)
        let queue = LoopQueue(on: loop, answeredBy: notes)
        for path in ["1", "2", "3", "4", "5"] { queue.add(call(path)) }
        loop.run()
        #expect(notes.ticks == [["1", "2"]])
        loop.advanceTime(by: .milliseconds(1))
        #expect(notes.ticks == [["1", "2"], ["3", "4"], ["5"]])
    }

    @Test("wait behind those that were there before, also when they come while others are answered")
    func meanwhile() {
        let notes = Notes(atMost: 1)
        let queue = LoopQueue(on: loop, answeredBy: notes)
        notes.onAnswer = { if $0 == "1" { queue.add(call("3")) } }
        for path in ["1", "2"] { queue.add(call(path)) }
        loop.run()
        loop.advanceTime(by: .milliseconds(1))
        #expect(notes.ticks == [["1"], ["2"], ["3"]])
    }
}
