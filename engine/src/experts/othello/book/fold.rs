//! The symmetries of the board.

/// The least of the eight images of a position under the rotations and reflections of the board, by
/// `own`, then `opp`: the same for all eight.
#[must_use]
pub fn fold(own: u64, opp: u64) -> (u64, u64) {
    images(own).into_iter().zip(images(opp)).min().unwrap_or((own, opp))
}

/// The eight images of a set of squares, each at the same place for every set.
pub(super) fn images(set: u64) -> [u64; 8] {
    let turned = transpose(set);
    let rows = |set: u64| set.swap_bytes();
    // Reversing all bits mirrors rows and columns.
    let both = |set: u64| set.reverse_bits();
    let columns = |set: u64| rows(both(set));
    [set, columns(set), rows(set), both(set), turned, columns(turned), rows(turned), both(turned)]
}

/// Exchanges rows and columns, by blocks of one, two and four squares (H. S. Warren, "Hacker's Delight",
/// 7-3).
fn transpose(set: u64) -> u64 {
    let exchange = |set: u64, mask: u64, shift: u32| {
        let differing = (set ^ set >> shift) & mask;
        set ^ differing ^ differing << shift
    };
    let set = exchange(set, 0x00AA_00AA_00AA_00AA, 7);
    let set = exchange(set, 0x0000_CCCC_0000_CCCC, 14);
    exchange(set, 0x0000_0000_F0F0_F0F0, 28)
}
