//! Functions of `stdio.h`.

use super::CallEffect::{
    AsksDescriptor, AsksStream, ChangesIfNull, ChangesPath, ClosesStream, DropsBuffer, FlushesStreams, KeepsBuffer,
    Looks, OpensGrowingStream, OpensStream, OpensStreamOfMemory, Prints, PrintsInto, PrintsList, PrintsListInto, Reads,
    ReadsStream, ReopensStream, Scans, ScansList, Stores, Unannounced, Updates, UsesStandard, UsesStandardUnlocked,
    UsesStreamUnlocked, Writes, WritesDescriptor, WritesResult, WritesStream,
};
use super::Extent::{Bytes, Product, Text};
use super::Hidden::{ControllingTerminal, Environment, Locale, StandardInput, TemporaryName};
use super::InLoops::Operation;
use super::LibraryHeader;
use super::Outcome::{Determined, Outside, Stream};
use super::PointerFlow::{
    GivesAway, KeepsNumber, ReturnsBlock, ReturnsInside, ReturnsUnknown, StoresBlock, StoresUnknown,
};
use super::builder::{function, variable, variadic};
use super::stored::StoredExtent;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "stdio.h",
        rows: &[
            variadic("__asprintf_chk", "pic")
                .announces(&[Prints { format: 2, wide: false }, Writes(0, Bytes(8)), Looks(Locale)])
                .flows(&[StoresBlock(0)]),
            variadic("__dprintf_chk", "iic")
                .announces(&[WritesDescriptor(0), Prints { format: 2, wide: false }, Looks(Locale)])
                .keeps_nothing(),
            function("__fgets_chk", "piip")
                .announces(&[ReadsStream(3), Stores(0, StoredExtent::Line { stream: 3, limit: 2 })])
                .flows(&[ReturnsInside(0)])
                .outcome(Outside),
            function("__fgets_unlocked_chk", "piip")
                .announces(&[
                    UsesStreamUnlocked(3),
                    ReadsStream(3),
                    Stores(0, StoredExtent::Line { stream: 3, limit: 2 }),
                ])
                .flows(&[ReturnsInside(0)])
                .outcome(Outside),
            variadic("__fprintf_chk", "pic")
                .announces(&[WritesStream(0), Prints { format: 2, wide: false }, Looks(Locale)])
                .keeps_nothing()
                .outcome(Stream(0)),
            function("__fread_chk", "piiip")
                .announces(&[ReadsStream(4), Stores(0, StoredExtent::Taken { stream: 4, product: (2, 3) })])
                .flows(&[StoresUnknown(0)])
                .outcome(Outside),
            function("__fread_unlocked_chk", "piiip")
                .announces(&[
                    UsesStreamUnlocked(4),
                    ReadsStream(4),
                    Stores(0, StoredExtent::Taken { stream: 4, product: (2, 3) }),
                ])
                .flows(&[StoresUnknown(0)])
                .outcome(Outside),
            function("__getdelim", "ppip")
                .modelled()
                .accesses(&[
                    ReadsStream(3),
                    Reads(0, Bytes(8)),
                    Writes(0, Bytes(8)),
                    Reads(1, Bytes(8)),
                    Writes(1, Bytes(8)),
                    Unannounced(0, "\"the line, if its buffer is large enough\""),
                ])
                .flows(&[StoresBlock(0)]),
            function("__overflow", "pi").announces(&[UsesStreamUnlocked(0), WritesStream(0)]).flows(&[KeepsNumber(1)]),
            variadic("__printf_chk", "ic")
                .announces(&[UsesStandard("stdout"), Prints { format: 1, wide: false }, Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            variadic("__snprintf_chk", "piiic")
                .announces(&[PrintsInto { limit: Some(1), format: 4 }, Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            variadic("__sprintf_chk", "piic")
                .announces(&[PrintsInto { limit: None, format: 3 }, Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("__uflow", "p").announces(&[UsesStreamUnlocked(0), ReadsStream(0)]).keeps_nothing(),
            function("__vasprintf_chk", "picp")
                .announces(&[PrintsList { format: 2, list: 3, wide: false }, Writes(0, Bytes(8)), Looks(Locale)])
                .flows(&[StoresBlock(0)]),
            function("__vdprintf_chk", "iicp")
                .announces(&[WritesDescriptor(0), PrintsList { format: 2, list: 3, wide: false }, Looks(Locale)])
                .keeps_nothing()
                .writes_elsewhere(),
            function("__vfprintf_chk", "picp")
                .announces(&[WritesStream(0), PrintsList { format: 2, list: 3, wide: false }, Looks(Locale)])
                .keeps_nothing()
                .writes_elsewhere(),
            function("__vprintf_chk", "icp")
                .announces(&[UsesStandard("stdout"), PrintsList { format: 1, list: 2, wide: false }, Looks(Locale)])
                .keeps_nothing()
                .writes_elsewhere(),
            function("__vsnprintf_chk", "piiicp")
                .announces(&[PrintsListInto { limit: Some(1), format: 4, list: 5 }, Looks(Locale)])
                .keeps_nothing()
                .writes_elsewhere(),
            function("__vsprintf_chk", "piicp")
                .announces(&[PrintsListInto { limit: None, format: 3, list: 4 }, Looks(Locale)])
                .keeps_nothing()
                .writes_elsewhere(),
            variadic("asprintf", "pc")
                .announces(&[Prints { format: 1, wide: false }, Writes(0, Bytes(8)), Looks(Locale)])
                .flows(&[StoresBlock(0)]),
            function("clearerr", "p").announces(&[ReadsStream(0)]).keeps_nothing(),
            function("clearerr_unlocked", "p")
                .announces(&[UsesStreamUnlocked(0), ReadsStream(0)])
                .keeps_nothing()
                .outcome(Outside),
            function("ctermid", "p")
                .announces(&[Writes(0, Bytes(9)), ChangesIfNull(0, ControllingTerminal), WritesResult(Text)])
                .flows(&[ReturnsInside(0), ReturnsUnknown]),
            variadic("dprintf", "ic")
                .announces(&[WritesDescriptor(0), Prints { format: 1, wide: false }, Looks(Locale)])
                .keeps_nothing(),
            function("fclose", "p").announces(&[WritesStream(0), ClosesStream(0)]).keeps_nothing().outcome(Outside),
            function("fdopen", "ic").announces(&[Reads(1, Text), AsksDescriptor(0)]).flows(&[ReturnsBlock]),
            function("feof", "p").announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
            function("feof_unlocked", "p")
                .announces(&[UsesStreamUnlocked(0), ReadsStream(0)])
                .keeps_nothing()
                .outcome(Outside),
            function("ferror", "p").announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
            function("ferror_unlocked", "p")
                .announces(&[UsesStreamUnlocked(0), ReadsStream(0)])
                .keeps_nothing()
                .outcome(Outside),
            function("fflush", "p").announces(&[FlushesStreams(0)]).keeps_nothing().outcome(Stream(0)),
            function("fflush_unlocked", "p")
                .announces(&[UsesStreamUnlocked(0), FlushesStreams(0)])
                .keeps_nothing()
                .outcome(Stream(0)),
            function("fgetc", "p").announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
            function("fgetc_unlocked", "p")
                .announces(&[UsesStreamUnlocked(0), ReadsStream(0)])
                .keeps_nothing()
                .outcome(Outside),
            function("fgetpos", "pp").announces(&[ReadsStream(0), Writes(1, Bytes(16))]).flows(&[StoresUnknown(1)]),
            function("fgetpos64", "pp").announces(&[ReadsStream(0), Writes(1, Bytes(16))]).flows(&[StoresUnknown(1)]),
            function("fgets", "pip")
                .announces(&[ReadsStream(2), Stores(0, StoredExtent::Line { stream: 2, limit: 1 })])
                .flows(&[ReturnsInside(0)])
                .outcome(Outside),
            function("fgets_unlocked", "pip")
                .announces(&[
                    UsesStreamUnlocked(2),
                    ReadsStream(2),
                    Stores(0, StoredExtent::Line { stream: 2, limit: 1 }),
                ])
                .flows(&[ReturnsInside(0)])
                .outcome(Outside),
            function("fileno", "p").announces(&[AsksStream(0)]).keeps_nothing(),
            function("fileno_unlocked", "p").announces(&[AsksStream(0)]).keeps_nothing(),
            function("flockfile", "p").modelled().keeps_nothing().in_loops(Operation).accesses(&[AsksStream(0)]),
            function("fmemopen", "pic").announces(&[Reads(2, Text), OpensStreamOfMemory]),
            function("fopen", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text), OpensStream])
                .flows(&[ReturnsBlock])
                .outcome(Outside),
            function("fopen64", "cc").announces(&[Reads(0, Text), Reads(1, Text), OpensStream]).flows(&[ReturnsBlock]),
            variadic("fprintf", "pc")
                .announces(&[WritesStream(0), Prints { format: 1, wide: false }, Looks(Locale)])
                .keeps_nothing()
                .outcome(Stream(0)),
            function("fputc", "ip").announces(&[WritesStream(1)]).flows(&[KeepsNumber(0)]).outcome(Stream(1)),
            function("fputc_unlocked", "ip")
                .announces(&[UsesStreamUnlocked(1), WritesStream(1)])
                .flows(&[KeepsNumber(0)])
                .outcome(Stream(1)),
            function("fputs", "cp").announces(&[WritesStream(1), Reads(0, Text)]).keeps_nothing().outcome(Stream(1)),
            function("fputs_unlocked", "cp")
                .announces(&[UsesStreamUnlocked(1), WritesStream(1), Reads(0, Text)])
                .keeps_nothing()
                .outcome(Stream(1)),
            function("fread", "piip")
                .announces(&[ReadsStream(3), Stores(0, StoredExtent::Taken { stream: 3, product: (1, 2) })])
                .flows(&[StoresUnknown(0)])
                .outcome(Outside),
            function("fread_unlocked", "piip")
                .announces(&[
                    UsesStreamUnlocked(3),
                    ReadsStream(3),
                    Stores(0, StoredExtent::Taken { stream: 3, product: (1, 2) }),
                ])
                .flows(&[StoresUnknown(0)])
                .outcome(Outside),
            function("freopen", "ccp")
                .announces(&[Reads(0, Text), Reads(1, Text), ReadsStream(2), DropsBuffer(2), ReopensStream])
                .flows(&[ReturnsInside(2)]),
            function("freopen64", "ccp")
                .announces(&[Reads(0, Text), Reads(1, Text), ReadsStream(2), DropsBuffer(2), ReopensStream])
                .flows(&[ReturnsInside(2)]),
            variadic("fscanf", "pc")
                .announces(&[ReadsStream(0), Scans { format: 1, wide: false }, Looks(Locale)])
                .keeps_nothing(),
            function("fseek", "pii").announces(&[ReadsStream(0)]).flows(&[KeepsNumber(1)]).outcome(Outside),
            function("fseeko", "pii").announces(&[ReadsStream(0)]).flows(&[KeepsNumber(1)]),
            function("fseeko64", "pii").announces(&[ReadsStream(0)]).flows(&[KeepsNumber(1)]),
            function("fsetpos", "pc").announces(&[ReadsStream(0), Reads(1, Bytes(16))]).flows(&[GivesAway(1)]),
            function("fsetpos64", "pc").announces(&[ReadsStream(0), Reads(1, Bytes(16))]).flows(&[GivesAway(1)]),
            function("ftell", "p").announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
            function("ftello", "p").announces(&[ReadsStream(0)]).keeps_nothing(),
            function("ftello64", "p").announces(&[ReadsStream(0)]).keeps_nothing(),
            function("ftrylockfile", "p").modelled().keeps_nothing().in_loops(Operation).accesses(&[AsksStream(0)]),
            function("funlockfile", "p").modelled().keeps_nothing().in_loops(Operation).accesses(&[AsksStream(0)]),
            function("fwrite", "ciip")
                .announces(&[WritesStream(3), Reads(0, Product(1, 2))])
                .flows(&[GivesAway(0)])
                .outcome(Stream(3)),
            function("fwrite_unlocked", "ciip")
                .announces(&[UsesStreamUnlocked(3), WritesStream(3), Reads(0, Product(1, 2))])
                .flows(&[GivesAway(0)])
                .outcome(Stream(3)),
            function("getc", "p").announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
            function("getc_unlocked", "p")
                .announces(&[UsesStreamUnlocked(0), ReadsStream(0)])
                .keeps_nothing()
                .outcome(Outside),
            function("getchar", "").announces(&[UsesStandard("stdin"), Updates(StandardInput)]).keeps_nothing(),
            function("getchar_unlocked", "")
                .announces(&[UsesStandard("stdin"), UsesStandardUnlocked("stdin"), Updates(StandardInput)])
                .keeps_nothing()
                .outcome(Outside),
            function("getdelim", "ppip").modelled().flows(&[StoresBlock(0)]).accesses(&[
                ReadsStream(3),
                Reads(0, Bytes(8)),
                Writes(0, Bytes(8)),
                Reads(1, Bytes(8)),
                Writes(1, Bytes(8)),
                Unannounced(0, "\"the line, if its buffer is large enough\""),
            ]),
            function("getline", "ppp").modelled().flows(&[StoresBlock(0)]).accesses(&[
                ReadsStream(2),
                Reads(0, Bytes(8)),
                Writes(0, Bytes(8)),
                Reads(1, Bytes(8)),
                Writes(1, Bytes(8)),
                Unannounced(0, "\"the line, if its buffer is large enough\""),
            ]),
            function("getw", "p").announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
            function("open_memstream", "pp").announces(&[OpensGrowingStream]),
            function("pclose", "p")
                .harmless()
                .accesses(&[Unannounced(0, "\"there is none, as popen is not modelled\"")])
                .keeps_nothing(),
            function("perror", "c")
                .announces(&[UsesStandard("stderr"), Reads(0, Text)])
                .keeps_nothing()
                .outcome(Determined),
            function("popen", "cc").refused().flows(&[ReturnsBlock]),
            variadic("printf", "c")
                .announces(&[UsesStandard("stdout"), Prints { format: 0, wide: false }, Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("putc", "ip").announces(&[WritesStream(1)]).flows(&[KeepsNumber(0)]).outcome(Stream(1)),
            function("putc_unlocked", "ip")
                .announces(&[UsesStreamUnlocked(1), WritesStream(1)])
                .flows(&[KeepsNumber(0)])
                .outcome(Stream(1)),
            function("putchar", "i").announces(&[UsesStandard("stdout")]).keeps_nothing().outcome(Determined),
            function("putchar_unlocked", "i")
                .announces(&[UsesStandard("stdout"), UsesStandardUnlocked("stdout")])
                .keeps_nothing()
                .outcome(Determined),
            function("puts", "c")
                .announces(&[UsesStandard("stdout"), Reads(0, Text)])
                .keeps_nothing()
                .outcome(Determined),
            function("putw", "ip").announces(&[WritesStream(1)]).flows(&[KeepsNumber(0)]).outcome(Stream(1)),
            function("remove", "c").announces(&[Reads(0, Text), ChangesPath(0)]).keeps_nothing(),
            function("rename", "cc")
                .modelled()
                .flows(&[GivesAway(0), GivesAway(1)])
                .accesses(&[Reads(0, Text), Reads(1, Text)]),
            function("renameat", "icic")
                .modelled()
                .flows(&[GivesAway(1), GivesAway(3)])
                .accesses(&[Reads(1, Text), Reads(3, Text)]),
            function("renameat2", "icici").refused().keeps_nothing(),
            function("rewind", "p").announces(&[ReadsStream(0)]).keeps_nothing(),
            variadic("scanf", "c")
                .announces(&[
                    UsesStandard("stdin"),
                    Updates(StandardInput),
                    Scans { format: 0, wide: false },
                    Looks(Locale),
                ])
                .keeps_nothing(),
            function("setbuf", "pp")
                .announces(&[ReadsStream(0), KeepsBuffer { stream: 0, buffer: 1, mode: None, size: None }]),
            function("setbuffer", "ppi")
                .announces(&[ReadsStream(0), KeepsBuffer { stream: 0, buffer: 1, mode: None, size: Some(2) }]),
            function("setlinebuf", "p").announces(&[ReadsStream(0)]).keeps_nothing(),
            function("setvbuf", "ppii")
                .announces(&[ReadsStream(0), KeepsBuffer { stream: 0, buffer: 1, mode: Some(2), size: Some(3) }]),
            variadic("snprintf", "pic")
                .announces(&[PrintsInto { limit: Some(1), format: 2 }, Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            variadic("sprintf", "pc")
                .announces(&[PrintsInto { limit: None, format: 1 }, Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            variadic("sscanf", "cc")
                .announces(&[Reads(0, Text), Scans { format: 1, wide: false }, Looks(Locale)])
                .keeps_nothing(),
            variable("stderr").harmless(),
            variable("stdin").harmless(),
            variable("stdout").harmless(),
            function("tempnam", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text), Looks(Environment)])
                .flows(&[ReturnsBlock]),
            function("tmpfile", "").harmless().flows(&[ReturnsBlock]),
            function("tmpfile64", "").harmless().flows(&[ReturnsBlock]),
            function("tmpnam", "p")
                .announces(&[Writes(0, Bytes(20)), ChangesIfNull(0, TemporaryName), WritesResult(Text)])
                .flows(&[ReturnsInside(0), ReturnsUnknown]),
            function("ungetc", "ip").announces(&[ReadsStream(1)]).flows(&[KeepsNumber(0)]),
            function("vasprintf", "pcp")
                .announces(&[PrintsList { format: 1, list: 2, wide: false }, Writes(0, Bytes(8)), Looks(Locale)])
                .flows(&[StoresBlock(0)]),
            function("vdprintf", "icp")
                .announces(&[WritesDescriptor(0), PrintsList { format: 1, list: 2, wide: false }, Looks(Locale)])
                .keeps_nothing()
                .writes_elsewhere(),
            function("vfprintf", "pcp")
                .announces(&[WritesStream(0), PrintsList { format: 1, list: 2, wide: false }, Looks(Locale)])
                .keeps_nothing()
                .writes_elsewhere(),
            function("vfscanf", "pcp").announces(&[ReadsStream(0), ScansList { format: 1, list: 2, wide: false }]),
            function("vprintf", "cp")
                .announces(&[UsesStandard("stdout"), PrintsList { format: 0, list: 1, wide: false }, Looks(Locale)])
                .keeps_nothing()
                .writes_elsewhere(),
            function("vscanf", "cp").announces(&[
                UsesStandard("stdin"),
                Updates(StandardInput),
                ScansList { format: 0, list: 1, wide: false },
            ]),
            function("vsnprintf", "picp")
                .announces(&[PrintsListInto { limit: Some(1), format: 2, list: 3 }, Looks(Locale)])
                .keeps_nothing()
                .writes_elsewhere(),
            function("vsprintf", "pcp")
                .announces(&[PrintsListInto { limit: None, format: 1, list: 2 }, Looks(Locale)])
                .keeps_nothing()
                .writes_elsewhere(),
            function("vsscanf", "ccp").announces(&[Reads(0, Text), ScansList { format: 1, list: 2, wide: false }]),
        ],
    },
    LibraryHeader {
        name: "stdio_ext.h",
        rows: &[
            function("__fbufsize", "p").announces(&[UsesStreamUnlocked(0)]).keeps_nothing(),
            function("__flbf", "p").announces(&[UsesStreamUnlocked(0)]).keeps_nothing(),
            function("__fpending", "p").announces(&[UsesStreamUnlocked(0)]).keeps_nothing(),
            function("__fpurge", "p").announces(&[UsesStreamUnlocked(0)]).keeps_nothing(),
            function("__freadable", "p").announces(&[UsesStreamUnlocked(0)]).keeps_nothing(),
            function("__freading", "p").announces(&[UsesStreamUnlocked(0)]).keeps_nothing(),
            function("__fsetlocking", "pi").refused().keeps_nothing(),
            function("__fwritable", "p").announces(&[UsesStreamUnlocked(0)]).keeps_nothing(),
            function("__fwriting", "p").announces(&[UsesStreamUnlocked(0)]).keeps_nothing(),
        ],
    },
];
