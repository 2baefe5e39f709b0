import Crypto

/// The SHA-256 of bytes, in hexadecimal digits.
func sha256(_ bytes: [UInt8]) -> String {
    SHA256.hash(data: bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
