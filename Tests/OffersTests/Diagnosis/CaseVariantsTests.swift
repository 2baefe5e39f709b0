import Testing

@testable import Offers

@Suite("Names in other cases")
struct CaseVariantsTests {
    @Test("A few letters come in every mixture of cases, and other characters stay")
    func few() {
        #expect(Set("Ab-1".caseVariants(ofAtMost: 2)) == ["ab-1", "Ab-1", "aB-1", "AB-1"])
        #expect("é-1".caseVariants(ofAtMost: 2) == ["é-1"])
        #expect("".caseVariants(ofAtMost: 2) == [""])
        #expect(Set("abcdefghij".caseVariants(ofAtMost: 10)).count == 1024)
    }

    @Test("Of many letters those that begin words do, and no more of them than are few")
    func many() {
        let variants = "anna.schmidt@example.com".caseVariants(ofAtMost: 10)
        #expect(variants.count == 16)
        #expect(variants.contains("Anna.Schmidt@example.com"))
        #expect(variants.contains("anna.schmidt@example.com"))
        #expect(String(repeating: "a.", count: 200).caseVariants(ofAtMost: 10).count == 1024)
    }
}
