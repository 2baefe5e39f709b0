import Foundation

/// A P-256 key freshly made by `openssl`, with its parts at hand.
struct TestKey {
    /// The file as `openssl genpkey` writes it: PKCS#8 PEM.
    let pem: [UInt8]
    /// The DER within: 138 bytes, without the curve's parameters inside.
    let der: [UInt8]
    var scalar: [UInt8] { Array(der[36..<68]) }
    var point: [UInt8] { Array(der[73..<138]) }

    init() throws {
        pem = try Tool.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-----") }
        guard let der = Data(base64Encoded: lines.joined()), der.count == 138 else {
            throw Tool.Failure(description: "openssl writes another shape of key than expected")
        }
        self.der = [UInt8](der)
    }

    /// Writes the key as `openssl` wrote it.
    func write(on workbench: Workbench) throws -> String { try workbench.write(pem, to: "\(UUID().uuidString).pem") }
}
