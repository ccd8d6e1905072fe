//! The rows of a machine that is drawn in rows.

/// The rows of a layered picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Layers {
    /// What each level is called, the one of the hosts first.
    pub names: Vec<String>,
    /// The level of each point; 0 for those that hold nodes.
    pub level_of: Vec<u16>,
    /// A short name of each point, to be written beside it.
    pub labels: Vec<String>,
    /// The points that hold nodes, in blocks below the same switches.
    pub blocks: Vec<Vec<u32>>,
    /// Whether blocks have several rows. Then lines to single hosts would run through others, and
    /// hosts are drawn as cells.
    pub in_cells: bool,
}

impl Layers {
    /// The highest point of a level, beside which its name is written.
    pub(crate) fn highest(&self, points: &[[f32; 3]], level: usize) -> Option<usize> {
        let of_level = |&(_, at): &(usize, &u16)| usize::from(*at) == level;
        let all = self.level_of.iter().enumerate().filter(of_level).map(|(point, _)| point);
        let height = |point: usize| points.get(point).map_or(f32::MIN, |place| place[1]);
        all.reduce(|best, next| if height(next) > height(best) { next } else { best })
    }

    /// The highest level.
    pub fn top(&self) -> u16 {
        self.names.len().saturating_sub(1) as u16
    }
}
