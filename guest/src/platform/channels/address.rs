//! Addresses of sockets.

use crate::platform::recover;
use crate::platform::sys::{errno, error};

/// Bytes of the longest address that a call takes.
const LONGEST: u64 = 128;
/// Bytes of a `sockaddr_un`, and of the family at its beginning.
const LONGEST_UNIX: usize = 110;
const FAMILY: usize = 2;

/// `AF_UNIX`
pub const UNIX: u16 = 1;

/// An address as a call takes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// Its bytes, and zeros behind them.
    bytes: [u8; LONGEST as usize + 1],
    len: u8,
}

impl Address {
    /// That of a socket of `AF_UNIX` without a name.
    pub const UNNAMED: Address = {
        let mut bytes = [0; LONGEST as usize + 1];
        bytes[0] = UNIX as u8;
        Address { bytes, len: FAMILY as u8 }
    };

    /// The address that a call is given; an error number if there is none.
    pub fn read(at: u64, len: u64) -> Result<Address, i64> {
        let len = u64::from(len as u32);
        if len > LONGEST {
            return Err(error(errno::EINVAL));
        }
        let mut address = Address { bytes: [0; LONGEST as usize + 1], len: len as u8 };
        let got = recover::read(at, &mut address.bytes[..len as usize]);
        if got < len as usize { Err(error(errno::EFAULT)) } else { Ok(address) }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len.into()]
    }

    /// Its family; None if it is too short for one.
    pub fn family(&self) -> Option<u16> {
        (usize::from(self.len) >= FAMILY).then(|| u16::from_le_bytes([self.bytes[0], self.bytes[1]]))
    }

    /// It says no more than its family.
    pub fn is_family_only(&self) -> bool {
        usize::from(self.len) == FAMILY
    }

    /// The name of a socket of `AF_UNIX`, as Linux keeps it: a path ends with one zero. An error number if it is none.
    pub fn unix_name(self) -> Result<Address, i64> {
        let len = usize::from(self.len);
        if self.family() != Some(UNIX) || len <= FAMILY || len > LONGEST_UNIX {
            return Err(error(errno::EINVAL));
        }
        if self.is_abstract() {
            return Ok(self);
        }
        let end = self.bytes[FAMILY..].iter().position(|&byte| byte == 0).map_or(len, |text| FAMILY + text);
        let mut name = self;
        name.bytes[end..].fill(0);
        name.len = end as u8 + 1;
        Ok(name)
    }

    /// Whether the name of a socket of `AF_UNIX` is no path.
    pub fn is_abstract(&self) -> bool {
        self.bytes[FAMILY] == 0
    }

    /// Where the path is, which ends with a zero.
    pub fn path(&self) -> u64 {
        self.bytes[FAMILY..].as_ptr() as u64
    }
}
