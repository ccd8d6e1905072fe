//! Finds room for labels.

/// A rectangle of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    fn meets(&self, other: &Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn holds(&self, other: &Area) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }

    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// The gap between labels from left to right.
const BLANK: f64 = 5.0;

/// A rectangle of the picture, and its occupied parts.
#[derive(Debug, Clone)]
pub(super) struct Room {
    within: Area,
    taken: Vec<Area>,
}

impl Room {
    pub fn new(within: Area) -> Room {
        Room { within, taken: Vec::new() }
    }

    /// Marks an area as occupied.
    pub fn take(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Occupies the first of these areas that is free, and returns it.
    pub fn place(&mut self, wanted: impl IntoIterator<Item = Area>) -> Option<Area> {
        let is_free = |area: &Area| {
            self.within.holds(area) && !self.taken.iter().any(|taken| taken.meets(area))
        };
        let found = wanted.into_iter().find(is_free)?;
        // Words beside each other need a blank between them.
        self.taken.push(Area { left: found.left - BLANK, right: found.right + BLANK, ..found });
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(left: f64, top: f64) -> Area {
        Area { left, top, right: left + 10.0, bottom: top + 10.0 }
    }

    #[test]
    fn nothing_is_put_on_something_or_beyond_the_end() {
        let mut room = Room::new(Area { left: 0.0, top: 0.0, right: 40.0, bottom: 10.0 });
        room.take(area(10.0, 0.0));
        // The first would overlap an occupied area, the second beyond the end; they may touch.
        let wanted = [area(5.0, 0.0), area(35.0, 0.0), area(20.0, 0.0)];
        assert_eq!(room.place(wanted), Some(area(20.0, 0.0)));
        // Labels do not touch each other.
        assert_eq!(room.place([area(30.0, 0.0)]), None);
        assert_eq!(room.place([area(0.0, 0.0)]), Some(area(0.0, 0.0)));
    }
}
