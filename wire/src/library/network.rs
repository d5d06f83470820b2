//! Addresses of networks, and terminals: `arpa/inet.h`, `netdb.h`, `netinet/in.h`, `termios.h`.

use super::CallEffect::{AsksDescriptor, Changes, Looks, Reads, Stores, Unannounced, Updates, Writes, WritesResult};
use super::Extent::{Address, Argument, Bytes, Text};
use super::Hidden::{Hosts, Locale, NameServices, Protocols, Services};
use super::LibraryHeader;
use super::Outcome::Determined;
use super::PointerFlow::{
    KeepsNumber, ReturnsInside, ReturnsThreadVariable, ReturnsUnknown, StoresBlock, StoresInside,
};
use super::builder::{function, pure, variable};
use super::reason::THE_RESULT;
use super::stored::StoredExtent;

/// Size of a `struct protoent`.
const PROTOCOL: u32 = 24;
/// Size of a `struct servent`.
const SERVICE: u32 = 32;
/// Size of a `struct termios`.
const SETTINGS: u32 = 60;

const NO_TERMINAL: &str = "no descriptor is a terminal while a program is explored";

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "arpa/inet.h",
        rows: &[
            pure("htonl", "i"),
            pure("htons", "i"),
            function("inet_addr", "c").announces(&[Reads(0, Text)]).keeps_nothing().outcome(Determined),
            function("inet_aton", "cp")
                .announces(&[Reads(0, Text), Writes(1, Bytes(4))])
                .keeps_nothing()
                .outcome(Determined),
            pure("inet_lnaof", "i"),
            pure("inet_makeaddr", "ii"),
            pure("inet_netof", "i"),
            function("inet_network", "c").announces(&[Reads(0, Text)]).keeps_nothing().outcome(Determined),
            function("inet_ntoa", "i").announces(&[WritesResult(Text)]).flows(&[ReturnsUnknown]),
            function("inet_ntop", "icpi")
                .announces(&[Reads(1, Address(0)), Unannounced(2, THE_RESULT), WritesResult(Text)])
                .flows(&[ReturnsInside(2)])
                .outcome(Determined),
            function("inet_pton", "icp")
                .announces(&[Reads(1, Text), Stores(2, StoredExtent::Address { family: 0 })])
                .keeps_nothing()
                .outcome(Determined),
            pure("ntohl", "i"),
            pure("ntohs", "i"),
        ],
    },
    LibraryHeader {
        name: "netdb.h",
        rows: &[
            function("__h_errno_location", "").harmless().flows(&[ReturnsThreadVariable]).outcome(Determined),
            function("endprotoent", "").announces(&[Changes(Protocols)]).keeps_nothing(),
            function("endservent", "").announces(&[Changes(Services)]).keeps_nothing(),
            function("freeaddrinfo", "p").announces(&[Writes(0, Bytes(48))]).keeps_nothing(),
            function("gai_strerror", "i").harmless().flows(&[ReturnsUnknown]).outcome(Determined),
            function("getaddrinfo", "cccp")
                .announces(&[
                    Reads(0, Text),
                    Reads(1, Text),
                    Reads(2, Bytes(48)),
                    Writes(3, Bytes(8)),
                    Looks(Locale),
                    Updates(NameServices),
                ])
                .flows(&[StoresBlock(3)]),
            function("gethostbyname", "c")
                .announces(&[Reads(0, Text), Changes(Hosts), WritesResult(Bytes(32))])
                .flows(&[ReturnsUnknown]),
            function("getprotobyname", "c")
                .announces(&[Reads(0, Text), Changes(Protocols), WritesResult(Bytes(PROTOCOL))])
                .flows(&[ReturnsUnknown]),
            function("getprotobyname_r", "cppip")
                .announces(&[
                    Reads(0, Text),
                    Writes(1, Bytes(PROTOCOL)),
                    Writes(2, Argument(3)),
                    Writes(4, Bytes(8)),
                    Updates(NameServices),
                ])
                .flows(&[StoresInside { of: 2, at: 1 }, StoresInside { of: 2, at: 2 }, StoresInside { of: 1, at: 4 }]),
            function("getprotobynumber", "i")
                .announces(&[Changes(Protocols), WritesResult(Bytes(PROTOCOL))])
                .flows(&[ReturnsUnknown]),
            function("getprotobynumber_r", "ippip")
                .announces(&[
                    Writes(1, Bytes(PROTOCOL)),
                    Writes(2, Argument(3)),
                    Writes(4, Bytes(8)),
                    Updates(NameServices),
                ])
                .flows(&[StoresInside { of: 2, at: 1 }, StoresInside { of: 2, at: 2 }, StoresInside { of: 1, at: 4 }]),
            function("getprotoent", "")
                .announces(&[Changes(Protocols), WritesResult(Bytes(PROTOCOL))])
                .flows(&[ReturnsUnknown]),
            function("getservbyname", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text), Changes(Services), WritesResult(Bytes(SERVICE))])
                .flows(&[ReturnsUnknown]),
            function("getservbyname_r", "ccppip")
                .announces(&[
                    Reads(0, Text),
                    Reads(1, Text),
                    Writes(2, Bytes(SERVICE)),
                    Writes(3, Argument(4)),
                    Writes(5, Bytes(8)),
                    Updates(NameServices),
                ])
                .flows(&[StoresInside { of: 3, at: 2 }, StoresInside { of: 3, at: 3 }, StoresInside { of: 2, at: 5 }]),
            function("getservbyport", "ic")
                .announces(&[Reads(1, Text), Changes(Services), WritesResult(Bytes(SERVICE))])
                .flows(&[ReturnsUnknown]),
            function("getservbyport_r", "icppip")
                .announces(&[
                    Reads(1, Text),
                    Writes(2, Bytes(SERVICE)),
                    Writes(3, Argument(4)),
                    Writes(5, Bytes(8)),
                    Updates(NameServices),
                ])
                .flows(&[StoresInside { of: 3, at: 2 }, StoresInside { of: 3, at: 3 }, StoresInside { of: 2, at: 5 }]),
            function("getservent", "")
                .announces(&[Changes(Services), WritesResult(Bytes(SERVICE))])
                .flows(&[ReturnsUnknown]),
            function("hstrerror", "i").harmless().flows(&[ReturnsUnknown]).outcome(Determined),
            function("setprotoent", "i").announces(&[Changes(Protocols)]).keeps_nothing(),
            function("setservent", "i").announces(&[Changes(Services)]).keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "netinet/in.h",
        rows: &[variable("in6addr_any").harmless(), variable("in6addr_loopback").harmless()],
    },
    LibraryHeader {
        name: "termios.h",
        rows: &[
            function("cfgetispeed", "c").announces(&[Reads(0, Bytes(SETTINGS))]).keeps_nothing().outcome(Determined),
            function("cfgetospeed", "c").announces(&[Reads(0, Bytes(SETTINGS))]).keeps_nothing().outcome(Determined),
            function("cfmakeraw", "p").announces(&[Writes(0, Bytes(SETTINGS))]).keeps_nothing().outcome(Determined),
            function("cfsetispeed", "pi").announces(&[Writes(0, Bytes(SETTINGS))]).flows(&[KeepsNumber(1)]),
            function("cfsetospeed", "pi").announces(&[Writes(0, Bytes(SETTINGS))]).flows(&[KeepsNumber(1)]),
            function("cfsetspeed", "pi").announces(&[Writes(0, Bytes(SETTINGS))]).flows(&[KeepsNumber(1)]),
            function("tcdrain", "i").cancellation_point().announces(&[AsksDescriptor(0)]).keeps_nothing(),
            function("tcflush", "ii").announces(&[AsksDescriptor(0)]).keeps_nothing(),
            function("tcgetattr", "ip").announces(&[AsksDescriptor(0), Unannounced(1, NO_TERMINAL)]).keeps_nothing(),
            function("tcsetattr", "iic").announces(&[Reads(2, Bytes(SETTINGS)), AsksDescriptor(0)]).keeps_nothing(),
        ],
    },
];
