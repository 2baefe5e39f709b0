/// Who besides its owner may read a key file.
public enum FileAccess: String, Sendable, CaseIterable {
    /// Nobody: no permission bit of the group or of others may be set (0600, 0400).
    case ownerOnly
    /// The group may read, as with Kubernetes' mounted secrets (`defaultMode: 0440`) and systemd's credentials. Others may not.
    case groupReadable

    /// Whether a file of this mode is closed enough.
    func permits(mode: UInt32) -> Bool {
        switch self {
        case .ownerOnly: mode & 0o077 == 0
        case .groupReadable: mode & 0o037 == 0
        }
    }

    /// The mode to advise, octal.
    var advisedMode: String {
        switch self {
        case .ownerOnly: "600"
        case .groupReadable: "440"
        }
    }
}
