import Testing

@testable import AppStore

@Suite("The row of questions to Apple")
struct QuestionRowTests {
    /// A row of a virtual clock, whose questions are answered as they begin.
    private struct Scene {
        var row: QuestionRow
        var now = Duration.zero
        private(set) var outcomes: [Int: QuestionRow.Outcome] = [:]
        private(set) var clients: [Int: String?] = [:]
        private var calls: [Int: Int] = [:]
        private var count = 0

        init(pace: Int, longest: Duration = .milliseconds(1500)) {
            row = QuestionRow(requestsPerSecond: pace, longest: longest)
        }

        mutating func take(_ more: [Int: QuestionRow.Outcome]) {
            outcomes.merge(more) { $1 }
            for (number, outcome) in more where outcome == .begins {
                row.end(of: clients[number] ?? nil, calls: calls[number] ?? 0, unused: 0)
            }
        }

        @discardableResult
        mutating func ask(
            _ client: String? = "a",
            calls needed: Int = 1,
            isBegun: Bool = false,
            patience: Duration = .milliseconds(1500)
        ) -> Int {
            count += 1
            (clients[count], calls[count]) = (client, needed)
            let question = QuestionRow.Question(
                number: count,
                client: client,
                calls: needed,
                isBegun: isBegun,
                patience: patience
            )
            take(row.enter(question, at: now))
            return count
        }

        mutating func pass(to moment: Duration) -> [Int] {
            now = moment
            let more = row.begin(at: now)
            take(more)
            return more.filter { $0.value == .begins }.keys.sorted()
        }

        func begun(by client: String) -> Int { outcomes.count { $0.value == .begins && clients[$0.key] == client } }
        func refused(by client: String) -> Int { outcomes.count { $0.value != .begins && clients[$0.key] == client } }
    }

    @Test("In any ten seconds there are fifty calls a second, and a few at once")
    func rate() {
        var scene = Scene(pace: 50)
        // Asked for every millisecond, without patience.
        for millisecond in 0..<10_000 {
            scene.now = .milliseconds(millisecond)
            scene.ask(patience: .zero)
        }
        #expect((500...511).contains(scene.begun(by: "a")))
    }

    @Test("A long silence saves nothing up")
    func silence() {
        var scene = Scene(pace: 10)
        scene.now = .seconds(3600)
        for _ in 0..<6 { scene.ask() }
        #expect(scene.begun(by: "a") == 3)
        #expect(scene.row.pause(at: scene.now) == .milliseconds(100))
    }

    /// New customers of two calls each, at the pace 50.
    @Test(
        "Above the pace, as many customers are answered as it allows, hardly a call is for nobody, and the pace is kept",
        arguments: [20, 40, 100, 300, 1000],
        [50, 400]
    )
    func overload(offered: Int, latency: Int) {
        var scene = Scene(pace: 50)
        var calls: [Int] = []
        var under: [Int: [Int]] = [:]
        var signed = 0
        var asked = 0
        let seconds = 20
        for millisecond in 0..<(seconds * 1000) {
            var begins = scene.pass(to: .milliseconds(millisecond))
            while asked * 1000 < offered * millisecond {
                let number = scene.ask(calls: 2)
                asked += 1
                if scene.outcomes[number] == .begins { begins.append(number) }
            }
            // The second call has its place already.
            for number in under[millisecond] ?? [] {
                if number > 0 {
                    calls.append(millisecond)
                    under[millisecond + latency, default: []].append(0)
                } else {
                    signed += 1
                }
            }
            for number in begins {
                calls.append(millisecond)
                under[millisecond + latency, default: []].append(number)
            }
        }
        #expect(signed * 100 >= min(offered, 25) * seconds * 80, "\(signed)")
        #expect(calls.count * 4 <= signed * 2 * 5 + 4 * 50, "\(calls.count) calls, \(signed) signed")
        for second in 0..<(seconds - 1) {
            let count = calls.count { $0 >= second * 1000 && $0 < second * 1000 + 1000 }
            #expect(count <= 62, "\(count) calls in second \(second)")
        }
    }

    @Test("A client that asks a thousand times a second takes nothing of another's share, and two of them share alike")
    func shares() {
        var scene = Scene(pace: 50)
        for millisecond in 0..<20_000 {
            _ = scene.pass(to: .milliseconds(millisecond))
            scene.ask("flood", calls: 2)
            if millisecond % 200 == 0 { scene.ask("other", calls: 2) }
            if millisecond > 10_000 { scene.ask("second flood") }
        }
        #expect(scene.refused(by: "other") == 0)
        #expect(scene.begun(by: "other") >= 98)
        // Of fifty calls a second the other one has ten; the rest is one client's for ten seconds, then two share it.
        #expect((285...315).contains(scene.begun(by: "flood")), "\(scene.begun(by: "flood"))")
        #expect((190...215).contains(scene.begun(by: "second flood")), "\(scene.begun(by: "second flood"))")
    }

    @Test("Where the row is full, the newest question of the client with the most unanswered ones makes room")
    func fullRow() {
        var scene = Scene(pace: 10)
        // Three begin at once; the last of 15 more would wait for a second and a half.
        for _ in 0..<18 { scene.ask("a") }
        #expect(scene.refused(by: "a") == 0)
        let last = scene.ask("a")
        #expect(scene.outcomes[last] != nil)
        let other = scene.ask("b")
        #expect(scene.outcomes[other] == nil)
        #expect(scene.outcomes[18] != nil && scene.outcomes[17] == nil)
        #expect(scene.pass(to: .milliseconds(200)).contains(other))
    }

    @Test("A question that has begun comes before its client's new ones, and is never sent away for others")
    func begun() {
        var scene = Scene(pace: 10)
        for _ in 0..<10 { scene.ask("a") }
        let page = scene.ask("a", isBegun: true)
        for _ in 0..<30 { scene.ask("b") }
        #expect(scene.refused(by: "b") > 0)
        #expect(scene.pass(to: .milliseconds(300)).contains(page))
    }

    @Test("A question that Apple has not answered counts against its client, also when nobody waits for it any more")
    func unanswered() {
        var scene = Scene(pace: 10)
        for _ in 0..<11 { scene.ask("a") }
        // Twenty more, which Apple is slow to answer.
        scene.row.end(of: "a", calls: -20, unused: 0)
        for _ in 0..<12 { scene.ask("b") }
        #expect(scene.refused(by: "b") == 0)
        #expect(scene.refused(by: "a") >= 4)
    }

    @Test("Places that a question did not use shorten the row")
    func unused() {
        var scene = Scene(pace: 10)
        for _ in 0..<3 { scene.ask(calls: 2) }
        #expect(scene.row.pause(at: .zero) == .milliseconds(200))
        scene.row.end(of: "a", calls: 0, unused: 1)
        #expect(scene.row.pause(at: .zero) == .milliseconds(100))
    }

    @Test("Who is refused and comes again when it was told to is not refused again, in whole seconds, too")
    func comingAgain() {
        for isWhole in [false, true] {
            var scene = Scene(pace: 50)
            var returns: [Duration] = []
            func time(_ after: Duration) -> Duration { isWhole ? .seconds(after.wholeSeconds) : after }
            for _ in 0..<300 {
                let number = scene.ask(calls: 2)
                if case .refused(let after) = scene.outcomes[number] { returns.append(time(after)) }
            }
            #expect(returns.count > 200)
            #expect(returns.allSatisfy { $0 <= .seconds(13) })
            var again: [Int] = []
            for millisecond in 0..<20_000 {
                _ = scene.pass(to: .milliseconds(millisecond))
                while let first = returns.first, first <= scene.now {
                    returns.removeFirst()
                    again.append(scene.ask(calls: 2))
                }
            }
            #expect(again.allSatisfy { scene.outcomes[$0] == .begins })
        }
    }

    @Test("When Apple asks for patience, those that can wait so long stay, and the others are told until when")
    func held() {
        var scene = Scene(pace: 10)
        for _ in 0..<3 { scene.ask() }
        let waiting = (0..<2).map { _ in scene.ask() }
        let patient = scene.ask(patience: .seconds(10))
        scene.take(scene.row.hold(until: .seconds(5), at: .zero))
        #expect(waiting.allSatisfy { scene.outcomes[$0] == .refused(after: .seconds(5)) })
        let next = scene.ask()
        #expect(scene.outcomes[next] == .refused(after: .seconds(5)))
        // Places that are given back meanwhile bring nobody before it.
        scene.row.end(of: "a", calls: 0, unused: 10)
        #expect(scene.pass(to: .milliseconds(4999)) == [])
        #expect(scene.pass(to: .seconds(5)) == [patient])
    }

    @Test("One that others came before for longer than it can wait is refused in time")
    func late() {
        var scene = Scene(pace: 1)
        scene.ask()
        let hasty = scene.ask("a", patience: .milliseconds(900))
        // Two calls by others, such as pages.
        scene.row.end(of: "a", calls: 0, unused: -2)
        _ = scene.pass(to: .milliseconds(1000))
        #expect(scene.outcomes[hasty] == nil)
        _ = scene.pass(to: .milliseconds(1200))
        #expect(scene.outcomes[hasty] != nil && scene.outcomes[hasty] != .begins)
        #expect(scene.row.pause(at: scene.now) == nil)
    }
}
