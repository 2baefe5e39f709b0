import ChildProcess
import Foundation

extension Installation {
    private static let newKey = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj"]

    /// Makes an authority with the files NAME.key and NAME.pem.
    func makeAuthority(_ name: String) throws {
        let (key, certificate) = (directory.path("\(name).key"), directory.path("\(name).pem"))
        let extensions = ["-x509", "-days", "2", "-addext", "basicConstraints=critical,CA:TRUE"]
        try openssl(Self.newKey + ["/CN=\(name)", "-keyout", key, "-out", certificate] + extensions)
    }

    /// Makes the files NAME.key and NAME.pem of a server on the loopback address or of a client, valid for some days from
    /// now, or from a later day; below zero it has expired.
    func makeCertificate(_ name: String, by authority: String, days: Int = 30, startingIn first: Int = 0) throws {
        // OpenSSL 3.5 makes no certificate that ends before it begins.
        let (start, days) = days < 0 ? (days - 1, 1) : (first, days)
        try directory.write("\(name).ext", "subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        let request = directory.path("\(name).csr")
        try openssl(Self.newKey + ["/CN=\(name)", "-keyout", directory.path("\(name).key"), "-out", request])
        let signer = ["-CA", directory.path("\(authority).pem"), "-CAkey", directory.path("\(authority).key")]
        let rest = ["-extfile", directory.path("\(name).ext"), "-out", directory.path("\(name).pem")]
        if start == 0 {
            try openssl(["x509", "-req", "-days", "\(days)", "-in", request] + signer + rest)
        } else {
            try directory.write("index.txt", "")
            let settings =
                "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\npolicy=p\nrand_serial=yes\n[p]\ncommonName=supplied\n"
            let config = settings.replacing("index.txt", with: directory.path("index.txt"))
            try directory.write("ca.cnf", config)
            let beginning = Date() + TimeInterval(start * 86_400)
            let bounds = [beginning, beginning + TimeInterval(days * 86_400)].map { moment in
                moment.formatted(.iso8601).filter { $0.isNumber || $0 == "Z" }
            }
            let period = ["-startdate", bounds[0], "-enddate", bounds[1]]
            let files = ["-cert", signer[1], "-keyfile", signer[3], "-in", request, "-outdir", directory.url.path]
            let how = ["-config", directory.path("ca.cnf"), "-batch", "-notext", "-md", "sha256"]
            try openssl(["ca"] + how + period + files + rest)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory.path("\(name).key"))
    }

    /// Asks for a signature with `curl`, over TLS, and returns the status, `000` where there is none, and curl's exit status.
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
