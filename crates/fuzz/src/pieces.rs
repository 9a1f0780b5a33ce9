/// Splits an input at lines that consist of `====`. Missing parts are empty.
pub(crate) fn pieces<const N: usize>(input: &[u8]) -> [&[u8]; N] {
    const BETWEEN: &[u8] = b"\n====\n";
    let mut rest = input;
    let mut pieces = [&[][..]; N];
    for (at, piece) in pieces.iter_mut().enumerate() {
        match rest.windows(BETWEEN.len()).position(|window| window == BETWEEN) {
            Some(end) if at + 1 < N => {
                *piece = &rest[..end];
                rest = &rest[end + BETWEEN.len()..];
            }
            _ => {
                *piece = rest;
                rest = &[];
            }
        }
    }
    pieces
}
