/// A country by its codes of ISO 3166-1.
package struct CountryCode: Hashable, Sendable {
    /// Two capital letters, such as `DE`.
    package let alpha2: String

    private static let alpha2ByCode: [String: String] = {
        var codes: [String: String] = [:]
        for pair in pairs.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            let alpha2 = String(pair.prefix(2))
            codes[alpha2] = alpha2
            codes[String(pair.dropFirst(2))] = alpha2
        }
        return codes
    }()

    /// Reads alpha-2, or alpha-3 as StoreKit's `Storefront.countryCode` has it, in capitals; any other text gives
    /// `nil`.
    package init?(_ code: String) {
        guard let alpha2 = Self.alpha2ByCode[code] else { return nil }
        self.alpha2 = alpha2
    }
}

extension CountryCode {
    /// ISO 3166-1 as of 2026: the alpha-2 code of each country, and its alpha-3 code after it.
    ///
    /// The last is Kosovo, which has an App Store and no ISO code: Apple uses XK and XKS.
    static let pairs = """
        ADAND AEARE AFAFG AGATG AIAIA ALALB AMARM AOAGO AQATA ARARG ASASM ATAUT AUAUS AWABW AXALA AZAZE BABIH
        BBBRB BDBGD BEBEL BFBFA BGBGR BHBHR BIBDI BJBEN BLBLM BMBMU BNBRN BOBOL BQBES BRBRA BSBHS BTBTN BVBVT
        BWBWA BYBLR BZBLZ CACAN CCCCK CDCOD CFCAF CGCOG CHCHE CICIV CKCOK CLCHL CMCMR CNCHN COCOL CRCRI CUCUB
        CVCPV CWCUW CXCXR CYCYP CZCZE DEDEU DJDJI DKDNK DMDMA DODOM DZDZA ECECU EEEST EGEGY EHESH ERERI ESESP
        ETETH FIFIN FJFJI FKFLK FMFSM FOFRO FRFRA GAGAB GBGBR GDGRD GEGEO GFGUF GGGGY GHGHA GIGIB GLGRL GMGMB
        GNGIN GPGLP GQGNQ GRGRC GSSGS GTGTM GUGUM GWGNB GYGUY HKHKG HMHMD HNHND HRHRV HTHTI HUHUN IDIDN IEIRL
        ILISR IMIMN ININD IOIOT IQIRQ IRIRN ISISL ITITA JEJEY JMJAM JOJOR JPJPN KEKEN KGKGZ KHKHM KIKIR KMCOM
        KNKNA KPPRK KRKOR KWKWT KYCYM KZKAZ LALAO LBLBN LCLCA LILIE LKLKA LRLBR LSLSO LTLTU LULUX LVLVA LYLBY
        MAMAR MCMCO MDMDA MEMNE MFMAF MGMDG MHMHL MKMKD MLMLI MMMMR MNMNG MOMAC MPMNP MQMTQ MRMRT MSMSR MTMLT
        MUMUS MVMDV MWMWI MXMEX MYMYS MZMOZ NANAM NCNCL NENER NFNFK NGNGA NINIC NLNLD NONOR NPNPL NRNRU NUNIU
        NZNZL OMOMN PAPAN PEPER PFPYF PGPNG PHPHL PKPAK PLPOL PMSPM PNPCN PRPRI PSPSE PTPRT PWPLW PYPRY QAQAT
        REREU ROROU RSSRB RURUS RWRWA SASAU SBSLB SCSYC SDSDN SESWE SGSGP SHSHN SISVN SJSJM SKSVK SLSLE SMSMR
        SNSEN SOSOM SRSUR SSSSD STSTP SVSLV SXSXM SYSYR SZSWZ TCTCA TDTCD TFATF TGTGO THTHA TJTJK TKTKL TLTLS
        TMTKM TNTUN TOTON TRTUR TTTTO TVTUV TWTWN TZTZA UAUKR UGUGA UMUMI USUSA UYURY UZUZB VAVAT VCVCT VEVEN
        VGVGB VIVIR VNVNM VUVUT WFWLF WSWSM YEYEM YTMYT ZAZAF ZMZMB ZWZWE XKXKS
        """
}

/// A currency by its code of ISO 4217, such as `EUR`.
package struct CurrencyCode: Hashable, Sendable {
    /// Three capital letters.
    package let code: String
    /// The minor unit of ISO 4217, from 0 to 4.
    package let decimals: Int

    private static let decimalsByCode: [String: Int] = Dictionary(
        uniqueKeysWithValues: codes.flatMap { decimals, codes in
            codes.split { $0 == " " || $0 == "\n" }.map { (String($0), decimals) }
        }
    )

    /// Reads a code in capitals; one that ISO 4217 does not list gives `nil`.
    package init?(_ code: String) {
        guard let decimals = Self.decimalsByCode[code] else { return nil }
        self.code = code
        self.decimals = decimals
    }
}

extension CurrencyCode {
    /// The currencies of ISO 4217 as of 2026-01-01 that money is counted in, by the number of their decimals.
    static let codes: [Int: String] = [
        0: """
        BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF
        """,
        2: """
        AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP
        CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS
        INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN
        MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE
        SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XAD XCD XCG YER
        ZAR ZMW ZWG
        """,
        3: """
        BHD IQD JOD KWD LYD OMR TND
        """,
        4: """
        UYW
        """,
    ]
}
