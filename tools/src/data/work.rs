//! Chunks shared among threads and processes.

use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

/// A share of the chunks, for several processes on one folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    index: u32,
    parts: u32,
}

impl Part {
    /// Whether the chunk with that number belongs to this part.
    pub(crate) fn has(self, number: u32) -> bool {
        number % self.parts == self.index - 1
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        match text.split_once('/').map(|(index, parts)| (index.parse(), parts.parse())) {
            Some((Ok(index), Ok(parts))) if (1..=parts).contains(&index) => Ok(Part { index, parts }),
            _ => Err("expected I/N with I from 1 to N, as in 2/3".into()),
        }
    }
}

/// Does every task on one of `jobs` threads, each with a state of its own. The first error ends the work:
/// no further task is begun.
///
/// # Errors
/// The first error of a task or of `start`.
pub(crate) fn share<T: Sync, S>(
    tasks: &[T],
    jobs: usize,
    start: impl Fn() -> Result<S, String> + Sync,
    task: impl Fn(&mut S, &T) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let failure = Mutex::new(None);
    let thread = || -> Result<(), String> {
        let mut state = start()?;
        while !over.load(Ordering::Relaxed) {
            let Some(one) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            task(&mut state, one)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, tasks.len().max(1)) {
            scope.spawn(|| {
                if let Err(error) = thread() {
                    over.store(true, Ordering::Relaxed);
                    if let Ok(mut first) = failure.lock() {
                        first.get_or_insert(error);
                    }
                }
            });
        }
    });
    match failure.into_inner() {
        Ok(None) => Ok(()),
        Ok(Some(error)) => Err(error),
        Err(_) => Err("a thread failed".into()),
    }
}

/// A bar for that many things, with their rate and the time left.
pub(crate) fn bar(things: u64, name: &str) -> Result<ProgressBar, String> {
    let style = format!("{{bar:30}} {{pos}}/{{len}} {name}, {{per_sec}}, {{eta}} left {{msg}}");
    let style = ProgressStyle::with_template(&style).map_err(|error| error.to_string())?;
    Ok(ProgressBar::new(things).with_style(style))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_the_chunks() {
        let parts: Vec<Part> = ["1/3", "2/3", "3/3"].iter().map(|part| part.parse().unwrap()).collect();
        for number in 0..100 {
            assert_eq!(parts.iter().filter(|part| part.has(number)).count(), 1);
        }
        for wrong in ["0/2", "3/2", "1", "1/0", "a/b", ""] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_task_is_done_once_and_an_error_ends_the_work() {
        let tasks: Vec<usize> = (0..500).collect();
        let done = Mutex::new(Vec::new());
        share(
            &tasks,
            3,
            || Ok(()),
            |(), &task| {
                done.lock().unwrap().push(task);
                Ok(())
            },
        )
        .unwrap();
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, tasks);
        let failing = |_: &mut (), &task: &usize| if task == 7 { Err("seven".to_owned()) } else { Ok(()) };
        assert_eq!(share(&tasks, 3, || Ok(()), failing), Err("seven".into()));
        assert_eq!(share(&tasks, 2, || Err::<(), _>("start".to_owned()), |_, _| Ok(())), Err("start".into()));
    }
}
