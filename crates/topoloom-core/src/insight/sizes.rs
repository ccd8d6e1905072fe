//! Messages by their size.

use crate::traffic::Traffic;

/// Messages of about one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeClass {
    /// 0: empty messages; c: messages of 2^(c-1) to 2^c - 1 bytes.
    pub class: u32,
    /// How many messages.
    pub messages: f64,
    /// Their bytes.
    pub bytes: f64,
}

impl SizeClass {
    /// The smallest and the largest whole number of bytes of a message in it.
    pub fn bounds(&self) -> (f64, f64) {
        match self.class {
            0 => (0.0, 0.0),
            class => (2f64.powi(class as i32 - 1), 2f64.powi(class as i32) - 1.0),
        }
    }
}

/// Messages by classes of sizes, powers of two.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SizeHistogram {
    /// The classes in ascending order, without empty ones.
    pub classes: Vec<SizeClass>,
    /// Whether messages were counted one by one. A flow only gives the mean size of the messages of
    /// a pair: then its large and small messages are counted together in a class between.
    pub is_exact: bool,
}

impl SizeHistogram {
    /// The messages of each flow, in the class of their mean size. A flow without messages is not
    /// counted.
    pub fn of_means(traffic: &Traffic) -> SizeHistogram {
        let mut classes = vec![(0.0, 0.0); 1 + f64::MAX_EXP as usize];
        for flow in traffic.flows().filter(|flow| flow.messages > 0.0) {
            let class = &mut classes[class_of(flow.bytes / flow.messages)];
            class.0 += flow.messages;
            class.1 += flow.bytes;
        }
        let numbered = (0..).zip(classes).filter(|(_, (messages, _))| *messages > 0.0);
        let classes =
            numbered.map(|(class, (messages, bytes))| SizeClass { class, messages, bytes });
        SizeHistogram { classes: classes.collect(), is_exact: false }
    }

    /// Messages that were counted one by one.
    pub fn exact(classes: Vec<SizeClass>) -> SizeHistogram {
        SizeHistogram { classes, is_exact: true }
    }

    /// The mean size over all messages; `None` if there are none.
    pub fn mean(&self) -> Option<f64> {
        let messages: f64 = self.classes.iter().map(|class| class.messages).sum();
        let bytes: f64 = self.classes.iter().map(|class| class.bytes).sum();
        (messages > 0.0).then(|| bytes / messages)
    }
}

/// The class of messages of this size; averages between 0 and 1 byte count as 1.
fn class_of(bytes: f64) -> usize {
    if bytes <= 0.0 {
        return 0;
    }
    let mut exponent = (bytes.max(1.0).log2().floor() as usize).min(f64::MAX_EXP as usize - 1);
    // The logarithm may be rounded up past a power of two.
    if 2f64.powi(exponent as i32) > bytes && exponent > 0 {
        exponent -= 1;
    } else if exponent + 1 < f64::MAX_EXP as usize && 2f64.powi(exponent as i32 + 1) <= bytes {
        exponent += 1;
    }
    exponent + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrafficBuilder;

    #[test]
    fn a_class_holds_sizes_up_to_the_next_power_of_two() {
        for (bytes, class) in [(0.0, 0), (0.3, 1), (1.0, 1), (2.0, 2), (3.9, 2), (4.0, 3)] {
            assert_eq!(class_of(bytes), class, "{bytes}");
        }
        for exponent in 1..1023 {
            let power = 2f64.powi(exponent);
            assert_eq!(class_of(power), exponent as usize + 1);
            assert_eq!(class_of(power * (1.0 - f64::EPSILON)), exponent as usize);
        }
        assert_eq!(class_of(f64::MAX), 1024);
    }

    #[test]
    fn flows_count_by_the_mean_of_their_messages() {
        let mut builder = TrafficBuilder::new(3);
        builder.add(0, 1, 10.0, 1000.0);
        builder.add(1, 0, 5.0, 350.0);
        builder.add(0, 2, 2.0, 0.0);
        let sizes = SizeHistogram::of_means(&builder.build());
        // 100 and 70 bytes are both between 64 and 127.
        let expected = [
            SizeClass { class: 0, messages: 2.0, bytes: 0.0 },
            SizeClass { class: 7, messages: 15.0, bytes: 1350.0 },
        ];
        assert_eq!(sizes.classes, expected);
        assert_eq!(sizes.classes[1].bounds(), (64.0, 127.0));
        assert_eq!(sizes.mean(), Some(1350.0 / 17.0));
    }
}
