internal import Crypto
internal import FoundationEssentials
import StrictJSON

enum RequestBody {
    /// `nil` leaves a member out; `evidence` is JSON.
    static func make(
        bundleId: String?,
        account: String,
        evidence: [UInt8]?,
        offers: [ExpectedAnswer.Offer]?
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + (evidence?.count ?? 0))
        writer.object { body in
            if let bundleId { body.member("bundleId", bundleId) }
            body.member("appAccountToken", account)
            guard let offers else { return }
            body.objects("offers", offers) { offer, member in
                member.member("productId", offer.productId)
                member.member("offerId", offer.offerId)
            }
        }
        guard let evidence else { return writer.bytes }
        // The writer takes no JSON as it is: the evidence becomes the last member.
        return writer.bytes.dropLast() + Array(",\"evidence\":".utf8) + evidence + Array("}".utf8)
    }

    /// An evidence object with one member whose value is JSON already.
    static func evidence(_ name: String, json: [UInt8]) -> [UInt8] {
        Array("{\"\(name)\":".utf8) + json + Array("}".utf8)
    }

    static func evidence(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: 8192)
        writer.object(members)
        return writer.bytes
    }

    /// The account of a customer, always the same for the same transaction, as limits on shared evidence want it: a
    /// UUID in lowercase (RFC 9562 version 8: from a hash).
    static func account(of originalTransactionId: String) -> String {
        var bytes = Array(SHA256.hash(data: Data("offer-signer load \(originalTransactionId)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            for (index, byte) in bytes.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                text[place] = digits[Int(byte >> 4)]
                text[place + 1] = digits[Int(byte & 15)]
                place += 2
            }
            return place
        }
    }
}
