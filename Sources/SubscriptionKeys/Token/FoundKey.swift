import CPKCS11

/// A key that was found in a token, with the public key that verifies what it signs.
struct FoundKey {
    let description: TokenKey.Description
    /// 65 bytes, `04 x y`.
    let point: [UInt8]
    let publicKey: P256Key
}

extension TokenObject {
    /// Opens a session, and finds the public key by a signature: that of a file, where there is one, or the token's object of
    /// the key's id or label.
    func find(publicPoint: [UInt8]?, within limit: Duration) throws(TokenFault) -> FoundKey {
        guard module.threads.replaceHung(0) else { throw module.threads.lateness }
        return try module.wait(on: { $0 == 0 }) { [self] (lane) throws(TokenFault) in
            let session = try lane.session(of: self, within: limit)
            let label = session.label(of: session.key)
            if let curve = session.attribute(CKA_EC_PARAMS, of: session.key), !curve.isEmpty, curve != Self.p256 {
                throw TokenFault("other_curve", "the key \"\(label.shown)\" is no EC key on P-256")
            }
            let points = if let publicPoint { [publicPoint] } else { try publicPoints(in: session, label) }
            guard !points.isEmpty else {
                throw TokenFault(
                    "no_public_key",
                    "the token \(session.token.name) has no public object of the key \"\(label.shown)\": name a file with its "
                        + "public key, publicKeyFile, or for keys inspect --public-key-file"
                )
            }
            let message = try TokenSession.randomBytes()
            let signature = try session.signature(over: message)
            for point in points {
                guard let publicKey = try? P256Key(publicPoint: point), publicKey.verifies(signature, over: message)
                else { continue }
                return FoundKey(description: description(in: session), point: point, publicKey: publicKey)
            }
            throw TokenFault(
                TokenFault.wrongSignature,
                "the key fails its test: what it signs, "
                    + (publicPoint == nil
                        ? "no public object of its id or label verifies" : "publicKeyFile does not verify")
            )
        }
    }

    private func description(in session: TokenSession) -> TokenKey.Description {
        TokenKey.Description(
            token: session.token.label,
            label: session.label(of: session.key),
            isSensitive: session.attribute(CKA_SENSITIVE, of: session.key)?.first.map { $0 != 0 },
            isExtractable: session.attribute(CKA_EXTRACTABLE, of: session.key)?.first.map { $0 != 0 }
        )
    }

    /// The points of the public objects that may be the key's; a token may have several of one label, or another id.
    private func publicPoints(in session: TokenSession, _ label: String) throws(TokenFault) -> [[UInt8]] {
        var objects: [CK_OBJECT_HANDLE] = []
        if let id = session.attribute(CKA_ID, of: session.key), !id.isEmpty {
            objects += try session.objects(CKO_PUBLIC_KEY, label: nil, id: id)
        }
        if !label.isEmpty { objects += try session.objects(CKO_PUBLIC_KEY, label: label, id: nil) }
        return (objects + [session.key]).compactMap { session.attribute(CKA_EC_POINT, of: $0).flatMap(Self.point) }
    }

    /// The OBJECT IDENTIFIER of P-256, in DER, which `CKA_EC_PARAMS` holds.
    private static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// The point `04 x y` of a `CKA_EC_POINT`, which is in an OCTET STRING by the standard, and by some modules is not.
    private static func point(_ value: [UInt8]) -> [UInt8]? {
        let point = value.starts(with: [0x04, 0x41]) && value.count == 67 ? Array(value.dropFirst(2)) : value
        return point.count == P256.pointLength && point.first == 0x04 ? point : nil
    }
}
