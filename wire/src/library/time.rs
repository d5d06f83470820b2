//! Functions of `time.h`.

use super::CallEffect::{Changes, Looks, Reads, SetsTimeZone, Stores, Unannounced, UsesLocale, Writes};
use super::Extent::{Bytes, Text};
use super::Hidden::{BrokenDownTime, Environment, Locale, TimeText};
use super::InLoops::Sleeps;
use super::LibraryHeader;
use super::Outcome::Varies;
use super::PointerFlow::{GivesAway, ReturnsInside, ReturnsUnknown, StoresUnknown};
use super::builder::{function, pure, variable};
use super::reason::{A_VALUE, NEVER_INTERRUPTED};
use super::stored::StoredExtent;

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "time.h",
    rows: &[
        function("asctime", "c")
            .modelled()
            .flows(&[GivesAway(0), ReturnsUnknown])
            .accesses(&[Reads(0, Bytes(56)), Changes(TimeText)]),
        function("asctime_r", "cp").announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(26))]).flows(&[ReturnsInside(1)]),
        function("clock", "").harmless().keeps_nothing().outcome(Varies),
        function("clock_getcpuclockid", "ip").announces(&[Writes(1, Bytes(4))]).keeps_nothing(),
        function("clock_getres", "ip").announces(&[Writes(1, Bytes(16))]).keeps_nothing(),
        function("clock_gettime", "ip").announces(&[Writes(1, Bytes(16))]).keeps_nothing().outcome(Varies),
        function("clock_nanosleep", "iicp")
            .cancellation_point()
            .modelled()
            .keeps_nothing()
            .in_loops(Sleeps)
            .accesses(&[Reads(2, Bytes(16)), Unannounced(3, NEVER_INTERRUPTED)]),
        function("clock_settime", "ic").refused().keeps_nothing(),
        function("ctime", "c").modelled().flows(&[GivesAway(0), ReturnsUnknown]).accesses(&[
            Reads(0, Bytes(8)),
            Changes(BrokenDownTime),
            Changes(TimeText),
        ]),
        function("ctime_r", "cp")
            .announces(&[Reads(0, Bytes(8)), Writes(1, Bytes(26)), SetsTimeZone, Looks(Environment)])
            .flows(&[ReturnsInside(1)]),
        variable("daylight").harmless(),
        pure("difftime", "ii"),
        pure("dysize", "i"),
        function("gmtime", "c")
            .modelled()
            .flows(&[GivesAway(0), ReturnsUnknown])
            .accesses(&[Reads(0, Bytes(8)), Changes(BrokenDownTime)]),
        function("gmtime_r", "cp").announces(&[Reads(0, Bytes(8)), Writes(1, Bytes(56))]).flows(&[
            GivesAway(0),
            ReturnsInside(1),
            StoresUnknown(1),
        ]),
        function("localtime", "c")
            .modelled()
            .flows(&[GivesAway(0), ReturnsUnknown])
            .accesses(&[Reads(0, Bytes(8)), Changes(BrokenDownTime)]),
        function("localtime_r", "cp").announces(&[Reads(0, Bytes(8)), Writes(1, Bytes(56)), SetsTimeZone]).flows(&[
            GivesAway(0),
            ReturnsInside(1),
            StoresUnknown(1),
        ]),
        function("mktime", "p").announces(&[Reads(0, Bytes(56)), Writes(0, Bytes(56)), SetsTimeZone]).flows(&[
            GivesAway(0),
            StoresUnknown(0),
            ReturnsUnknown,
        ]),
        function("nanosleep", "cp")
            .cancellation_point()
            .modelled()
            .keeps_nothing()
            .outcome(Varies)
            .in_loops(Sleeps)
            .accesses(&[Reads(0, Bytes(16)), Unannounced(1, NEVER_INTERRUPTED)]),
        function("strftime", "picc")
            .announces(&[
                Reads(2, Text),
                Reads(3, Bytes(56)),
                Stores(0, StoredExtent::Fitted { limit: 1 }),
                Looks(Locale),
                SetsTimeZone,
            ])
            .flows(&[GivesAway(3), StoresUnknown(0)]),
        function("strftime_l", "piccp")
            .announces(&[
                Reads(2, Text),
                Reads(3, Bytes(56)),
                Stores(0, StoredExtent::Fitted { limit: 1 }),
                UsesLocale(4),
                SetsTimeZone,
            ])
            .flows(&[GivesAway(3), StoresUnknown(0)]),
        function("strptime", "ccp")
            .announces(&[Reads(0, Text), Reads(1, Text), Writes(2, Bytes(56)), Looks(Locale)])
            .flows(&[GivesAway(0), ReturnsInside(0), StoresUnknown(2)]),
        function("strptime_l", "ccpp")
            .announces(&[Reads(0, Text), Reads(1, Text), Writes(2, Bytes(56)), UsesLocale(3)])
            .flows(&[GivesAway(0), ReturnsInside(0), StoresUnknown(2)]),
        function("time", "p").announces(&[Writes(0, Bytes(8))]).keeps_nothing().outcome(Varies),
        function("timegm", "p").announces(&[Reads(0, Bytes(56)), Writes(0, Bytes(56))]).flows(&[
            GivesAway(0),
            StoresUnknown(0),
            ReturnsUnknown,
        ]),
        function("timelocal", "p").announces(&[Reads(0, Bytes(56)), Writes(0, Bytes(56)), SetsTimeZone]).flows(&[
            GivesAway(0),
            StoresUnknown(0),
            ReturnsUnknown,
        ]),
        function("timer_create", "ipp").modelled().accesses(&[Reads(1, Bytes(64)), Writes(2, Bytes(8))]),
        function("timer_delete", "p").modelled().keeps_nothing().accesses(&[Unannounced(0, A_VALUE)]),
        function("timer_getoverrun", "p").modelled().keeps_nothing().accesses(&[Unannounced(0, A_VALUE)]),
        function("timer_gettime", "pp")
            .modelled()
            .keeps_nothing()
            .outcome(Varies)
            .accesses(&[Unannounced(0, A_VALUE), Writes(1, Bytes(32))]),
        function("timer_settime", "picp").modelled().keeps_nothing().outcome(Varies).accesses(&[
            Unannounced(0, A_VALUE),
            Reads(2, Bytes(32)),
            Writes(3, Bytes(32)),
        ]),
        function("timespec_get", "pi").announces(&[Writes(0, Bytes(16))]).keeps_nothing(),
        function("timespec_getres", "pi").announces(&[Writes(0, Bytes(16))]).keeps_nothing(),
        variable("timezone").harmless(),
        variable("tzname").harmless(),
        function("tzset", "").announces(&[Looks(Environment), SetsTimeZone]).keeps_nothing(),
    ],
}];
