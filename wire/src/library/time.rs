//! Functions of `time.h`.

use super::CallEffect::{Changes, Looks, Reads, Writes};
use super::Extent::{Argument, Bytes, Text};
use super::Hidden::{BrokenDownTime, Environment, Locale};
use super::InLoops::Sleeps;
use super::LibraryHeader;
use super::Outcome::Varies;
use super::PointerFlow::ReturnsUnknown;
use super::builder::{function, variable};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "time.h",
    rows: &[
        function("asctime", 1).modelled().flows(&[ReturnsUnknown]),
        function("asctime_r", 2).announces(&[Reads(0, Bytes(56)), Writes(1, Bytes(26))]),
        function("clock", 0).harmless().keeps_nothing().outcome(Varies),
        function("clock_getres", 2).announces(&[Writes(1, Bytes(16))]).keeps_nothing(),
        function("clock_gettime", 2).announces(&[Writes(1, Bytes(16))]).keeps_nothing().outcome(Varies),
        function("clock_nanosleep", 4).modelled().keeps_nothing().in_loops(Sleeps),
        function("ctime", 1).modelled().flows(&[ReturnsUnknown]),
        function("ctime_r", 2).announces(&[Reads(0, Bytes(8)), Writes(1, Bytes(26))]),
        variable("daylight").harmless(),
        function("difftime", 2).harmless().keeps_nothing(),
        function("gmtime", 1).modelled().flows(&[ReturnsUnknown]),
        function("gmtime_r", 2).announces(&[Reads(0, Bytes(8)), Writes(1, Bytes(56))]),
        function("localtime", 1).modelled().flows(&[ReturnsUnknown]),
        function("localtime_r", 2).announces(&[Reads(0, Bytes(8)), Writes(1, Bytes(56))]),
        function("mktime", 1).announces(&[Reads(0, Bytes(56)), Writes(0, Bytes(56))]).keeps_nothing(),
        function("nanosleep", 2).modelled().keeps_nothing().outcome(Varies).in_loops(Sleeps),
        function("strftime", 4)
            .announces(&[Reads(2, Text), Reads(3, Bytes(56)), Writes(0, Argument(1)), Looks(Locale)])
            .keeps_nothing(),
        function("time", 1).announces(&[Writes(0, Bytes(8))]).keeps_nothing().outcome(Varies),
        function("timegm", 1).announces(&[Reads(0, Bytes(56)), Writes(0, Bytes(56))]),
        function("timer_create", 3).refused(),
        function("timer_settime", 4).harmless(),
        function("timespec_get", 2).announces(&[Writes(0, Bytes(16))]),
        variable("timezone").harmless(),
        variable("tzname").harmless(),
        function("tzset", 0).announces(&[Looks(Environment), Changes(BrokenDownTime)]),
    ],
}];
