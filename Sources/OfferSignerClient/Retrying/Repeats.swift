/// After which outcomes a call may be sent again.
enum Repeats: Sendable {
    /// Also when nobody knows whether the service did its work: twice is as good as once.
    case always
    /// Only when the service has said that it did not begin.
    case whenRefused
}
