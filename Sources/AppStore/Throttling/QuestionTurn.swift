import Synchronization

/// One question at Apple, with all its calls: who asks, and the places that it has taken for them.
final class QuestionTurn: Sendable {
    /// A host in an app's name, which has its own pace.
    struct Host: Hashable, Sendable {
        let bundleId: String
        let host: String
    }

    private struct Places {
        var taken = 0
        var left = 0
    }

    private static let numbers = Atomic(0)

    let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
    /// Who asks; `nil` is the service itself.
    let client: String?
    private let calls: Int
    private let places = Mutex<[Host: Places]>([:])

    /// The calls are those that it is known to need.
    init(of client: String? = nil, calls: Int = 1) {
        (self.client, self.calls) = (client, calls)
    }

    /// The question as it enters a host's row.
    func question(to host: Host, patience: Duration) -> QuestionRow.Question {
        let places = places.withLock { $0 }
        return QuestionRow.Question(
            number: number,
            client: client,
            calls: places[host] == nil ? calls : 1,
            isBegun: !places.isEmpty,
            patience: patience
        )
    }

    /// Notes the places that it got in a row, of which it uses one now.
    func begin(at host: Host, calls: Int) {
        places.withLock {
            $0[host, default: Places()].taken += calls
            $0[host, default: Places()].left += calls - 1
        }
    }

    /// Uses a place that it has taken; `false` where it has none left.
    func usePlace(at host: Host) -> Bool {
        places.withLock { places in
            guard let left = places[host]?.left, left > 0 else { return false }
            places[host]?.left = left - 1
            return true
        }
    }

    /// The places that it took, and those that it did not use.
    func end() -> [(host: Host, taken: Int, unused: Int)] {
        places.withLock { places in
            defer { places = [:] }
            return places.map { ($0.key, $0.value.taken, $0.value.left) }
        }
    }
}
