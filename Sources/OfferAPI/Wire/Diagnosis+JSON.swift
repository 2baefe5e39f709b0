public import Offers
import StrictJSON

extension Diagnosis {
    /// The diagnosis as `POST /v1/diagnoses` gives it.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { answer in
            answer.member("valid")
            answer.bool(isValid)
            answer.member("causes")
            answer.array { list in
                for cause in causes {
                    list.object { member in
                        member.member("code", cause.code.rawValue)
                        member.member("detail", cause.detail)
                        member.member("fix", cause.fix)
                    }
                }
            }
        }
        return writer.bytes
    }
}
