/// The version of the service: of releases, `--version`, the log and the bill of materials.
enum Version {
    static let current = "0.4.0"
}
