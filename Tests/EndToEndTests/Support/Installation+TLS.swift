import ChildProcess
import Foundation

extension Installation {
    /// Makes an authority.
    ///
    /// - Parameter name: Its name, and that of its files.
    /// - Throws: `Failure` when `openssl` fails.
    func makeAuthority(_ name: String) throws {
        try openssl(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=\(name)",
            "-addext",
            "basicConstraints=critical,CA:TRUE",
            "-keyout",
            directory.path("\(name).key"),
            "-out",
            directory.path("\(name).pem")
        )
    }

    /// Makes a certificate, for a server on the loopback address or for a client.
    ///
    /// - Parameters:
    ///   - name: Its name, and that of its files.
    ///   - authority: Who signs it.
    ///   - days: For how many days from now it is valid; below zero it has expired.
    /// - Throws: `Failure` when `openssl` fails.
    func makeCertificate(_ name: String, by authority: String, days: Int = 30) throws {
        try directory.write("\(name).ext", "subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        try openssl(
            "req",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-subj",
            "/CN=\(name)",
            "-keyout",
            directory.path("\(name).key"),
            "-out",
            directory.path("\(name).csr")
        )
        try openssl(
            "x509",
            "-req",
            "-days",
            "\(days)",
            "-in",
            directory.path("\(name).csr"),
            "-CA",
            directory.path("\(authority).pem"),
            "-CAkey",
            directory.path("\(authority).key"),
            "-extfile",
            directory.path("\(name).ext"),
            "-out",
            directory.path("\(name).pem")
        )
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: directory.path("\(name).key")
        )
    }

    /// Asks for a signature with `curl`, over TLS.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - options: Options of curl: whom to trust, what to show.
    /// - Returns: The status, `000` when there was none, and curl's exit status.
    /// - Throws: An error when curl cannot be started.
    func curl(_ service: RunningService, _ options: String...) throws -> (status: String, exit: Int32) {
        let body = #"{"applicationUsername":"a","offers":[{"productId":"pro.monthly","offerId":"anyone"}]}"#
        let request = [
            "--silent", "--show-error", "--max-time", "20", "--header", "Authorization: Bearer \(Self.token)",
            "--header",
            "Content-Type: application/json", "--data", body, "--output", "/dev/null", "--write-out", "%{http_code}",
            "https://127.0.0.1:\(service.server.port)/v1/signatures",
        ]
        let outcome = try Executable.run(options + request, of: "/usr/bin/curl")
        return (outcome.text, outcome.status)
    }
}
