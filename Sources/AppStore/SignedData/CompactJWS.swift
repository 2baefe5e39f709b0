/// The three parts of a compact JWS (RFC 7515 §3.1), decoded, none of it believed.
struct CompactJWS {
    /// How many bytes a JWS may have, as many as a notification: Apple's transactions have some 6000, a notification has
    /// two in it, in Base64 once more, and what an app adds by Advanced Commerce makes all of them longer.
    static let maximumBytes = 131_072

    /// All of it.
    let bytes: [UInt8]
    /// The first part as it was sent.
    let headerText: Substring
    /// What the signature covers: the first two parts and the dot between them.
    let signedBytes: ArraySlice<UInt8>
    /// The payload.
    let payload: [UInt8]
    /// The signature: for ES256, r and s of 32 bytes each (RFC 7518 §3.4).
    let signature: [UInt8]

    /// Takes a JWS apart.
    ///
    /// By its bytes: to tell where characters begin takes longer than to verify the signature.
    ///
    /// - Parameter text: The text.
    /// - Throws: ``SignedDataFault`` when it is no compact JWS.
    init(_ text: String) throws(SignedDataFault) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw SignedDataFault(.malformed, "The JWS has more than \(Self.maximumBytes) bytes.")
        }
        let bytes = Array(text.utf8)
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot), let second = bytes[(first + 1)...].firstIndex(of: dot),
            !bytes[(second + 1)...].contains(dot)
        else {
            throw SignedDataFault(.malformed, "A compact JWS has three parts with dots between them.")
        }
        guard let payload = Base64URL.decode(bytes[(first + 1)..<second]),
            let signature = Base64URL.decode(bytes[(second + 1)...])
        else {
            throw SignedDataFault(.malformed, "The parts of a JWS are in base64url without padding.")
        }
        self.bytes = bytes
        self.headerText = text[..<text.utf8.index(text.startIndex, offsetBy: first)]
        self.signedBytes = bytes[..<second]
        self.payload = payload
        self.signature = signature
    }
}
