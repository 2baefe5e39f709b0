import Foundation
import PostgreSQLServer

extension Installation {
    /// Keeps the ledger in PostgreSQL, with keys of its own.
    ///
    /// - Parameter url: The database.
    /// - Throws: The error of writing a file.
    func keepLedger(in url: String) throws {
        try directory.write("digest.key", UUID().uuidString, mode: 0o600)
        let checkpointKey = directory.path("checkpoint.p8")
        try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", checkpointKey)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: checkpointKey)
        let settings = try String(contentsOf: directory.url.appending(path: "offer-signer.yaml"), encoding: .utf8)
        try directory.write(
            "offer-signer.yaml",
            settings + "\nledger: { url: \"\(url)\", digestKeyFile: digest.key, checkpointKeyFile: checkpoint.p8 }\n"
        )
    }
}
