//! The published numbers: tables A.1 to A.3 and 4.1 of Besmer, "Process-to-Node Mapping
//! Strategies for the HAEC Box", bachelor thesis, University of Basel, 2016.
//!
//! `None` where the thesis has no number: runs it stopped after three hours, and the totals of
//! hilbert on the largest mesh.

/// One row of the tables A.1 to A.3 and its time in table 4.1: messages on the links used, as
/// total, average, minimum and maximum, and seconds.
pub struct Published {
    pub strategy: &'static str,
    pub total: Option<f64>,
    pub average: Option<f64>,
    pub minimum: Option<f64>,
    pub maximum: Option<f64>,
    pub seconds: Option<f64>,
}

/// One benchmark on one machine.
pub struct PublishedTable {
    pub table: &'static str,
    pub benchmark: &'static str,
    pub traffic: &'static str,
    pub machine: &'static str,
    pub rows: [Published; 9],
}

const fn row(
    strategy: &'static str,
    [total, average, minimum, maximum]: [Option<f64>; 4],
    seconds: Option<f64>,
) -> Published {
    Published { strategy, total, average, minimum, maximum, seconds }
}

pub static TABLES: [PublishedTable; 9] = [
    PublishedTable {
        table: "A.1",
        benchmark: "LU.C.64",
        traffic: "lu:class=C,ranks=64",
        machine: "mesh:4x4x4",
        rows: [
            row(
                "sweep",
                [Some(18_752_386.0), Some(137_885.0), Some(80_829.0), Some(323_318.0)],
                Some(0.0),
            ),
            row(
                "scan",
                [Some(19_399_020.0), Some(121_243.0), Some(80_829.0), Some(323_320.0)],
                Some(0.0),
            ),
            row(
                "peano",
                [Some(26_188_677.0), Some(181_865.0), Some(80_829.0), Some(484_977.0)],
                Some(0.014),
            ),
            row(
                "gray",
                [Some(22_308_862.0), Some(121_243.0), Some(80_829.0), Some(323_320.0)],
                Some(0.012),
            ),
            row(
                "hilbert",
                [Some(20_045_654.0), Some(115_870.0), Some(80_829.0), Some(323_317.0)],
                Some(0.013),
            ),
            row(
                "bokhari",
                [Some(12_447_703.0), Some(88_912.0), Some(80_829.0), Some(242_488.0)],
                Some(22.625),
            ),
            row(
                "minmd",
                [Some(24_410_456.0), Some(141_100.0), Some(80_829.0), Some(969_951.0)],
                Some(0.003),
            ),
            row(
                "genetic",
                [Some(34_514_094.0), Some(207_916.0), Some(80_829.0), Some(1_212_439.0)],
                Some(166.493),
            ),
            row(
                "random-sampling",
                [Some(36_615_639.0), Some(217_950.0), Some(80_829.0), Some(969_951.0)],
                Some(9.008),
            ),
        ],
    },
    PublishedTable {
        table: "A.1",
        benchmark: "LU.C.64",
        traffic: "lu:class=C,ranks=64",
        machine: "torus:4x4x4",
        rows: [
            row(
                "sweep",
                [Some(16_165_850.0), Some(118_866.0), Some(80_829.0), Some(323_318.0)],
                Some(0.0),
            ),
            row(
                "scan",
                [Some(13_579_314.0), Some(113_160.0), Some(80_829.0), Some(242_487.0)],
                Some(0.0),
            ),
            row(
                "peano",
                [Some(21_338_922.0), Some(183_956.0), Some(80_829.0), Some(323_320.0)],
                Some(0.012),
            ),
            row(
                "gray",
                [Some(13_579_314.0), Some(95_628.0), Some(80_829.0), Some(242_487.0)],
                Some(0.01),
            ),
            row(
                "hilbert",
                [Some(14_872_578.0), Some(116_192.0), Some(80_829.0), Some(242_488.0)],
                Some(0.012),
            ),
            row(
                "bokhari",
                [Some(12_851_853.0), Some(94_498.0), Some(80_829.0), Some(242_487.0)],
                Some(16.81),
            ),
            row(
                "minmd",
                [Some(18_509_915.0), Some(117_151.0), Some(80_829.0), Some(242_490.0)],
                Some(0.005),
            ),
            row(
                "genetic",
                [Some(22_228_039.0), Some(113_408.0), Some(80_829.0), Some(404_147.0)],
                Some(153.431),
            ),
            row(
                "random-sampling",
                [Some(26_431_163.0), Some(134_852.0), Some(80_829.0), Some(323_319.0)],
                Some(9.893),
            ),
        ],
    },
    PublishedTable {
        table: "A.1",
        benchmark: "LU.C.64",
        traffic: "lu:class=C,ranks=64",
        machine: "haec:4x4x4",
        rows: [
            row(
                "sweep",
                [Some(12_286_046.0), Some(90_338.0), Some(80_829.0), Some(161_659.0)],
                Some(0.0),
            ),
            row(
                "scan",
                [Some(11_639_412.0), Some(96_995.0), Some(80_829.0), Some(161_660.0)],
                Some(0.0),
            ),
            row(
                "peano",
                [Some(17_459_118.0), Some(167_876.0), Some(80_829.0), Some(323_320.0)],
                Some(0.012),
            ),
            row(
                "gray",
                [Some(13_579_318.0), Some(87_046.0), Some(80_829.0), Some(161_660.0)],
                Some(0.01),
            ),
            row(
                "hilbert",
                [Some(12_286_048.0), Some(100_705.0), Some(80_829.0), Some(161_660.0)],
                Some(0.012),
            ),
            row(
                "bokhari",
                [Some(9_052_876.0), Some(80_829.0), Some(80_829.0), Some(80_830.0)],
                Some(47.462),
            ),
            row(
                "minmd",
                [Some(13_660_147.0), Some(96_880.0), Some(80_829.0), Some(323_316.0)],
                Some(0.007),
            ),
            row(
                "genetic",
                [Some(12_528_538.0), Some(87_612.0), Some(80_829.0), Some(161_660.0)],
                Some(171.072),
            ),
            row(
                "random-sampling",
                [Some(14_225_961.0), Some(88_360.0), Some(80_829.0), Some(242_487.0)],
                Some(19.716),
            ),
        ],
    },
    PublishedTable {
        table: "A.2",
        benchmark: "LU.D.512",
        traffic: "lu:class=D,ranks=512",
        machine: "mesh:8x8x8",
        rows: [
            row(
                "sweep",
                [Some(770_346_256.0), Some(789_289.0), Some(245_021.0), Some(5_145_448.0)],
                Some(0.002),
            ),
            row(
                "scan",
                [Some(815_430_112.0), Some(698_142.0), Some(245_021.0), Some(4_655_405.0)],
                Some(0.002),
            ),
            row(
                "peano",
                [Some(1_412_301_578.0), Some(985_555.0), Some(245_021.0), Some(35_038_020.0)],
                Some(0.099),
            ),
            row(
                "gray",
                [Some(980_084_230.0), Some(680_614.0), Some(245_021.0), Some(6_125_526.0)],
                Some(0.079),
            ),
            row(
                "hilbert",
                [Some(1_238_826_575.0), Some(953_677.0), Some(245_021.0), Some(29_892_570.0)],
                Some(0.121),
            ),
            row(
                "bokhari",
                [Some(632_154_385.0), Some(466_190.0), Some(245_021.0), Some(5_635_486.0)],
                Some(273.349),
            ),
            row(
                "minmd",
                [Some(1_292_731_518.0), Some(941_537.0), Some(245_021.0), Some(30_627_635.0)],
                Some(0.143),
            ),
            row(
                "genetic",
                [Some(2_121_392_613.0), Some(1_932_051.0), Some(245_021.0), Some(93_108_014.0)],
                Some(881.562),
            ),
            row(
                "random-sampling",
                [Some(2_214_745_678.0), Some(1_963_427.0), Some(245_021.0), Some(91_637_885.0)],
                Some(76.412),
            ),
        ],
    },
    PublishedTable {
        table: "A.2",
        benchmark: "LU.D.512",
        traffic: "lu:class=D,ranks=512",
        machine: "torus:8x8x8",
        rows: [
            row(
                "sweep",
                [Some(658_616_650.0), Some(541_625.0), Some(245_021.0), Some(1_960_170.0)],
                Some(0.002),
            ),
            row(
                "scan",
                [Some(537_086_214.0), Some(479_541.0), Some(245_021.0), Some(1_225_107.0)],
                Some(0.002),
            ),
            row(
                "peano",
                [Some(764_465_770.0), Some(536_091.0), Some(245_021.0), Some(1_225_108.0)],
                Some(0.098),
            ),
            row(
                "gray",
                [Some(615_492_978.0), Some(421_281.0), Some(245_021.0), Some(1_225_105.0)],
                Some(0.081),
            ),
            row(
                "hilbert",
                [Some(657_146_564.0), Some(516_218.0), Some(245_021.0), Some(1_715_147.0)],
                Some(0.094),
            ),
            row(
                "bokhari",
                [Some(454_759_126.0), Some(380_233.0), Some(245_021.0), Some(980_085.0)],
                Some(678.054),
            ),
            row(
                "minmd",
                [Some(643_670_480.0), Some(430_548.0), Some(245_021.0), Some(1_470_128.0)],
                Some(0.071),
            ),
            row(
                "genetic",
                [Some(1_362_317_266.0), Some(617_271.0), Some(245_021.0), Some(2_695_231.0)],
                Some(1029.892),
            ),
            row(
                "random-sampling",
                [Some(1_375_303_423.0), Some(623_720.0), Some(245_021.0), Some(2_205_191.0)],
                Some(82.441),
            ),
        ],
    },
    PublishedTable {
        table: "A.2",
        benchmark: "LU.D.512",
        traffic: "lu:class=D,ranks=512",
        machine: "haec:8x8x8",
        rows: [
            row(
                "sweep",
                [Some(439_077_778.0), Some(361_083.0), Some(245_021.0), Some(980_085.0)],
                Some(0.002),
            ),
            row(
                "scan",
                [Some(427_316_764.0), Some(381_532.0), Some(245_021.0), Some(980_086.0)],
                Some(0.002),
            ),
            row(
                "peano",
                [Some(388_113_402.0), Some(307_051.0), Some(245_021.0), Some(735_065.0)],
                Some(0.098),
            ),
            row(
                "gray",
                [Some(411_635_448.0), Some(328_782.0), Some(245_021.0), Some(1_225_105.0)],
                Some(0.079),
            ),
            row(
                "hilbert",
                [Some(411_635_390.0), Some(322_851.0), Some(245_021.0), Some(1_225_105.0)],
                Some(0.096),
            ),
            row(
                "bokhari",
                [Some(311_666_849.0), Some(253_800.0), Some(245_021.0), Some(735_064.0)],
                Some(3206.106),
            ),
            row(
                "minmd",
                [Some(384_438_141.0), Some(304_626.0), Some(245_021.0), Some(1_225_107.0)],
                Some(0.04),
            ),
            row(
                "genetic",
                [Some(688_509_266.0), Some(378_926.0), Some(245_021.0), Some(1_960_169.0)],
                Some(1737.342),
            ),
            row(
                "random-sampling",
                [Some(713_746_455.0), Some(383_322.0), Some(245_021.0), Some(2_205_191.0)],
                Some(457.194),
            ),
        ],
    },
    PublishedTable {
        table: "A.3",
        benchmark: "LU.D.4096",
        traffic: "lu:class=D,ranks=4096",
        machine: "mesh:16x16x16",
        rows: [
            row(
                "sweep",
                [Some(9_593_063_400.0), Some(1_189_615.0), Some(245_021.0), Some(11_025_960.0)],
                Some(0.004),
            ),
            row(
                "scan",
                [Some(10_592_749_192.0), Some(1_199_360.0), Some(245_021.0), Some(10_535_917.0)],
                Some(0.004),
            ),
            row(
                "peano",
                [Some(22_549_775_519.0), Some(3_235_261.0), Some(245_021.0), Some(376_352_298.0)],
                Some(0.214),
            ),
            row(
                "gray",
                [Some(15_285_391_679.0), Some(1_328_933.0), Some(245_021.0), Some(33_077_835.0)],
                Some(0.178),
            ),
            row("hilbert", [None, None, None, Some(252_126_617.0)], Some(0.214)),
            row(
                "bokhari",
                [Some(8_487_528_519.0), Some(797_850.0), Some(245_021.0), Some(27_442_372.0)],
                None,
            ),
            row(
                "minmd",
                [Some(19_380_429_440.0), Some(1_681_015.0), Some(245_021.0), Some(440_057_738.0)],
                Some(1.116),
            ),
            row(
                "genetic",
                [Some(34_661_165_102.0), Some(4_526_138.0), Some(245_021.0), Some(1_256_222_830.0)],
                None,
            ),
            row(
                "random-sampling",
                [Some(34_775_590_067.0), Some(4_662_232.0), Some(245_021.0), Some(1_254_262_678.0)],
                Some(664.814),
            ),
        ],
    },
    PublishedTable {
        table: "A.3",
        benchmark: "LU.D.4096",
        traffic: "lu:class=D,ranks=4096",
        machine: "torus:16x16x16",
        rows: [
            row(
                "sweep",
                [Some(5_045_473_068.0), Some(520_205.0), Some(245_021.0), Some(980_085.0)],
                Some(0.004),
            ),
            row(
                "scan",
                [Some(4_704_403_830.0), Some(544_491.0), Some(245_021.0), Some(1_225_107.0)],
                Some(0.004),
            ),
            row(
                "peano",
                [Some(8_624_740_298.0), Some(838_167.0), Some(245_021.0), Some(8_820_757.0)],
                Some(0.211),
            ),
            row(
                "gray",
                [Some(6_758_660_496.0), Some(590_482.0), Some(245_021.0), Some(1_715_148.0)],
                Some(0.176),
            ),
            row(
                "hilbert",
                [Some(6_445_033_014.0), Some(645_989.0), Some(245_021.0), Some(3_920_338.0)],
                Some(0.21),
            ),
            row(
                "bokhari",
                [Some(5_151_322_161.0), Some(528_666.0), Some(245_021.0), Some(1_960_170.0)],
                None,
            ),
            row(
                "minmd",
                [Some(8_404_956_438.0), Some(586_283.0), Some(245_021.0), Some(4_900_420.0)],
                Some(0.221),
            ),
            row(
                "genetic",
                [Some(21_762_767_905.0), Some(1_095_533.0), Some(245_021.0), Some(13_476_157.0)],
                None,
            ),
            row(
                "random-sampling",
                [Some(21_650_058_341.0), Some(1_099_322.0), Some(245_021.0), Some(15_436_323.0)],
                Some(708.23),
            ),
        ],
    },
    PublishedTable {
        table: "A.3",
        benchmark: "LU.D.4096",
        traffic: "lu:class=D,ranks=4096",
        machine: "haec:16x16x16",
        rows: [
            row(
                "sweep",
                [Some(4_281_007_458.0), Some(474_402.0), Some(245_021.0), Some(980_085.0)],
                Some(0.004),
            ),
            row(
                "scan",
                [Some(4_233_963_420.0), Some(490_042.0), Some(245_021.0), Some(1_225_107.0)],
                Some(0.004),
            ),
            row(
                "peano",
                [Some(6_194_131_670.0), Some(674_448.0), Some(245_021.0), Some(1_960_172.0)],
                Some(0.214),
            ),
            row(
                "gray",
                [Some(6_480_316_588.0), Some(535_829.0), Some(245_021.0), Some(1_715_147.0)],
                Some(0.178),
            ),
            row(
                "hilbert",
                [Some(4_426_059_876.0), Some(432_190.0), Some(245_021.0), Some(1_715_149.0)],
                Some(0.208),
            ),
            row(
                "bokhari",
                [Some(5_480_630_427.0), Some(466_040.0), Some(245_021.0), Some(980_085.0)],
                None,
            ),
            row(
                "minmd",
                [Some(3_558_685_601.0), Some(319_795.0), Some(245_021.0), Some(2_205_191.0)],
                Some(0.845),
            ),
            row(
                "genetic",
                [Some(11_190_600_566.0), Some(655_840.0), Some(245_021.0), Some(4_655_399.0)],
                None,
            ),
            row(
                "random-sampling",
                [Some(11_310_415_833.0), Some(669_849.0), Some(245_021.0), Some(4_655_401.0)],
                None,
            ),
        ],
    },
];
