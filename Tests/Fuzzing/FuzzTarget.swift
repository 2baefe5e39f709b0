import EvidenceRecognition
import FoundationEssentials
import Glibc
import Offers

@testable import AppStore

/// The readers of what strangers send, each with inputs of its own: `FUZZ_TARGET` names the one to try.
///
/// `deploy/fuzz.sh` builds and runs it. It is no part of the package, as its program has libFuzzer's `main`.
private enum FuzzTarget: String {
    /// Evidence `signedTransactions`: compact JWS with their certificates.
    case jws
    /// What is inside of a JWS whose signature is good.
    case payload
    /// Evidence `receipt`: ASN.1 of an app receipt, or the old text.
    case receipt
    /// Evidence `receiptResponse`: the JSON of verifyReceipt, and that of the Server API.
    case verifyReceipt

    /// The reader to try.
    static let chosen = getenv("FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }

    private static let moment = Timestamp(millisecondsSince1970: 1_795_262_400_000)

    /// Trusts the root that the corpus is signed under, so that the inputs begin behind the trust's door.
    private static let verifier: SignedDataVerifier? = {
        guard let path = getenv("FUZZ_ROOT").map({ String(cString: $0) }),
            let contents = try? Data(contentsOf: URL(filePath: path)),
            let root = try? TrustedRoot(contents: Array(contents))
        else { return nil }
        return SignedDataVerifier(additionalRoots: [root])
    }()

    /// Reads an input: what is refused is fine, as is what is taken.
    ///
    /// - Parameter input: The input.
    func read(_ input: [UInt8]) {
        guard let verifier = Self.verifier else { return Self.fail("FUZZ_ROOT names no root certificate") }
        let reader = AppStoreEvidenceReader(verifier: verifier)
        switch self {
        case .jws:
            let text = String(decoding: input, as: UTF8.self)
            _ = try? reader.book(from: .signedTransactions([text], renewalInfos: [text]))
        case .payload:
            let payload = SignedDataVerifier.Payload(json: input, signedDate: Self.moment, isLocallySigned: false)
            _ = try? SignedTransaction(payload)
            _ = try? SignedRenewalInfo(payload)
        case .receipt:
            try? SentReceipt.check(Data(input).base64EncodedString(), for: "com.example.reader")
            _ = RecognisedContent(String(decoding: input, as: UTF8.self))?.detail(in: .receipt)
            _ = RecognisedContent(Data(input).base64EncodedString())?.detail(in: .receipt)
            let found = try? SentReceipt(Data(input).base64EncodedString()).transactionToAskAbout()
            // Whatever is found becomes a part of a path.
            if let found, !found.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { Self.fail("not digits: \(found)") }
        case .verifyReceipt:
            _ = try? reader.book(from: .receiptResponse(json: input))
            _ = try? HistoryUnderWay(
                StatusResponse(json: input),
                verifiedBy: verifier,
                in: .production,
                asOf: Self.moment
            ).history()
            _ = try? HistoryResponse(json: input)
            _ = ServerAPIError(json: input)?.meaning
        }
    }

    /// Ends the program, so that libFuzzer keeps the input.
    ///
    /// - Parameter reason: What is wrong.
    static func fail(_ reason: String) {
        _ = "\(reason)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
        abort()
    }
}

/// What libFuzzer calls with each input.
///
/// - Parameters:
///   - bytes: The input.
///   - count: How many bytes it has.
/// - Returns: 0, as libFuzzer asks for.
@_cdecl("LLVMFuzzerTestOneInput")
package func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target = FuzzTarget.chosen else {
        FuzzTarget.fail("FUZZ_TARGET is jws, payload, receipt or verifyReceipt")
        return 0
    }
    target.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
