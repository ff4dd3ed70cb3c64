//! Memory of transposition tables.

use std::alloc::{Layout, alloc_zeroed};
use std::ptr;
use std::sync::atomic::AtomicU64;

/// So many bytes of zeros, in words, as pages that cost nothing until they are used. Where the system
/// has not the memory it is half of them, or half of that, with a warning.
pub(crate) fn zeroed(bytes: u64) -> Box<[AtomicU64]> {
    let mut length = usize::try_from(bytes / 8).unwrap_or(usize::MAX).max(1);
    loop {
        if let Some(words) = words(length) {
            advise(&words);
            return words;
        }
        log::warn!("no memory for a table of {} MiB: trying half of it", length >> 17);
        length /= 2;
    }
}

fn words(length: usize) -> Option<Box<[AtomicU64]>> {
    let layout = Layout::array::<AtomicU64>(length).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout is not empty. Zero bits are valid AtomicU64s, and the box frees the memory
    // with the layout it was allocated with, that of an array of this length.
    unsafe {
        let first = alloc_zeroed(layout).cast::<AtomicU64>();
        (!first.is_null()).then(|| Box::from_raw(ptr::slice_from_raw_parts_mut(first, length)))
    }
}

/// Asks for large pages where there is much memory: a table is read at random, and each read of a small
/// page costs a walk through the page tables besides.
#[cfg(target_os = "linux")]
fn advise(words: &[AtomicU64]) {
    use nix::sys::mman::{MmapAdvise, madvise};
    const PAGE: usize = 1 << 12;
    const LARGE: usize = 1 << 22;
    let Some(length) = size_of_val(words).checked_sub(PAGE).filter(|&length| length >= LARGE) else {
        return;
    };
    let first = words.as_ptr().cast_mut();
    let skipped = first.cast::<u8>().align_offset(PAGE);
    // SAFETY: both ends lie within the slice; the advice changes no contents.
    let advised = unsafe {
        ptr::NonNull::new(first.cast::<u8>().add(skipped))
            .map(|first| madvise(first.cast(), length & !(PAGE - 1), MmapAdvise::MADV_HUGEPAGE))
    };
    if let Some(Err(error)) = advised {
        log::debug!("no large pages: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_words: &[AtomicU64]) {}
