//! Partners 1, 2, 4, 8, ... ranks further on, with wrap-around: the rounds of a barrier by
//! dissemination, or of Bruck's exchanges.

use super::candidate::Candidate;
use super::kinds::Structure;
use super::view::View;

pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    let ranks = view.ranks();
    if ranks < 8 {
        return None;
    }
    let joins = move |a: u32, b: u32| {
        let apart = a.abs_diff(b);
        apart.is_power_of_two() || (ranks - apart).is_power_of_two()
    };
    let of_one = (1..ranks).filter(|&other| joins(0, other)).count();
    view.judge(Structure::Steps, f64::from(ranks) * of_one as f64 / 2.0, joins)
}
