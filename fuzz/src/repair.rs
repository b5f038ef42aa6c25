//! Checksums of files, corrected after a mutation.

use labrys_core::seal;

/// Digits of a checksum in text.
const DIGITS: usize = 8;

/// Overwrites the last four bytes by the CRC-32 of those before.
pub(super) fn last_bytes(bytes: &mut [u8]) {
    if let Some((body, sum)) = bytes.split_last_chunk_mut::<4>() {
        *sum = crc32fast::hash(body).to_le_bytes();
    }
}

/// Corrects both checksums of a file of tensors, where they are.
pub(super) fn tensors(bytes: &mut [u8]) {
    let Some(length) = bytes.first_chunk().copied().map(u64::from_le_bytes) else { return };
    let end = usize::try_from(length).ok().and_then(|length| length.checked_add(8));
    let Some((header, numbers)) = end.and_then(|end| bytes.split_at_mut_checked(end)) else { return };
    let sum = format!("{:08x}", crc32fast::hash(numbers));
    // In the header it is text within a string.
    let name = br#"\"crc32\":\""#;
    if let Some(place) = header.windows(name.len()).position(|part| part == name) {
        let digits = header.get_mut(place + name.len()..place + name.len() + DIGITS);
        digits.into_iter().for_each(|digits| digits.copy_from_slice(sum.as_bytes()));
    }
    // A header without the entry stays as it is.
    let _ = seal::seal(header, "header_crc32");
}

/// Corrects the checksum of a sealed line of JSON, where it has one.
pub(super) fn line(bytes: &mut [u8]) {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let _ = seal::seal(&mut bytes[..end], "crc32");
}

/// Writes the CRC-32 of a text into eight digits after the last `"crc32":"` of another one.
pub(super) fn entry(bytes: &mut [u8], sum: u32) {
    let name = br#""crc32":""#;
    let place = bytes.windows(name.len()).rposition(|part| part == name);
    if let Some(digits) =
        place.and_then(|place| bytes.get_mut(place + name.len()..place + name.len() + DIGITS))
    {
        digits.copy_from_slice(format!("{sum:08x}").as_bytes());
    }
}
