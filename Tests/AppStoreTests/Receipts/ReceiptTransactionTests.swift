import Foundation
import Offers
import Testing

@testable import AppStore

@Suite("Finding a transaction in a receipt")
struct ReceiptTransactionTests {
    /// Two purchases, 2000000000000001 with an expiry and ...2 without, signed with `openssl cms -sign -nodetach`.
    static let definite = """
        MIICWwYJKoZIhvcNAQcCoIICTDCCAkgCAQExDTALBglghkgBZQMEAgEwggGiBgkqhkiG9w0BBwGgggGTBIIBjzGCAYswFAIBAAIB\
        AQQMDApQcm9kdWN0aW9uMBwCAQICAQEEFAwSY29tLmV4YW1wbGUucmVhZGVyMAsCAQMCAQEEAwwBMTAKAgEEAgEBBAIBAjAcAgEF\
        AgEBBBQAAAAAAAAAAAAAAAAAAAAAAAAAADCBmAIBEQIBAQSBjzGBjDAMAgIGpQIBAQQDAgEBMAwCAgamAgEBBAMMAXAwGwICBqcC\
        AQEEEgwQMjAwMDAwMDAwMDAwMDAwMTAfAgIGqAIBAQQWFhQyMDI2LTAxLTAxVDAwOjAwOjAwWjAPAgIGqQIBAQQGDAQxMDAwMB8C\
        AgasAgEBBBYWFDIwMjYtMDItMDFUMDA6MDA6MDBaMIGCAgERAgEBBHoxeDAMAgIGpQIBAQQDAgEBMAwCAgamAgEBBAMMAXAwGwIC\
        BqcCAQEEEgwQMjAwMDAwMDAwMDAwMDAwMjAfAgIGqAIBAQQWFhQyMDI2LTAxLTAxVDAwOjAwOjAwWjAPAgIGqQIBAQQGDAQxMDAw\
        MAsCAgasAgEBBAIWADGBjTCBigIBATAkMAwxCjAIBgNVBAMMAVQCFERezc9BWG/67rxbWp6+M1eienTMMAsGCWCGSAFlAwQCATAK\
        BggqhkjOPQQDAgRGMEQCIBau5WKl/EwCPj6IzCphBJBEo/bTBdTT7HxD00AgzEgGAiBn9pFMrMvm2kK/tIqKdaBFptJdZczU700p\
        coxRikJEAQ==
        """

    /// The same attributes from `openssl cms -sign -stream -indef`: indefinite lengths, a constructed OCTET STRING.
    static let indefinite = """
        MIAGCSqGSIb3DQEHAqCAMIACAQExDTALBglghkgBZQMEAgEwgAYJKoZIhvcNAQcBoIAkgASCAY8xggGLMBQCAQACAQEEDAwKUHJv\
        ZHVjdGlvbjAcAgECAgEBBBQMEmNvbS5leGFtcGxlLnJlYWRlcjALAgEDAgEBBAMMATEwCgIBBAIBAQQCAQIwHAIBBQIBAQQUAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAwgZgCARECAQEEgY8xgYwwDAICBqUCAQEEAwIBATAMAgIGpgIBAQQDDAFwMBsCAganAgEBBBIMEDIw\
        MDAwMDAwMDAwMDAwMDEwHwICBqgCAQEEFhYUMjAyNi0wMS0wMVQwMDowMDowMFowDwICBqkCAQEEBgwEMTAwMDAfAgIGrAIBAQQW\
        FhQyMDI2LTAyLTAxVDAwOjAwOjAwWjCBggIBEQIBAQR6MXgwDAICBqUCAQEEAwIBATAMAgIGpgIBAQQDDAFwMBsCAganAgEBBBIM\
        EDIwMDAwMDAwMDAwMDAwMDIwHwICBqgCAQEEFhYUMjAyNi0wMS0wMVQwMDowMDowMFowDwICBqkCAQEEBgwEMTAwMDALAgIGrAIB\
        AQQCFgAAAAAAAAAxgY8wgYwCAQEwJDAMMQowCAYDVQQDDAFUAhREXs3PQVhv+u68W1qevjNXonp0zDALBglghkgBZQMEAgEwCgYI\
        KoZIzj0EAwIESDBGAiEAwsll+Kg0NYU+kzy6Y4kq0Ouc6SanQkZbr64QVkIRr5ECIQCAh0H6fQASsdzpZNESJ3Xbwd2K5+vK4fRz\
        hur25Izt/gAAAAAAAA==
        """

    /// A receipt of com.example.reader whose type is Xcode.
    private static let ofTypeXcode = """
        MIIBAwYJKoZIhvcNAQcCoIH1MIHyAgEBMQ0wCwYJYIZIAWUDBAIBME0GCSqGSIb3DQEHAaBABD4xPDAPAgEAAgEBBAcMBVhjb2RlMBw\
        CAQICAQEEFAwSY29tLmV4YW1wbGUucmVhZGVyMAsCAQMCAQEEAwwBMTGBjjCBiwIBATAkMAwxCjAIBgNVBAMMAVQCFGt0KUSXaGikqT\
        XpO2EKAWQ1eMI7MAsGCWCGSAFlAwQCATAKBggqhkjOPQQDAgRHMEUCICrl+oNTWa0Tg23STppJareJzMTUoGExvHEn34gYrIeSAiEAm\
        HOJhb+obzO8DskkyrLWgKeemTIy2lkfkxJh2FVFAsw=
        """

    /// A receipt of com.example.reader that `CN=StoreKit Testing in Xcode` signed.
    private static let signedByXcode = """
        MIICxgYJKoZIhvcNAQcCoIICtzCCArMCAQExDTALBglghkgBZQMEAgEwUgYJKoZIhvcNAQcBoEUEQzFBMBQCAQACAQEEDAwKUHJvZHV\
        jdGlvbjAcAgECAgEBBBQMEmNvbS5leGFtcGxlLnJlYWRlcjALAgEDAgEBBAMMATGgggGhMIIBnTCCAUOgAwIBAgIUWkKLAUjJQ9qmt9\
        t+rx4qMHqi/zswCgYIKoZIzj0EAwIwJDEiMCAGA1UEAwwZU3RvcmVLaXQgVGVzdGluZyBpbiBYY29kZTAeFw0yNjExMjUxNDE1MTNaF\
        w0zNjExMjIxNDE1MTNaMCQxIjAgBgNVBAMMGVN0b3JlS2l0IFRlc3RpbmcgaW4gWGNvZGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC\
        AARIqIfeXxmVp0+Gr2Mk1GWkzyvM/PHEJOLuxkRFoFrzrUOp0ZYxrU9j6hQ3pcpLa8EeH+auGB7Zj5O9z88sU+Eno1MwUTAdBgNVHQ4\
        EFgQUgWRqK72VExFzfIQhWmy2hxDpgOQwHwYDVR0jBBgwFoAUgWRqK72VExFzfIQhWmy2hxDpgOQwDwYDVR0TAQH/BAUwAwEB/zAKBg\
        gqhkjOPQQDAgNIADBFAiEAw/hi5sD7ucydptcGSpuiw4dpQXaX9kAzenosfjXgORMCIF4QhNiMXCncxoJx/n6Ty60rhwtgJYSKN+ysW\
        alHH0JbMYGlMIGiAgEBMDwwJDEiMCAGA1UEAwwZU3RvcmVLaXQgVGVzdGluZyBpbiBYY29kZQIUWkKLAUjJQ9qmt9t+rx4qMHqi/zsw\
        CwYJYIZIAWUDBAIBMAoGCCqGSM49BAMCBEYwRAIgRUybNA3y91653tFjcGZz4UYKm8jmMjIuneiXSguP0VACIGCz0zZ55ZzyDCeIkk8\
        GsE5ixhbjOOqkdlEM417uWkSb
        """

    private func code(_ bytes: [UInt8]) -> String {
        do throws(EvidenceFault) {
            return try SentReceipt(Data(bytes).base64EncodedString()).transactionToAskAbout()
        } catch {
            return error.code
        }
    }

    private func old(_ purchase: String) -> [UInt8] {
        let info = Data(purchase.utf8).base64EncodedString()
        return Array("{\n\t\"signature\" = \"AAAA\";\n\t\"purchase-info\" = \"\(info)\";\n\t\"pod\" = \"5\";\n}".utf8)
    }

    @Test("An app receipt names a subscription's transaction, whichever way its lengths are written")
    func appReceipt() throws {
        #expect(try SentReceipt(Self.definite).transactionToAskAbout() == "2000000000000001")
        #expect(try SentReceipt(Self.indefinite).transactionToAskAbout() == "2000000000000001")
    }

    @Test("An iOS 6 style receipt names its transaction")
    func transactionReceipt() {
        #expect(code(old("{\n\t\"original-transaction-id\" = \"1\";\n\t\"transaction-id\" = \"23\";\n}")) == "23")
        #expect(code(old("{ \"bid\" = \"transaction-id\"; \"transaction-id\"  =  \"24\"; }")) == "24")
    }

    /// What is said of a receipt before Apple is asked about it.
    private func refusal(of receipt: String, for app: String) -> EvidenceFault? {
        do throws(EvidenceFault) {
            try SentReceipt.check(receipt, for: app)
            return nil
        } catch {
            return error
        }
    }

    @Test("A receipt of another app is refused by that app's name, whichever form the receipt has")
    func otherApp() {
        let oldOne = Data(old("{ \"bid\" = \"com.example.reader\"; }")).base64EncodedString()
        for receipt in [Self.definite, Self.indefinite, oldOne] {
            let fault = refusal(of: receipt, for: "com.example.other")
            #expect(fault?.kind == .rejected)
            #expect(fault?.code == "receipt_of_other_app")
            #expect(
                fault?.detail.hasPrefix("This is a receipt of com.example.reader, not of com.example.other") == true
            )
            // Apple is to judge of it.
            #expect(refusal(of: receipt, for: "com.example.reader") == nil)
            #expect(refusal(of: receipt, for: "com.example.Reader") == nil)
        }
        let strange = Data(old("{ \"bid\" = \"a\u{202E}b\"; }")).base64EncodedString()
        #expect(refusal(of: strange, for: "b")?.detail.hasPrefix("This is a receipt of another app, not of b") == true)
    }

    @Test("A receipt that Xcode made is called that, by its type or by its signer")
    func fromXcode() {
        for receipt in [Self.ofTypeXcode, Self.signedByXcode] {
            let fault = refusal(of: receipt, for: "com.example.reader")
            #expect(fault?.code == "receipt_of_xcode")
            #expect(fault?.detail.contains("StoreKit Testing in Xcode") == true)
            #expect(fault?.detail.contains("appStore.additionalRoots") == true)
        }
    }

    @Test("A receipt that cannot be parsed, or names no app, is left to Apple")
    func leftToApple() {
        for receipt in ["", "MIIB", "AAAA", String(Self.definite.dropLast(8)), "!"] {
            #expect(refusal(of: receipt, for: "b") == nil)
        }
        #expect(refusal(of: Data(old("{ \"transaction-id\" = \"1\"; }")).base64EncodedString(), for: "b") == nil)
    }

    @Test("A receipt without a transaction is no evidence, and an identifier in a path has digits alone")
    func without() {
        #expect(code(old("{ \"bid\" = \"b\"; }")) == "receipt_without_transaction")
        #expect(code(old("{ \"transaction-id\" = \"../1\"; }")) == "receipt_without_transaction")
        #expect(code(old("{ \"transaction-id\" = \"\"; }")) == "receipt_without_transaction")
        #expect(code(old("{ \"transaction-id\" = \"123456789012345678901\"; }")) == "receipt_without_transaction")
    }

    @Test("A text that is no receipt is refused")
    func malformed() throws {
        let receipt = try #require(Base64.decode(Self.indefinite))
        for count in 0..<receipt.count { #expect(code(Array(receipt[..<count])) == "receipt_malformed") }
        for text in ["", "{}", "\"purchase-info\"", "\"purchase-info\" = \"", "\"purchase-info\" = \"!\""] {
            #expect(code(Array(text.utf8)) == "receipt_malformed")
        }
        #expect(code([UInt8](repeating: 0x30, count: 10_000)) == "receipt_malformed")
        #expect(code([UInt8](repeating: 0x30, count: SentReceipt.maximumBytes + 1)) == "receipt_malformed")
        let fitting = old("{ \"transaction-id\" = \"1\"; }")
        let padding = SentReceipt.maximumBytes - fitting.count
        #expect(code(fitting + [UInt8](repeating: 0x20, count: padding)) == "1")
        #expect(code(fitting + [UInt8](repeating: 0x20, count: padding + 1)) == "receipt_malformed")
        // Nested as deep as it goes: 0x30 0x80 opens a SEQUENCE of indefinite length.
        let nested = (0..<10_000).flatMap { _ in [0x30, 0x80] as [UInt8] }
        #expect(code(nested) == "receipt_malformed")
    }
}
