/// A signer that can prove itself again while it is in use.
public protocol SelfTestingSigner: ES256Signer {
    /// Signs random bytes, and verifies the signature with the public key.
    ///
    /// - Throws: ``SigningFailure`` when either fails: the key must not be used any more.
    func selfTest() throws(SigningFailure)
}
