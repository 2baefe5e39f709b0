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

    private func code(_ bytes: [UInt8]) -> String {
        do throws(EvidenceFault) {
            return try ReceiptTransaction.identifier(in: Data(bytes).base64EncodedString())
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
        #expect(try ReceiptTransaction.identifier(in: Self.definite) == "2000000000000001")
        #expect(try ReceiptTransaction.identifier(in: Self.indefinite) == "2000000000000001")
    }

    @Test("An iOS 6 style receipt names its transaction")
    func transactionReceipt() {
        #expect(code(old("{\n\t\"original-transaction-id\" = \"1\";\n\t\"transaction-id\" = \"23\";\n}")) == "23")
        #expect(code(old("{ \"bid\" = \"transaction-id\"; \"transaction-id\"  =  \"24\"; }")) == "24")
    }

    @Test("A receipt without a transaction is no evidence, and what becomes a path has nothing but digits")
    func without() {
        #expect(code(old("{ \"bid\" = \"b\"; }")) == "receipt_without_transaction")
        #expect(code(old("{ \"transaction-id\" = \"../1\"; }")) == "receipt_without_transaction")
        #expect(code(old("{ \"transaction-id\" = \"\"; }")) == "receipt_without_transaction")
        #expect(code(old("{ \"transaction-id\" = \"123456789012345678901\"; }")) == "receipt_without_transaction")
    }

    @Test("What is no receipt is refused")
    func malformed() throws {
        let receipt = try #require(Base64.decode(Self.indefinite))
        for count in 0..<receipt.count { #expect(code(Array(receipt[..<count])) == "receipt_malformed") }
        for text in ["", "{}", "\"purchase-info\"", "\"purchase-info\" = \"", "\"purchase-info\" = \"!\""] {
            #expect(code(Array(text.utf8)) == "receipt_malformed")
        }
        #expect(code([UInt8](repeating: 0x30, count: 10_000)) == "receipt_malformed")
        #expect(code([UInt8](repeating: 0x30, count: ReceiptTransaction.maximumBytes + 1)) == "receipt_malformed")
        let fitting = old("{ \"transaction-id\" = \"1\"; }")
        let padding = ReceiptTransaction.maximumBytes - fitting.count
        #expect(code(fitting + [UInt8](repeating: 0x20, count: padding)) == "1")
        #expect(code(fitting + [UInt8](repeating: 0x20, count: padding + 1)) == "receipt_malformed")
        // Nested as deep as it goes: 0x30 0x80 opens a SEQUENCE of indefinite length.
        let nested = (0..<10_000).flatMap { _ in [0x30, 0x80] as [UInt8] }
        #expect(code(nested) == "receipt_malformed")
    }
}
