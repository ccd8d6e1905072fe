//! What the thesis prints.

/// One row of tables 3.4 to 3.7: blocks of width or height, and the bandwidths whose inverses are
/// added.
pub type Row = (u32, &'static [f64]);

/// One of tables 3.4 to 3.7.
pub struct CostTable {
    pub number: &'static str,
    pub rows: &'static [Row],
    pub total: f64,
}

pub const TABLE_3_4: CostTable = CostTable {
    number: "3.4",
    rows: &[
        (54, &[249.53, 891.20, 249.53]),
        (30, &[68.96, 90.88, 56.39]),
        (29, &[71.93, 6850.27, 68.96, 90.88]),
        // Printed 36.39, which is no bandwidth of table 3.3.
        (15, &[249.53, 56.39, 90.88, 90.88, 56.39]),
    ],
    total: 1948.15,
};

pub const TABLE_3_5: CostTable = CostTable {
    number: "3.5",
    rows: &[
        (54, &[891.20, 249.53, 249.53]),
        (30, &[90.88, 56.39, 68.96]),
        (29, &[90.88, 71.93, 6850.27, 68.96]),
        (15, &[90.88, 896.17, 56.39, 891.20, 249.53, 68.96]),
    ],
    total: 1825.23,
};

pub const TABLE_3_6: CostTable = CostTable {
    number: "3.6",
    rows: &[
        (15, &[56.38, 90.87, 55.00, 891.20]),
        (12, &[56.38, 90.87, 90.87, 56.38]),
        (3, &[56.38, 71.93, 71.93, 56.38]),
        (7, &[56.38, 71.93, 68.95, 55.00]),
        (9, &[55.00, 68.95, 68.95, 55.00]),
        (13, &[55.00, 68.95, 71.93, 56.38]),
        (7, &[68.95, 68.95, 71.93, 71.93]),
        (16, &[68.95, 68.95, 249.52, 249.52]),
        (10, &[6850.27, 6850.27, 249.52, 249.52]),
        (2, &[6850.27, 71.93, 56.38, 249.52]),
        (34, &[6850.27, 71.93, 71.93, 6850.27]),
    ],
    total: 2854.13,
};

pub const TABLE_3_7: CostTable = CostTable {
    number: "3.7",
    rows: &[
        (33, &[6850.27, 6850.27, 6850.27, 6850.27]),
        (1, &[6850.27, 6850.27, 6850.27, 6850.27]),
        (12, &[6850.27, 6850.27, 249.52, 249.52]),
        (3, &[71.93, 71.93, 249.52, 249.52]),
        (16, &[71.93, 71.93, 249.52, 249.52]),
        (4, &[71.93, 896.16, 56.38, 249.52]),
        (8, &[56.38, 896.16, 56.38, 891.20]),
        (6, &[56.38, 896.16, 896.16, 56.38]),
        (9, &[55.00, 90.87, 896.16, 56.38]),
        (6, &[55.00, 90.87, 896.16, 56.38]),
        (3, &[55.00, 90.87, 896.16, 56.38]),
        (11, &[55.00, 893.13, 90.87, 56.38]),
        (16, &[55.00, 893.13, 893.13, 55.00]),
    ],
    total: 1784.56,
};

/// A column of rectangles: its width, and (cluster, height) from top to bottom.
pub type ColumnOf = (u32, &'static [(u32, u32)]);

/// Figure 3.8 is a picture, but the overlaps of table 3.6 leave one arrangement with four processors
/// of cluster 0, three of 1, five of 2 and four of 3.
pub const WORST: &[ColumnOf] = &[
    (54, &[(0, 30), (0, 29), (2, 69)]),
    (30, &[(3, 37), (1, 45), (2, 46)]),
    (29, &[(1, 27), (2, 32), (2, 33), (3, 36)]),
    (15, &[(0, 15), (3, 15), (1, 16), (3, 20), (0, 28), (2, 34)]),
];

/// The same of table 3.7.
pub const OPTIMAL: &[ColumnOf] = &[
    (54, &[(2, 69), (0, 29), (0, 30)]),
    (30, &[(2, 46), (3, 37), (1, 45)]),
    (29, &[(2, 33), (2, 32), (3, 36), (1, 27)]),
    (15, &[(2, 34), (0, 15), (0, 28), (3, 15), (3, 20), (1, 16)]),
];

/// Figures 3.6 and 3.7 are pictures. Their printed terms are: columns of 12, 12 and 9 blocks that
/// cross 1, 2 and 3 times (worst case) or 1, 2 and 2 times (optimal), and overlaps of 11, 3, 3, 3, 4,
/// 2 and 6 blocks that all cross twice, or of 6, 8, 1, 9, 2 and 6 of which the first two cross once.
/// Trying all heights and clusters leaves this one pair of arrangements of the same rectangles, but
/// for the names of the clusters.
pub const NINE_WORST: &[ColumnOf] = &[
    (12, &[(1, 17), (0, 15)]),
    (12, &[(0, 14), (2, 10), (2, 8)]),
    (9, &[(0, 11), (1, 9), (0, 6), (1, 6)]),
];

/// The same of the optimal one.
pub const NINE_OPTIMAL: &[ColumnOf] = &[
    (12, &[(0, 15), (1, 17)]),
    (12, &[(0, 14), (2, 10), (2, 8)]),
    (9, &[(1, 6), (1, 9), (0, 11), (0, 6)]),
];

/// Costs of table 3.2: worst case and optimal.
pub const TABLE_3_2: [f64; 2] = [127.0, 104.0];

/// A row of tables 3.10 and 3.12.
pub struct Experiment {
    pub name: &'static str,
    pub strategy: &'static str,
    pub hops: f64,
    pub bandwidth: f64,
    /// Seconds with rings and with one-to-all.
    pub seconds: [f64; 2],
}

pub const TABLE_3_10: [Experiment; 3] = [
    Experiment {
        name: "FPM-BR",
        strategy: "none",
        hops: 2677.0,
        bandwidth: 29205.22,
        seconds: [244.5955, 202.6377],
    },
    Experiment {
        name: "hop-count",
        strategy: "hop-count",
        hops: 1751.0,
        bandwidth: 21695.06,
        seconds: [200.0589, 176.3399],
    },
    Experiment {
        name: "bandwidth",
        strategy: "bandwidth",
        hops: 1948.0,
        bandwidth: 18840.53,
        seconds: [180.5339, 164.1144],
    },
];

pub const TABLE_3_12: [Experiment; 3] = [
    Experiment {
        name: "FPM-BR",
        strategy: "none",
        hops: 2248.0,
        bandwidth: 19394.13,
        seconds: [196.3404, 165.5698],
    },
    Experiment {
        name: "hop-count",
        strategy: "hop-count",
        hops: 1987.0,
        bandwidth: 17087.58,
        seconds: [176.7677, 155.7851],
    },
    Experiment {
        name: "bandwidth",
        strategy: "bandwidth",
        hops: 2083.0,
        bandwidth: 12497.47,
        seconds: [160.0700, 150.0844],
    },
];

/// Costs of tables 4.2 and 4.3: not optimal, and by the heuristic.
pub const TABLE_4_2: [f64; 2] = [22_424_946.0, 2_143_978.0];
pub const TABLE_4_3: [f64; 2] = [65_658.0, 18_535.0];
