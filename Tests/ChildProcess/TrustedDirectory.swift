import Foundation

/// A directory that no other user may change, nor any on the way to it: for modules, which a service loads from nowhere else.
package final class TrustedDirectory: Sendable {
    package let path: String

    package init() throws {
        // Everybody may write the temporary directory.
        let place = geteuid() == 0 ? URL(filePath: "/var/lib") : FileManager.default.homeDirectoryForCurrentUser
        let url = place.appending(path: "offer-signer-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
        path = url.path
    }

    deinit { remove() }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Builds a module of PKCS#11 from the tests' source, and returns its path.
    package func buildModule(_ source: String, named name: String = "token.so") throws -> String {
        let module = "\(path)/\(name)"
        let outcome = try ChildProcess(
            "/bin/sh",
            ["-c", #"for c in cc clang gcc; do command -v "$c" >/dev/null && exec "$c" "$@"; done; exit 127"#, "cc"]
                + ["-shared", "-fPIC", "-o", module, source]
        ).outcome()
        guard outcome.status == 0 else { throw Failure(description: "cannot build \(name): \(outcome.errors)") }
        return module
    }

    package struct Failure: Error, CustomStringConvertible { package let description: String }
}
