@testable import offer_signer

/// Keys in tokens. No module is loaded by the fixture.
extension ConfigurationChange {
    static let ofTokens: [Self] = [
        key("file: other.p8, pkcs11: \"pkcs11:object=A\"", "stands beside file; keep one of the two"),
        key(
            "pkcs11: \"pkcs11:object=A\"",
            "no module is loaded: name it in offer-signer.yaml, pkcs11: { modules: [FILE] }"
        ),
        key("pkcs11: \"file:a\"", "the PKCS#11 URI does not begin with pkcs11:"),
        key("pkcs11: \"pkcs11:token=offers\"", "names no key: write object= (its label) or id="),
        key("pkcs11: \"pkcs11:object=A?pin-value=hunter2\"", "has the PIN itself, pin-value: write it to a file"),
        key("pkcs11: \"pkcs11:object=A?pin-source=|echo hunter2\"", "% and two hexadecimal digits"),
        key("pkcs11: \"pkcs11:object=A?pin-source=|hunter2\"", "has a command as pin-source, and none is run"),
        key(
            "pkcs11: \"pkcs11:object=A?pin-source=aMIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkw\"",
            "pin-source looks like a private key itself"
        ),
        key("pkcs11: \"pkcs11:object=A?pin-source=file:none.pin\"", "relative to the directory of the catalog"),
        key("pkcs11: [a]", "is a list"),
        .main("catalog:  ", "pkcs11: { modules: [none.so] }\ncatalog:  ").fault("3: pkcs11.modules[0]", "no such file"),
        .main("catalog:  ", "pkcs11: { modules: [root.pem] }\ncatalog:  ")
            .fault("3: pkcs11.modules[0]", "and others could replace its code: chmod go-w "),
        .main("catalog:  ", "pkcs11: { modules: [{ parameters: a }] }\ncatalog:  ")
            .fault("3: pkcs11.modules[0].file", "is missing; name the module, a shared library"),
        .main("catalog:  ", "pkcs11: { modules: [{ file: root.pem, parameters: \"\" }] }\ncatalog:  ")
            .fault("3: pkcs11.modules[0].parameters", "is empty"),
        .main("catalog:  ", "pkcs11: { modules: a.so }\ncatalog:  ").fault("3: pkcs11.modules", "a list is needed"),
        .main("catalog:  ", "pkcs11: { sessions: 0 }\ncatalog:  ").fault("3: pkcs11.sessions", "from 1 to 64"),
        .main("catalog:  ", "pkcs11: { module: a }\ncatalog:  ").fault("3: pkcs11.module", "did you mean \"modules\"?"),
    ]

    private static func key(_ members: String, _ says: String) -> Self {
        .catalog("file: SubscriptionKey_EXAMPLE123.p8, issuerId", members + ", issuerId")
            .fault("6: apps[0].keys[0].pkcs11", says)
    }
}
