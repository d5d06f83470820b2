//! Data that calls pass to what is not the program's memory (files, streams, names, state of the library) and take from
//! there. An address that was written down there can come back in another call, in another thread.

use super::{ArgumentKind, Arguments, CallEffect, LibraryRow};

impl LibraryRow {
    /// Whether a call may leave data of its arguments where other calls find them.
    pub fn leaves_data(&self) -> bool {
        self.effects.iter().any(|effect| effect.outside_data() == OutsideData::Left)
    }

    /// Whether a call may write to what this argument points to, as far as the prototype says.
    pub fn may_write(&self, argument: usize) -> bool {
        match self.arguments {
            Arguments::Fixed(signature) | Arguments::Variadic(signature) => {
                signature.kinds().nth(argument) != Some(ArgumentKind::Constant)
            }
            Arguments::Variable | Arguments::Family => true,
        }
    }

    /// Whether a call may bring data that other calls have left.
    pub fn brings_data(&self) -> bool {
        self.effects.iter().any(|effect| effect.outside_data() == OutsideData::Brought)
    }
}

/// Where data of a call go to, or come from, beside the program's memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OutsideData {
    /// What the arguments say, or the text that they point to, is kept: as the contents or the name of a file, or as
    /// state of the library.
    Left,
    /// The call reads a stream or a descriptor, or asks about it or about a file: its size is a number as well.
    Brought,
    /// Neither.
    Neither,
}

impl CallEffect {
    fn outside_data(&self) -> OutsideData {
        match self {
            CallEffect::UsesStandard("stdin") => OutsideData::Brought,
            CallEffect::ReadsStream(_)
            | CallEffect::ReadsDescriptor(_)
            | CallEffect::AsksDescriptor(_)
            | CallEffect::LooksUpPath(_)
            | CallEffect::LooksUpPathAt
            | CallEffect::AsksStatus { .. }
            | CallEffect::LooksAtFolder
            | CallEffect::AsksName
            | CallEffect::UsesPriority { changes: false, .. }
            | CallEffect::CopiesFile { .. }
            | CallEffect::ControlsDevice => OutsideData::Brought,
            CallEffect::UsesStandard(_)
            | CallEffect::WritesStream(_)
            | CallEffect::WritesDescriptor(_)
            | CallEffect::ChangesPath(_)
            | CallEffect::ChangesSharedMemory(_)
            | CallEffect::ChangesPathAt
            | CallEffect::Opens
            | CallEffect::OpensAt
            | CallEffect::OpensStream
            | CallEffect::ReopensStream
            | CallEffect::Creates
            | CallEffect::OpensSharedMemory
            | CallEffect::MakesTemporary
            | CallEffect::NamesThread
            | CallEffect::UsesPriority { changes: true, .. }
            | CallEffect::ChangesFolder
            | CallEffect::OpensGrowingStream
            | CallEffect::OpensStreamOfMemory
            | CallEffect::KeepsVariable(_)
            | CallEffect::Changes(_)
            | CallEffect::ChangesIfNull(..)
            | CallEffect::SetsLocale
            | CallEffect::Updates(_)
            | CallEffect::ControlsDescriptor => OutsideData::Left,
            CallEffect::Reads(..)
            | CallEffect::Writes(..)
            | CallEffect::Stores(..)
            | CallEffect::Compares { .. }
            | CallEffect::Appends { .. }
            | CallEffect::WritesVariable(..)
            | CallEffect::ReadsVariable(..)
            | CallEffect::WritesResult(_)
            | CallEffect::Converts { .. }
            | CallEffect::UsesShiftState(_)
            | CallEffect::TakesOption { .. }
            | CallEffect::TakesSuboption
            | CallEffect::UsesOutput(_)
            | CallEffect::ReadsString(_)
            | CallEffect::DrawsRandom(_)
            | CallEffect::Operates(_)
            | CallEffect::Unannounced(..)
            | CallEffect::UsesStreamUnlocked(_)
            | CallEffect::UsesStandardUnlocked(_)
            | CallEffect::ClosesStream(_)
            | CallEffect::DropsBuffer(_)
            | CallEffect::KeepsBuffer { .. }
            | CallEffect::KeepsState { .. }
            | CallEffect::UsesKey(_)
            | CallEffect::UsesLocale(_)
            | CallEffect::Processors { .. }
            | CallEffect::AsksOwnProcessors
            | CallEffect::SetsTimeZone
            | CallEffect::Looks(_)
            | CallEffect::TakesToken { .. }
            | CallEffect::TakesTokenAt(_)
            | CallEffect::Prints { .. }
            | CallEffect::PrintsList { .. }
            | CallEffect::PrintsInto { .. }
            | CallEffect::PrintsListInto { .. }
            | CallEffect::Scans { .. }
            | CallEffect::ScansList { .. }
            | CallEffect::ReadsVector
            | CallEffect::StoresVector
            | CallEffect::FlushesStreams(_)
            | CallEffect::AsksStream(_)
            | CallEffect::OpensFolder(_)
            | CallEffect::ClosesFolder(_)
            | CallEffect::DuplicatesDescriptor(_)
            | CallEffect::MakesDescriptor
            | CallEffect::ClosesDescriptor(_)
            | CallEffect::ListsFolder(_)
            | CallEffect::UsesFolderStream(_)
            | CallEffect::ReplacesDescriptor
            | CallEffect::MapsFile
            | CallEffect::Unmaps
            | CallEffect::Protects
            | CallEffect::Advises
            | CallEffect::LooksAtPages
            | CallEffect::LooksAtSignal(_)
            | CallEffect::ChangesSignal { .. }
            | CallEffect::ForAllThreads
            | CallEffect::Exits { .. } => OutsideData::Neither,
        }
    }
}
