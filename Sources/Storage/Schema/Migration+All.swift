extension Migration {
    /// Every step, in the order in which they are made: new ones go to the end.
    static let inOrder: [Migration] = [
        StateSQL.migration, ProductReportSQL.migration, LedgerSQL.migration, RedemptionSQL.migration,
        FunnelSQL.migration, RedemptionSQL.indexMigration, NonceSQL.migration,
        SlimTables.migration, NonceSQL.sectionMigration, SlimTables.timeMigration,
        LedgerKeyMarks.migration,
    ]
}
