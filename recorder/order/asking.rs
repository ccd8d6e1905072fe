//! Questions to the command that started the job, and its answers. Both are files, because the
//! library itself has reached the hosts as a file too.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::host::write_whole;
use crate::layout::OWNER;
use crate::layout::run::{ANSWER_ENDING, END, KEEP, ORDER, QUESTION_ENDING, STOP};
use crate::patience::until;
use crate::report::random_number;
use crate::settings::Settings;

/// An answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// The order stays as it is.
    Keep,
    /// The new rank of each rank.
    Order(Vec<i32>),
    /// The job must end.
    Stop,
}

/// Asks, and waits for the answer. In case of an error, nobody has answered.
pub fn ask(settings: &Settings, question: &str, ranks: usize) -> Result<Answer, String> {
    static QUESTIONS: AtomicU32 = AtomicU32::new(0);
    let number = QUESTIONS.fetch_add(1, Ordering::Relaxed);
    let name = format!("{:016x}-{number}", random_number());
    let path = settings.folder.join(format!("{name}.{ANSWER_ENDING}"));
    // The file is there before the answer. Otherwise a network file system might remember for
    // seconds that it is not.
    let cannot_ask = |error| format!("{}: {error}", path.display());
    File::create_new(&path).map_err(cannot_ask)?;
    write_whole(&settings.folder, &format!("{name}.{QUESTION_ENDING}"), question.as_bytes())
        .map_err(|error| error.to_string())?;
    let mut answer = String::new();
    let mut looks = 0_u32;
    let mut is_gone = false;
    let is_over = until(settings.for_answer, || {
        let read = fs::read_to_string(&path);
        looks += 1;
        // If the command cannot answer, it removes the file.
        is_gone = read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
            || (looks.is_multiple_of(256) && is_abandoned(&settings.folder));
        answer = read.unwrap_or_default();
        is_gone || answer.ends_with(&format!("{END}\n"))
    });
    match is_over {
        true if is_gone => {
            Err("the command that started the job has ended, or cannot answer".to_string())
        }
        true => read(&answer, ranks).ok_or_else(|| format!("{}: malformed", path.display())),
        false => Err(format!(
            "the command that started the job has not answered within {} s",
            settings.for_answer.as_secs()
        )),
    }
}

/// Whether the owner of a folder no longer holds its lock. Locks may not be visible between hosts, so
/// only an owner on this host can be found missing: the file holds the ID of its boot.
fn is_abandoned(folder: &Path) -> bool {
    let path = folder.join(OWNER);
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let is_here = fs::read_to_string(&path).is_ok_and(|id| !id.is_empty() && id == boot.trim());
    is_here && File::open(&path).is_ok_and(|file| file.try_lock_shared().is_ok())
}

fn read(answer: &str, ranks: usize) -> Option<Answer> {
    let mut words = answer.split_whitespace();
    match words.next()? {
        KEEP => Some(Answer::Keep),
        STOP => Some(Answer::Stop),
        ORDER => {
            let numbers = words.take_while(|&word| word != END).map(|word| word.parse().ok());
            let order: Vec<i32> = numbers.collect::<Option<_>>()?;
            is_permutation(&order, ranks).then_some(Answer::Order(order))
        }
        _ => None,
    }
}

fn is_permutation(order: &[i32], ranks: usize) -> bool {
    let mut is_there = vec![false; ranks];
    let mut is_new = |&rank: &i32| {
        let place = usize::try_from(rank).ok().and_then(|rank| is_there.get_mut(rank));
        place.is_some_and(|place| !std::mem::replace(place, true))
    };
    order.len() == ranks && order.iter().all(&mut is_new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_orders_of_all_ranks_are_answers() {
        assert_eq!(read("order 2 0 1\nend\n", 3), Some(Answer::Order(vec![2, 0, 1])));
        assert_eq!(read("keep\nend\n", 3), Some(Answer::Keep));
        assert_eq!(read("stop\nend\n", 3), Some(Answer::Stop));
        for wrong in
            ["order 2 0\nend\n", "order 0 1 1\nend\n", "order 0 1 3\nend\n", "other\nend\n"]
        {
            assert_eq!(read(wrong, 3), None, "{wrong}");
        }
    }
}
