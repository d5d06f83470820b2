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
/// `AF_INET`
pub const INTERNET: u16 = 2;
/// `AF_INET6`
pub const INTERNET_6: u16 = 10;

/// Ports that sockets get which are not given any: each has one of its own, from this one on.
const FIRST_FREE_PORT: u16 = 50_000;
const LOOPBACK: [u8; 4] = [127, 0, 0, 1];

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

    /// The name of a socket of TCP without the parts that mean nothing here; an error number if it is too short, or of
    /// another family.
    pub fn internet_name(self, family: u16) -> Result<Address, i64> {
        let (least, len) = if family == INTERNET { (16, 16) } else { (24, 28) };
        if usize::from(self.len) < least {
            return Err(error(errno::EINVAL));
        }
        if self.family() != Some(family) {
            return Err(error(errno::EAFNOSUPPORT));
        }
        let mut name = Address::internet(family, self.port());
        name.host_mut().copy_from_slice(self.host(family));
        debug_assert!(usize::from(name.len) == len);
        Ok(name)
    }

    /// Any address of this family, with a port.
    pub fn internet(family: u16, port: u16) -> Address {
        let mut name = Address { bytes: [0; LONGEST as usize + 1], len: if family == INTERNET { 16 } else { 28 } };
        name.bytes[0] = family as u8;
        name.bytes[2..4].copy_from_slice(&port.to_be_bytes());
        name
    }

    /// The same port at the loopback.
    pub fn at_loopback(self) -> Address {
        let mut name = self;
        let host = name.host_mut();
        if host.len() == LOOPBACK.len() {
            host.copy_from_slice(&LOOPBACK);
        } else {
            host[15] = 1;
        }
        name
    }

    fn host(&self, family: u16) -> &[u8] {
        if family == INTERNET { &self.bytes[4..8] } else { &self.bytes[8..24] }
    }

    fn host_mut(&mut self) -> &mut [u8] {
        if self.family() == Some(INTERNET) { &mut self.bytes[4..8] } else { &mut self.bytes[8..24] }
    }

    /// Whether it stands for all addresses of its family.
    pub fn is_any(&self) -> bool {
        self.family().is_some_and(|family| self.host(family).iter().all(|&byte| byte == 0))
    }

    /// Whether it is the address of the loopback.
    pub fn is_loopback(&self) -> bool {
        *self == self.at_loopback()
    }

    /// The port.
    pub fn port(&self) -> u16 {
        u16::from_be_bytes([self.bytes[2], self.bytes[3]])
    }

    /// The same host, with the port that a socket has which is not given any.
    pub fn with_free_port(self, channel: u8) -> Address {
        let mut name = self;
        name.bytes[2..4].copy_from_slice(&(FIRST_FREE_PORT + u16::from(channel)).to_be_bytes());
        name
    }

    /// The channel of the socket that has this port if it is not given any.
    pub fn has_port_of(&self) -> Option<u8> {
        self.port().checked_sub(FIRST_FREE_PORT).and_then(|channel| u8::try_from(channel).ok())
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
