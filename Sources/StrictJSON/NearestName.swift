/// Guesses what a misspelt name was to be.
package enum NearestName {
    /// The known name nearest to a misspelt one; letter case does not count.
    ///
    /// A name that differs in more than a third of its letters is no suggestion.
    package static func nearest(to name: String, among names: [String]) -> String? {
        // The table is quadratic in the lengths, and no known name is this long.
        guard name.utf8.count <= 100 else { return nil }
        let near = names.map { (name: $0, distance: distance(name, $0)) }
            .filter { $0.distance <= max(1, min(name.count, $0.name.count) / 3) }
        return near.min { $0.distance < $1.distance }?.name
    }

    /// `did you mean "x"?`; `nil` when no known name is near.
    package static func question(for name: String, among names: [String]) -> String? {
        nearest(to: name, among: names).map { "did you mean \"\($0)\"?" }
    }

    /// How many insertions, deletions, replacements and swaps of neighbours lead from one name to another; letter case does
    /// not count.
    package static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.lowercased()), Array(right.lowercased()))
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let isSame = left[row] == right[column]
                var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
