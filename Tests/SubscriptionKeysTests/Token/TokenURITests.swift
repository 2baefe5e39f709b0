import SubscriptionKeys
import Testing

@Suite("A PKCS#11 URI (RFC 7512) names one key of one token, or says what is wrong and repeats no PIN")
struct TokenURITests {
    @Test("Attributes, with percent-encoding, a path and a query")
    func parts() throws {
        let uri = try TokenURI(
            "pkcs11:token=My%20offers;serial=1a;manufacturer=SoftHSM%20project;model=SoftHSM%20v2;slot-id=17;"
                + "object=EXAMPLE123;id=%01%fF;type=private?module-path=/usr/lib/m.so&pin-source=file:offers.pin"
        )
        #expect(
            uri.texts == [
                "token": "My offers", "serial": "1a", "manufacturer": "SoftHSM project", "model": "SoftHSM v2",
                "object": "EXAMPLE123",
            ]
        )
        #expect(uri.id == [0x01, 0xFF] && uri.slotId == 17)
        #expect(uri.modulePath == "/usr/lib/m.so" && uri.pinSource == "offers.pin")
    }

    @Test("What opencryptoki and p11-kit print: an empty serial, the module's and the slot's names")
    func printed() throws {
        let uri = try TokenURI(
            "pkcs11:library-description=Soft;library-manufacturer=IBM;library-version=3;slot-description=a%20b;"
                + "slot-manufacturer=;slot-id=1;token=offers;serial=;object=A"
        )
        #expect(
            uri.texts == [
                "library-description": "Soft", "library-manufacturer": "IBM", "library-version": "3.0",
                "slot-description": "a b", "slot-manufacturer": "", "token": "offers", "serial": "", "object": "A",
            ]
        )
    }

    @Test("A token's text reaches a terminal without what a terminal obeys")
    func shown() {
        #expect("off\u{1B}[31mers\u{7}\u{9B}\u{202E}\n\u{E9}".shown == #"off\u{1b}[31mers\u{7}\u{9b}\u{202e}\u{a}é"#)
    }

    @Test(
        "Ways to write the file of the PIN",
        arguments: [
            ("pin-source=offers.pin", "offers.pin"), ("pin-source=file:/etc/pin", "/etc/pin"),
            ("pin-source=file:///etc/pin", "/etc/pin"), ("pin-source=credential:pin", "credential:pin"),
        ]
    )
    func pinSource(query: String, path: String) throws {
        #expect(try TokenURI("pkcs11:object=A?" + query).pinSource == path)
    }

    @Test(
        "Faults",
        arguments: [
            ("file:offers", "does not begin with pkcs11:"), ("pkcs11:", "names no key"),
            ("pkcs11:token=offers", "names no key"), ("pkcs11:object", "not name=value"),
            ("pkcs11:object=", "empty or unreadable object"), ("pkcs11:id=", "empty id"),
            ("pkcs11:object=a;object=b", "an attribute twice"), ("pkcs11:object=%zz", "% and two hexadecimal digits"),
            ("pkcs11:object=%+1", "% and two hexadecimal digits"), ("pkcs11:object=%4", "% and two hexadecimal digits"),
            ("pkcs11:object=a b", "% and two hexadecimal digits"), ("pkcs11:object=%ff", "unreadable object"),
            ("pkcs11:object=a;type=cert", "another type than private"),
            ("pkcs11:object=a;slot-id=x", "no decimal number"), ("pkcs11:object=a;x-vendor=b", "not known here"),
            ("pkcs11:object=a;pin-source=b", "before the question mark"),
            ("pkcs11:object=a?pin-value=47114711", "the PIN itself"),
            ("pkcs11:object=a?pin-source=|47114711", "a command as pin-source"),
            ("pkcs11:object=a?pin-source=file:", "empty pin-source"),
            ("pkcs11:object=a?module-name=p11", "has module-name"), ("pkcs11:object=a?token=b", "not known here"),
        ]
    )
    func fault(text: String, says: String) throws {
        let fault = try #require(throws: KeyError.self) { try TokenURI(text) }
        #expect(fault.description.contains(says), "\(fault)")
        #expect(!fault.description.contains("47114711"))
    }
}
