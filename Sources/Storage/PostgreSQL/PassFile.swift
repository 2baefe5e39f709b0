import FoundationEssentials
import Glibc

/// The file from which libpq takes passwords, where it takes none: it would write why to standard error, as it is.
struct PassFile {
    /// Why the file is not used, with the fix.
    let fault: String

    /// Looks at the file that libpq's keywords name: there is no fault where libpq takes it, or there is none.
    init?(_ parameters: [String: String]) {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"].map { "\($0)/.pgpass" }
        guard let path = parameters["passfile"] ?? environment["PGPASSFILE"] ?? home else { return nil }
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let mode = status.st_mode
        if mode & S_IFMT != S_IFREG {
            fault = "the passfile \(path) is not used, as it is no file"
        } else if mode & 0o077 != 0 {
            fault =
                "the passfile \(path) is not used, as others may open it (mode \(String(mode & 0o777, radix: 8))); "
                + "chmod 0600 it"
        } else {
            return nil
        }
    }

    /// The path of a file that surely does not exist, which libpq passes over without a word.
    static let none = "/dev/null/none"
}
