/// A file is no X.509 certificate, neither in DER nor in PEM.
public struct TrustedRootFault: Error, Equatable {}
