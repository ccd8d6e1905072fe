//! Reads anything as a speed file; what can be read has times that do not fall, and comes back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_arrange::{Interpolation, SpeedFunction};
use topoloom_io::{SpeedPoint, parse_speed_points, speed_points_text};

fuzz_target!(|data: &[u8]| {
    let Ok(points) = parse_speed_points("a", data) else { return };
    let text = speed_points_text(&[], &points);
    assert_eq!(parse_speed_points("a", text.as_bytes()).expect("what was written"), points);
    for interpolation in Interpolation::ALL {
        let pairs = points.iter().map(SpeedPoint::pair).collect();
        let function = SpeedFunction::new(pairs, interpolation).expect("checked by the reader");
        let mut last = 0.0;
        for &(size, _) in function.safe_points() {
            let time = function.time(size);
            assert!(time.is_finite() && last <= time, "{last} {time} at {size}");
            assert!(function.size_in(time).is_finite());
            last = time;
        }
    }
});
