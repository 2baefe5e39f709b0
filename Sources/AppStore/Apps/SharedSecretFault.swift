/// A file holds no shared secret: it should be one line of visible characters.
public struct SharedSecretFault: Error, Equatable {}
