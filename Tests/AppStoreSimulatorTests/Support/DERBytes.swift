import SwiftASN1
import X509

/// A certificate's bytes.
enum DERBytes {
    static func of(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
