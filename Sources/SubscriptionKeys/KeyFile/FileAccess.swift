/// Who besides its owner may read a key file.
public enum FileAccess: String, Sendable, CaseIterable {
    /// Nobody: no permission bit of the group or of others may be set (0600, 0400).
    case ownerOnly
    /// The group may read, as with Kubernetes' mounted secrets (`defaultMode: 0440`) and systemd's credentials. Others may not.
    case groupReadable

    /// What is wrong with a file of this mode; `nil` when it is closed enough.
    func fault(of mode: UInt32) -> KeyFault? {
        let others: UInt32 =
            switch self {
            case .ownerOnly: 0o077
            case .groupReadable: 0o037
            }
        guard mode & others != 0 else { return nil }
        return KeyFault(.readableByOthers, "has mode 0\(String(mode, radix: 8)), open to others")
    }

    /// The mode to advise, octal.
    var advisedMode: String {
        switch self {
        case .ownerOnly: "600"
        case .groupReadable: "440"
        }
    }
}
