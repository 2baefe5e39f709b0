import COpenSSL
import Glibc

/// Makes a new P-256 key and writes it to a P8 file: the reverse of loading one, within the same bounds.
///
/// The private bytes are drawn, put into DER and Base64 and written from the secure heap, and are nowhere else. The key
/// is the ledger's checkpoint key; keys that sign offers come from App Store Connect.
package enum NewKeyFile {
    /// Writes a new key, for its owner alone (mode 0600), and waits until its bytes are on the disk.
    ///
    /// Call ``SecureHeap/initialize(size:allowUnlocked:secret:)`` before. The file must not be there: a key is never
    /// overwritten. After an error no file is left.
    package static func write(to path: String) throws(KeyError) {
        defer { copenssl_cleanse_stack() }
        do throws(KeyError) {
            let text = try pem(of: der())
            try write(text, to: path)
        } catch {
            throw error.at(path, access: .ownerOnly)
        }
    }

    /// What stands before the number: PKCS#8 (RFC 5958) of an EC key on P-256, with an `ECPrivateKey` (RFC 5915).
    private static let beforeScalar: [UInt8] =
        [0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        + [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01]
        + [0x04, 0x20]
    /// What stands between the number and the public point.
    private static let beforePoint: [UInt8] = [0xA1, 0x44, 0x03, 0x42, 0x00]

    /// Draws a key, as DER.
    private static func der() throws(KeyError) -> SecureBuffer {
        let start = beforeScalar.count
        var der = try SecureBuffer(count: start + P256.scalarLength + beforePoint.count + P256.pointLength)
        let point = try drawScalar(into: &der, at: start)
        der.withMutableBytes { bytes in
            for (index, byte) in beforeScalar.enumerated() { bytes[index] = byte }
            for (index, byte) in (beforePoint + point).enumerated() { bytes[start + P256.scalarLength + index] = byte }
        }
        return der
    }

    /// Draws a number below the order of the curve, and computes its public point.
    ///
    /// Of 2^32 draws, one has to be repeated.
    private static func drawScalar(into der: inout SecureBuffer, at start: Int) throws(KeyError) -> [UInt8] {
        while true {
            KeyError.clearOpenSSLQueue()
            let isDrawn = der.withMutableBytes { bytes in
                unsafe bytes.withUnsafeMutableBytes { memory in
                    let place = unsafe memory.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self)
                    return unsafe RAND_priv_bytes(place, Int32(P256.scalarLength)) == 1
                }
            }
            guard isDrawn else { throw KeyError(openSSL: "RAND_priv_bytes") }
            do throws(KeyError) {
                return try der.withBytes { (bytes) throws(KeyError) in
                    let scalar = try PrivateScalar(bigEndian: bytes.extracting(start..<start + P256.scalarLength))
                    return try scalar.publicPoint()
                }
            } catch {
                guard error.code == .scalarOutOfRange else { throw error }
            }
        }
    }

    /// The PEM text (RFC 7468): lines of 64 characters, which are 48 bytes.
    private static func pem(of der: borrowing SecureBuffer) throws(KeyError) -> SecureBuffer {
        let (begin, end) = ("-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n")
        let lines = (der.count + 47) / 48
        // EVP_EncodeBlock ends each line with a NUL, where the line feed goes.
        var text = try SecureBuffer(count: begin.utf8.count + lines * 65 + end.utf8.count)
        var length = 0
        text.withMutableBytes { bytes in
            for byte in begin.utf8 {
                bytes[length] = byte
                length += 1
            }
            der.withBytes { der in
                for line in 0..<lines {
                    let chunk = der.extracting(line * 48..<min(der.count, line * 48 + 48))
                    length += unsafe encode(chunk, into: &bytes, at: length)
                    bytes[length] = UInt8(ascii: "\n")
                    length += 1
                }
            }
            for byte in end.utf8 {
                bytes[length] = byte
                length += 1
            }
        }
        text.truncate(to: length)
        return text
    }

    @unsafe private static func encode(_ chunk: Span<UInt8>, into bytes: inout MutableSpan<UInt8>, at start: Int) -> Int
    {
        unsafe bytes.withUnsafeMutableBytes { memory in
            let place = unsafe memory.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self)
            return unsafe chunk.withUnsafeBufferPointer { chunk in
                unsafe Int(EVP_EncodeBlock(place, chunk.baseAddress, Int32(chunk.count)))
            }
        }
    }

    private static func write(_ text: borrowing SecureBuffer, to path: String) throws(KeyError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw fault(errno) }
        let isWritten = text.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count && fsync(descriptor) == 0
            }
        }
        let number = errno
        close(descriptor)
        guard isWritten else {
            unsafe unlink(path)
            throw fault(number)
        }
    }

    private static func fault(_ number: Int32) -> KeyError {
        unsafe KeyError(.unwritable, "cannot be written (\(String(cString: strerror(number))))")
    }
}
