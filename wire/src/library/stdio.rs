//! Functions of `stdio.h`.

use super::CallEffect::{
    Changes, ChangesPath, Looks, OpensStream, Prints, PrintsInto, PrintsIntoAtMost, PrintsList, PrintsListInto,
    PrintsListIntoAtMost, Reads, ReadsStream, Scans, ScansList, Updates, Writes, WritesDescriptor, WritesStream,
};
use super::Extent::{Argument, Bytes, Text};
use super::Hidden::{Locale, StandardInput, StaticResult};
use super::LibraryHeader;
use super::Outcome::{Determined, Outside, Stream};
use super::PointerFlow::{GivesAway, ReturnsBlock, ReturnsInside, StoresBlock, StoresUnknown};
use super::builder::{function, variable, variadic};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "stdio.h",
    rows: &[
        variadic("__asprintf_chk", 3).flows(&[StoresBlock(0)]),
        function("__fgets_chk", 4).flows(&[ReturnsInside(0)]),
        variadic("__fprintf_chk", 3).keeps_nothing(),
        function("__fread_chk", 5).flows(&[StoresUnknown(0)]),
        function("__getdelim", 4).flows(&[StoresBlock(0)]),
        function("__overflow", 2).keeps_nothing(),
        variadic("__printf_chk", 2).keeps_nothing(),
        variadic("__snprintf_chk", 5).keeps_nothing(),
        variadic("__sprintf_chk", 4).keeps_nothing(),
        function("__uflow", 1).keeps_nothing(),
        function("__vasprintf_chk", 4).flows(&[StoresBlock(0)]),
        function("__vfprintf_chk", 4).keeps_nothing().writes_elsewhere(),
        function("__vprintf_chk", 3).keeps_nothing().writes_elsewhere(),
        function("__vsnprintf_chk", 6).keeps_nothing().writes_elsewhere(),
        function("__vsprintf_chk", 5).keeps_nothing().writes_elsewhere(),
        variadic("asprintf", 2).announces(&[Prints(1), Writes(0, Bytes(8)), Looks(Locale)]).flows(&[StoresBlock(0)]),
        function("clearerr", 1).announces(&[ReadsStream(0)]).keeps_nothing(),
        variadic("dprintf", 2).announces(&[WritesDescriptor(0), Prints(1), Looks(Locale)]).keeps_nothing(),
        function("fclose", 1).announces(&[WritesStream(0)]).keeps_nothing().outcome(Outside),
        function("fdopen", 2).announces(&[Reads(1, Text)]).flows(&[ReturnsBlock]),
        function("feof", 1).announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
        function("ferror", 1).announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
        function("fflush", 1).announces(&[WritesStream(0)]).keeps_nothing().outcome(Stream(0)),
        function("fgetc", 1).announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
        function("fgetpos", 2).announces(&[ReadsStream(0), Writes(1, Bytes(16))]),
        function("fgets", 3)
            .announces(&[ReadsStream(2), Writes(0, Argument(1))])
            .flows(&[ReturnsInside(0)])
            .outcome(Outside),
        function("fileno", 1).harmless().keeps_nothing(),
        function("flockfile", 1).refused().keeps_nothing(),
        function("fopen", 2)
            .announces(&[Reads(0, Text), Reads(1, Text), OpensStream])
            .flows(&[ReturnsBlock])
            .outcome(Outside),
        function("fopen64", 2).announces(&[Reads(0, Text), Reads(1, Text), OpensStream]).flows(&[ReturnsBlock]),
        variadic("fprintf", 2)
            .announces(&[WritesStream(0), Prints(1), Looks(Locale)])
            .keeps_nothing()
            .outcome(Stream(0)),
        function("fputc", 2).announces(&[WritesStream(1)]).keeps_nothing().outcome(Stream(1)),
        function("fputc_unlocked", 2).keeps_nothing(),
        function("fputs", 2).modelled().keeps_nothing().outcome(Stream(1)),
        function("fputs_unlocked", 2).keeps_nothing(),
        function("fread", 4).modelled().flows(&[StoresUnknown(0)]).outcome(Outside),
        function("fread_unlocked", 4).flows(&[StoresUnknown(0)]),
        function("freopen", 3)
            .announces(&[Reads(0, Text), Reads(1, Text), ReadsStream(2), OpensStream])
            .flows(&[ReturnsBlock]),
        variadic("fscanf", 2).announces(&[ReadsStream(0), Scans(1), Looks(Locale)]).keeps_nothing(),
        function("fseek", 3).announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
        function("fseeko", 3).announces(&[ReadsStream(0)]).keeps_nothing(),
        function("fsetpos", 2).announces(&[ReadsStream(0), Reads(1, Bytes(16))]),
        function("ftell", 1).announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
        function("ftello", 1).announces(&[ReadsStream(0)]).keeps_nothing(),
        function("ftrylockfile", 1).refused(),
        function("funlockfile", 1).refused().keeps_nothing(),
        function("fwrite", 4).modelled().flows(&[GivesAway(0)]).outcome(Stream(3)),
        function("fwrite_unlocked", 4).flows(&[GivesAway(0)]),
        function("getc", 1).announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
        function("getchar", 0).announces(&[Updates(StandardInput)]).keeps_nothing(),
        function("getdelim", 4).modelled().flows(&[StoresBlock(0)]),
        function("getline", 3).modelled().flows(&[StoresBlock(0)]),
        function("pclose", 1).harmless().keeps_nothing(),
        function("perror", 1).announces(&[Reads(0, Text)]).keeps_nothing().outcome(Determined),
        function("popen", 2).refused().flows(&[ReturnsBlock]),
        variadic("printf", 1).announces(&[Prints(0), Looks(Locale)]).keeps_nothing().outcome(Determined),
        function("putc", 2).announces(&[WritesStream(1)]).keeps_nothing().outcome(Stream(1)),
        function("putc_unlocked", 2).keeps_nothing(),
        function("putchar", 1).harmless().keeps_nothing().outcome(Determined),
        function("putchar_unlocked", 1).harmless().keeps_nothing(),
        function("puts", 1).modelled().keeps_nothing().outcome(Determined),
        function("remove", 1).announces(&[Reads(0, Text), ChangesPath(0)]).keeps_nothing(),
        function("rename", 2).modelled().keeps_nothing(),
        function("rewind", 1).announces(&[ReadsStream(0)]).keeps_nothing(),
        variadic("scanf", 1).announces(&[Updates(StandardInput), Scans(0), Looks(Locale)]).keeps_nothing(),
        function("setbuf", 2).announces(&[ReadsStream(0)]),
        function("setvbuf", 4).announces(&[ReadsStream(0)]),
        variadic("snprintf", 3).announces(&[PrintsIntoAtMost, Looks(Locale)]).keeps_nothing().outcome(Determined),
        variadic("sprintf", 2).announces(&[PrintsInto, Looks(Locale)]).keeps_nothing().outcome(Determined),
        variadic("sscanf", 2).announces(&[Reads(0, Text), Scans(1), Looks(Locale)]).keeps_nothing(),
        variable("stderr").harmless(),
        variable("stdin").harmless(),
        variable("stdout").harmless(),
        function("tmpfile", 0).harmless().flows(&[ReturnsBlock]),
        function("tmpnam", 1).announces(&[Changes(StaticResult)]),
        function("ungetc", 2).announces(&[ReadsStream(1)]).keeps_nothing(),
        function("vasprintf", 3)
            .announces(&[PrintsList { format: 1, list: 2 }, Writes(0, Bytes(8)), Looks(Locale)])
            .flows(&[StoresBlock(0)]),
        function("vfprintf", 3)
            .announces(&[WritesStream(0), PrintsList { format: 1, list: 2 }, Looks(Locale)])
            .keeps_nothing()
            .writes_elsewhere(),
        function("vfscanf", 3).announces(&[ReadsStream(0), ScansList { format: 1, list: 2 }]),
        function("vprintf", 2)
            .announces(&[PrintsList { format: 0, list: 1 }, Looks(Locale)])
            .keeps_nothing()
            .writes_elsewhere(),
        function("vscanf", 2).announces(&[Updates(StandardInput), ScansList { format: 0, list: 1 }]),
        function("vsnprintf", 4).announces(&[PrintsListIntoAtMost, Looks(Locale)]).keeps_nothing().writes_elsewhere(),
        function("vsprintf", 3).announces(&[PrintsListInto, Looks(Locale)]).keeps_nothing().writes_elsewhere(),
        function("vsscanf", 3).announces(&[Reads(0, Text), ScansList { format: 1, list: 2 }]),
    ],
}];
