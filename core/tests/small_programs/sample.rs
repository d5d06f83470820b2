//! Which of all small programs are compared.

/// As many programs are all taken without `INSPECT_LONG`, too.
const FEW: usize = 16;

/// The places of the programs that are compared, of so many.
pub(crate) fn sample(of: usize) -> impl Iterator<Item = usize> {
    // The multiplier is odd and its high bits are mixed: the sample does not keep step with the number of blocks.
    const MIX: u32 = 0xc2b2_ae35;
    let all = of <= FEW || std::env::var_os("INSPECT_LONG").is_some();
    (0..of).filter(move |&at| all || ((at as u32).wrapping_mul(MIX) >> 16).is_multiple_of(5))
}

#[test]
fn a_sample_is_about_a_fifth_and_has_every_block_in_every_thread() {
    if std::env::var_os("INSPECT_LONG").is_some() {
        return;
    }
    // Programs of three threads with one of so many blocks each are numbered in the system of that base.
    for kinds in 3..=8_usize {
        let taken: Vec<usize> = sample(kinds.pow(3)).collect();
        assert!((kinds.pow(3) / 8..=kinds.pow(3) / 3).contains(&taken.len()), "{} of {}", taken.len(), kinds.pow(3));
        for (thread, block) in (0..3).flat_map(|thread| (0..kinds).map(move |block| (thread, block))) {
            assert!(taken.iter().any(|at| at / kinds.pow(thread) % kinds == block), "{kinds}: {thread} {block}");
        }
    }
}
