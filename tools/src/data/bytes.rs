//! Numbers and texts as bytes: variable-length integers of 7 bits a byte, the lowest first (LEB128).

/// Appends a number.
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a number with a sign, small absolute values in few bytes.
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i32) {
    put(out, u64::from(((number << 1) ^ (number >> 31)) as u32));
}

/// Appends a text and its length.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Reads what the functions of this module wrote.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { left: bytes }
    }

    /// Whether everything was read.
    pub(crate) fn done(&self) -> bool {
        self.left.is_empty()
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, left) = self.left.split_at_checked(count).ok_or("it ends too early")?;
        self.left = left;
        Ok(taken)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn number(&mut self) -> Result<u64, String> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a number is too long".into())
    }

    pub(crate) fn signed(&mut self) -> Result<i32, String> {
        let folded = u32::try_from(self.number()?).map_err(|_| "a number is too large")?;
        Ok((folded >> 1) as i32 ^ -((folded & 1) as i32))
    }

    /// A number of things of which each takes a byte at least, so that a wrong one takes no memory.
    pub(crate) fn count(&mut self) -> Result<usize, String> {
        match usize::try_from(self.number()?) {
            Ok(count) if count <= self.left.len() => Ok(count),
            _ => Err("a count is larger than the file".into()),
        }
    }

    pub(crate) fn text(&mut self) -> Result<String, String> {
        let length = self.count()?;
        String::from_utf8(self.take(length)?.to_vec()).map_err(|_| "a text is not UTF-8".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_come_back() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX];
        let signed = [0, 1, -1, 63, -64, 6_400, -6_400, i32::MAX, i32::MIN];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| put(&mut bytes, number));
        signed.iter().for_each(|&number| put_signed(&mut bytes, number));
        put_text(&mut bytes, "size 8 – à");
        let mut reader = Reader::new(&bytes);
        numbers.iter().for_each(|&number| assert_eq!(reader.number(), Ok(number)));
        signed.iter().for_each(|&number| assert_eq!(reader.signed(), Ok(number)));
        assert_eq!(reader.text().unwrap(), "size 8 – à");
        assert!(reader.done() && reader.byte().is_err());
    }

    #[test]
    fn a_wrong_count_takes_no_memory() {
        let mut bytes = Vec::new();
        put(&mut bytes, u64::MAX / 2);
        assert!(Reader::new(&bytes).text().is_err());
        assert!(Reader::new(&[0xFF; 20]).number().is_err());
    }
}
