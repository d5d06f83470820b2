//! Output to streams of libstdc++. The standard streams may be used by threads at the same time; what they share is
//! looked at by nobody else.

use super::CallEffect::{Reads, ReadsString, Unannounced, UsesOutput};
use super::Extent::{Argument, Text};
use super::LibraryHeader;
use super::builder::{function, variable};
use super::reason::{A_FACET, A_VALUE};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "C++ streams",
    rows: &[
        function("_ZNKSt5ctypeIcE13_M_widen_initEv", "p").harmless().accesses(&[Unannounced(0, A_FACET)]),
        function("_ZNSo3putEc", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSo5flushEv", "p").announces(&[UsesOutput(0)]),
        function("_ZNSo5writeEPKcl", "pci").announces(&[UsesOutput(0), Reads(1, Argument(2))]),
        function("_ZNSo9_M_insertIPKvEERSoT_", "pc").announces(&[UsesOutput(0), Unannounced(1, A_VALUE)]),
        function("_ZNSo9_M_insertIbEERSoT_", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSo9_M_insertIdEERSoT_", "pd").announces(&[UsesOutput(0)]),
        function("_ZNSo9_M_insertIeEERSoT_", "pm").announces(&[UsesOutput(0)]),
        function("_ZNSo9_M_insertIlEERSoT_", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSo9_M_insertImEERSoT_", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSo9_M_insertIxEERSoT_", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSo9_M_insertIyEERSoT_", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSolsEDn", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSolsEPFRSoS_E", "pf").announces(&[UsesOutput(0)]),
        function("_ZNSolsEPFRSt8ios_baseS0_E", "pf").announces(&[UsesOutput(0)]),
        function("_ZNSolsEPFRSt9basic_iosIcSt11char_traitsIcEES3_E", "pf").announces(&[UsesOutput(0)]),
        function("_ZNSolsEPKv", "pc").announces(&[UsesOutput(0), Unannounced(1, A_VALUE)]),
        function("_ZNSolsEb", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSolsEd", "pd").announces(&[UsesOutput(0)]),
        function("_ZNSolsEe", "pm").announces(&[UsesOutput(0)]),
        function("_ZNSolsEf", "pd").announces(&[UsesOutput(0)]),
        function("_ZNSolsEi", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSolsEj", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSolsEl", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSolsEm", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSolsEs", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSolsEt", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSolsEx", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSolsEy", "pi").announces(&[UsesOutput(0)]),
        function("_ZNSt8ios_base4InitC1Ev", "p").harmless().accesses(&[Unannounced(0, A_VALUE)]),
        function("_ZNSt8ios_base4InitC2Ev", "p").harmless().accesses(&[Unannounced(0, A_VALUE)]),
        function("_ZNSt8ios_base4InitD1Ev", "p").harmless().accesses(&[Unannounced(0, A_VALUE)]),
        function("_ZNSt8ios_base4InitD2Ev", "p").harmless().accesses(&[Unannounced(0, A_VALUE)]),
        function("_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l", "pci")
            .announces(&[UsesOutput(0), Reads(1, Argument(2))]),
        variable("_ZSt4cerr").harmless(),
        variable("_ZSt4clog").harmless(),
        variable("_ZSt4cout").harmless(),
        function("_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", "p").announces(&[UsesOutput(0)]),
        function("_ZSt4endsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", "p").announces(&[UsesOutput(0)]),
        function("_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", "p").announces(&[UsesOutput(0)]),
        function("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "pc")
            .announces(&[UsesOutput(0), Reads(1, Text)]),
        function("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c", "pi").announces(&[UsesOutput(0)]),
        function("_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision", "pi")
            .announces(&[UsesOutput(0)]),
        function("_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw", "pi").announces(&[UsesOutput(0)]),
        function(
            "_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE",
            "pc",
        )
        .announces(&[UsesOutput(0), ReadsString(1)]),
    ],
}];
