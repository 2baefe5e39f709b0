/// One thing that can go wrong with a payload, in each way in which it can.
///
/// Two mistakes of one kind do not occur together; mistakes of different kinds do.
struct MistakeKind: Sendable {
    /// Makes the mistake in a guess; `nil` where it makes no difference.
    typealias Way = @Sendable (PayloadGuess) -> PayloadGuess?

    /// Each way, the likeliest first.
    let ways: [Way]
    /// Whether no way is likelier than another.
    let areAlike: Bool

    /// The place of ways that are alike, together: pairs with them are many, and each is unlikely.
    private static let placeOfAlike = 8

    /// Creates a kind.
    ///
    /// - Parameters:
    ///   - ways: Each way, the likeliest first.
    ///   - areAlike: Whether no way is likelier than another.
    init(ways: [Way], areAlike: Bool = false) {
        self.ways = ways
        self.areAlike = areAlike
    }

    /// The last place that has a way, from 1 on; 0 when there is none.
    var lastPlace: Int {
        guard areAlike else { return ways.count }
        return ways.isEmpty ? 0 : Self.placeOfAlike
    }

    /// The ways in a place, by how likely they are: one, or all that are alike.
    func ways(at place: Int) -> ArraySlice<Way> {
        guard areAlike else { return ways[(place - 1)..<place] }
        return place == Self.placeOfAlike ? ways[...] : []
    }

    /// The kind without the ways that make no difference in a guess.
    func changing(_ guess: PayloadGuess) -> MistakeKind {
        MistakeKind(ways: ways.filter { $0(guess) != nil }, areAlike: areAlike)
    }
}
