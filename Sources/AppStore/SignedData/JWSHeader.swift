import StrictJSON

/// The header of a JWS that carries its certificates (RFC 7515 §4.1).
struct JWSHeader {
    /// The certificates in DER, the signer's first (`x5c`).
    let certificates: [[UInt8]]

    /// Reads a header.
    ///
    /// - Parameter text: The first part of the JWS.
    /// - Throws: ``SignedDataFault`` when it is no header, or `alg` is not ES256.
    init(_ text: Substring) throws(SignedDataFault) {
        guard let json = Base64URL.decode(text.utf8) else {
            throw SignedDataFault(.malformed, "The parts of a JWS are in base64url without padding.")
        }
        var algorithm: String?
        var certificates: [[UInt8]] = []
        var isCritical = false
        do throws(JSONFault) {
            var reader = JSONReader(json)
            try reader.readObject { (name, reader) throws(JSONFault) in
                switch name {
                case "alg": algorithm = try reader.readString()
                case "x5c":
                    try reader.readArray { (_, reader) throws(JSONFault) in
                        guard let der = Base64.decode(try reader.readString()) else {
                            throw JSONFault(.invalidValue, "A certificate is Base64.")
                        }
                        certificates.append(der)
                    }
                case "crit":
                    isCritical = true
                    try reader.skipValue()
                default: try reader.skipValue()
                }
            }
            try reader.readEnd()
        } catch {
            throw SignedDataFault(.malformed, "The header of the JWS cannot be read: \(error.detail)")
        }
        guard algorithm == "ES256" else {
            throw SignedDataFault(.algorithm, "The App Store signs with ES256; this header names another algorithm.")
        }
        guard !isCritical else {
            throw SignedDataFault(.malformed, "The header asks for extensions (crit) that Apple does not use.")
        }
        self.certificates = certificates
    }
}
