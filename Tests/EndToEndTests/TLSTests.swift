import ChildProcess
import Foundation
import Testing

@Suite("TLS on the public listener")
struct TLSTests {
    private let installation: Installation

    init() throws {
        installation = try Installation()
        try installation.makeAuthority("authority")
        try installation.makeCertificate("server", by: "authority")
    }

    private static let files = [
        "--server-tls-certificate-file", "server.pem", "--server-tls-private-key-file", "server.key",
    ]

    private func start(_ flags: String...) throws -> RunningService {
        try RunningService(installation, flags: Self.files + flags)
    }

    @Test(
        "Clients that trust the authority are served, by TLS 1.3, and by 1.2 with authenticated encryption; no others are"
    )
    func serving() throws {
        let service = try start()
        #expect(service.firstLine.contains("https://127.0.0.1:\(service.server.port)"))
        #expect(try installation.curl(service, "--cacert", installation.directory.path("authority.pem")) == ("200", 0))
        #expect(try installation.curl(service).exit == 60, "curl does not know the authority")
        #expect(throws: Failure.self) { try service.sign("{}") }
        for (option, ciphers, isSpoken) in [
            ("-tls1_3", "DEFAULT", true), ("-tls1_2", "DEFAULT", true), ("-tls1_1", "DEFAULT", false),
            ("-tls1_2", "AESGCM", true), ("-tls1_2", "CHACHA20", true),
            // CBC is all that is left.
            ("-tls1_2", "ALL:!AESGCM:!CHACHA20:!AESCCM:!ARIAGCM", false), ("-tls1_2", "kRSA", false),
        ] {
            let outcome = try Executable.run(
                [
                    "s_client", "-connect", "127.0.0.1:\(service.server.port)", option, "-CAfile",
                    installation.directory.path("authority.pem"), "-verify_return_error", "-cipher",
                    "\(ciphers):@SECLEVEL=0",
                ],
                of: "/usr/bin/openssl"
            )
            #expect((outcome.status == 0) == isSpoken, "\(option) \(ciphers) \(outcome.errors)")
        }
    }

    @Test("A failed handshake is counted, and the log says why; a connection that only opens and closes is not")
    func failures() throws {
        let service = try start("--log-level", "info")
        _ = try installation.curl(service, "--tls-max", "1.2")
        _ = try installation.curl(service)
        #expect(throws: Failure.self) { try service.sign("{}") }
        _ = try Connection(to: service.server)
        for reason in ["tlsv1 alert unknown ca", "the client gave up", "http request"] {
            #expect(service.log.contains(#""TLS handshake failed""#) && service.log.contains(reason), "\(service.log)")
        }
        #expect(try installation.curl(service, "--cacert", installation.directory.path("authority.pem")) == ("200", 0))
        #expect(try service.metrics()["offer_signer_tls_handshake_failures_total"] == 3)
    }

    @Test("With authorities for clients, a client needs a certificate of theirs")
    func mutual() throws {
        try installation.makeAuthority("strangers")
        try installation.makeCertificate("client", by: "authority")
        try installation.makeCertificate("stranger", by: "strangers")
        let service = try start("--server-tls-client-certificate-authority-file", "authority.pem")
        let trust = installation.directory.path("authority.pem")
        func ask(_ name: String) throws -> (status: String, exit: Int32) {
            let (certificate, key) = (
                installation.directory.path(name + ".pem"), installation.directory.path(name + ".key")
            )
            return try installation.curl(service, "--cacert", trust, "--cert", certificate, "--key", key)
        }
        #expect(try ask("client") == ("200", 0))
        #expect(try ask("stranger").status == "000")
        #expect(try installation.curl(service, "--cacert", trust).status == "000")
    }

    @Test("SIGHUP puts another certificate in use, and one that clients would refuse leaves the old")
    func reload() throws {
        let service = try start()
        try installation.makeAuthority("next")
        try installation.makeCertificate("server", by: "next")
        try service.reload()
        let next = installation.directory.path("next.pem")
        #expect(try installation.curl(service, "--cacert", next) == ("200", 0))
        #expect(try installation.curl(service, "--cacert", installation.directory.path("authority.pem")).exit == 60)
        let right = try ["server.pem", "server.key"].map { name in
            (name, try String(contentsOf: installation.directory.url.appending(path: name), encoding: .utf8))
        }
        let worse: [(says: String, make: () throws -> Void)] = [
            ("holds no certificate", { try installation.directory.write("server.pem", "nonsense") }),
            ("expired at", { try installation.makeCertificate("server", by: "next", days: -1) }),
            ("is not valid before", { try installation.makeCertificate("server", by: "next", startingIn: 2) }),
            (
                "is not the key of the certificate",
                {
                    try installation.makeCertificate("other", by: "next")
                    try FileManager.default.removeItem(atPath: installation.directory.path("server.key"))
                    try FileManager.default.moveItem(
                        atPath: installation.directory.path("other.key"),
                        toPath: installation.directory.path("server.key")
                    )
                }
            ),
        ]
        for (index, (says, make)) in worse.enumerated() {
            try make()
            let reloads = try service.reload()["reloads"] as? [String: Any]
            #expect(reloads?["refused"] as? Int == index + 1, "\(says)")
            #expect("\(reloads ?? [:])".contains(says), "\(reloads ?? [:])")
            #expect(try service.metrics()["offer_signer_reloads_total{outcome=\"refused\"}"] == Double(index + 1))
            #expect(try installation.curl(service, "--cacert", next) == ("200", 0), "\(says)")
            for (name, text) in right { try installation.directory.write(name, text, mode: 0o600) }
        }
        #expect((try service.reload()["reloads"] as? [String: Any])?["refused"] as? Int == worse.count)
    }

    @Test("A renewed certificate is shown without a reload; one that clients would refuse, or of another key, is not")
    func renewal() throws {
        let service = try start()
        func expect(_ authority: String, sees status: String, within seconds: Int = 30) throws {
            let file = installation.directory.path("\(authority).pem")
            #expect(
                try waitUntil(seconds: seconds) { try installation.curl(service, "--cacert", file).status == status }
            )
        }
        func expectRefusal(_ words: String) { #expect(waitUntil { service.log.contains(words) }, "\(service.log)") }
        try installation.makeAuthority("second")
        try installation.makeCertificate("server", by: "second")
        try expect("second", sees: "200")
        let end = try #require(
            try service.metrics()["offer_signer_tls_certificate_end_timestamp_seconds{listener=\"server\"}"]
        )
        try installation.makeCertificate("server", by: "authority", days: 1, startingIn: -3)
        expectRefusal("expired at")
        try expect("second", sees: "200", within: 0)
        try installation.directory.write("server.key", "no key")
        #expect(chmod(installation.directory.path("server.key"), 0o644) == 0)
        expectRefusal("open to others")
        #expect(chmod(installation.directory.path("server.key"), 0o600) == 0)
        expectRefusal("holds no private key")
        try expect("second", sees: "200", within: 0)
        #expect(try service.metrics()["offer_signer_tls_certificate_end_timestamp_seconds{listener=\"server\"}"] == end)
        try installation.makeCertificate("server", by: "authority", days: 20)
        try expect("authority", sees: "200")
        #expect(try service.metrics()["offer_signer_tls_certificate_end_timestamp_seconds{listener=\"server\"}"] != end)
    }

    @Test("Authorities for clients that are all over do not take the place of others")
    func authoritiesThatAreOver() throws {
        try installation.makeCertificate("client", by: "authority")
        let authority = try String(contentsOfFile: installation.directory.path("authority.pem"), encoding: .utf8)
        try installation.directory.write("authorities.pem", authority)
        let service = try start("--server-tls-client-certificate-authority-file", "authorities.pem")
        func ask() throws -> (status: String, exit: Int32) {
            let (certificate, key) = (
                installation.directory.path("client.pem"), installation.directory.path("client.key")
            )
            let trust = installation.directory.path("authority.pem")
            return try installation.curl(service, "--cacert", trust, "--cert", certificate, "--key", key)
        }
        #expect(try ask() == ("200", 0))
        try installation.makeCertificate("authorities", by: "authority", days: -1)
        let reloads = try service.reload()["reloads"] as? [String: Any]
        #expect("\(reloads ?? [:])".contains("has no certificate that is valid now"), "\(reloads ?? [:])")
        #expect(try ask() == ("200", 0))
    }

    @Test("A certificate that clients refuse, or will soon, is a warning and a metric, and keeps no reload back")
    func expiry() throws {
        func expect(_ service: RunningService, days: Int, _ words: String?) throws {
            let warnings = try service.reload()["warnings"].map { "\($0)" } ?? ""
            #expect(warnings.contains("server.tls.certificateFile: \(words ?? "")") == (words != nil), "\(warnings)")
            let metrics = try service.metrics()
            #expect(metrics["offer_signer_warnings{kind=\"certificate\"}"] == (words == nil ? 0 : 1))
            #expect(metrics["offer_signer_reloads_total{outcome=\"refused\"}"] == 0)
            let end = metrics["offer_signer_tls_certificate_end_timestamp_seconds{listener=\"server\"}"]
            #expect(end.map { (($0 - Date().timeIntervalSince1970) / 86_400).rounded() } == Double(days))
            let checked = try installation.check(Self.files[0], Self.files[1], Self.files[2], Self.files[3])
            #expect(checked.status == 0)
            let warning = "warning: server.tls.certificateFile: \(words ?? "")"
            #expect(checked.errors.contains(warning) == (words != nil), "\(checked.errors)")
        }
        let service = try start()
        try expect(service, days: 30, nil)
        try installation.makeCertificate("server", by: "authority", days: 2)
        try expect(service, days: 2, "a certificate expires at")
        try installation.makeCertificate("server", by: "authority", days: -1)
        try expect(try start(), days: -1, "a certificate expired at")
        try installation.makeCertificate("server", by: "authority")
        try expect(service, days: 30, nil)
    }
}
