import Offers

extension HeldState {
    /// Learns what waits to be written, as far as it was asked about.
    ///
    /// - Parameters:
    ///   - lesson: What waits.
    ///   - question: What was asked.
    mutating func learn(_ lesson: StateLesson, for question: StateQuestion) {
        for learnt in lesson.subscriptions where learnt.identity.bundleId == question.bundleId {
            let isAsked =
                question.subscriptions.contains(learnt.identity)
                || question.account.map { learnt.accounts[$0] != nil } == true
            if let index = subscriptions.firstIndex(where: { $0.identity == learnt.identity }) {
                subscriptions[index].merge(learnt)
            } else if isAsked {
                subscriptions.append(learnt)
            }
        }
        if let mark = lesson.mark, mark.account == question.account, mark.bundleId == question.bundleId {
            marks = mark.put(into: marks)
        }
    }
}
