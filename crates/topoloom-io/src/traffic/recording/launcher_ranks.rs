//! Which rank the launcher gave to each process, if `topoloom run` gave it another one.

use topoloom_core::words::counted;

use super::encoding::{Payload, PayloadWriter};
use crate::text::fault::Fault;

pub fn check(launcher_ranks: &[u32], ranks: u32) -> Result<(), Fault> {
    if launcher_ranks.is_empty() {
        return Ok(());
    }
    if launcher_ranks.len() != ranks as usize {
        let expected = format!("numbers of {ranks}", ranks = counted(ranks, "rank"));
        return Err(Fault::expected(expected, launcher_ranks.len()));
    }
    let mut is_there = vec![false; ranks as usize];
    for (rank, &given) in launcher_ranks.iter().enumerate() {
        match is_there.get_mut(given as usize) {
            Some(place) if !*place => *place = true,
            _ => {
                let expected = "each rank of the launcher once";
                return Err(Fault::expected(expected, given).within(format!("rank {rank}")));
            }
        }
    }
    Ok(())
}

pub fn write(launcher_ranks: &[u32]) -> PayloadWriter {
    let mut payload = PayloadWriter::default();
    launcher_ranks.iter().for_each(|&rank| payload.number(rank));
    payload
}

pub fn read(payload: &mut Payload<'_>, ranks: u32) -> Result<Vec<u32>, Fault> {
    (0..ranks).map(|_| payload.small("rank")).collect()
}
