//! Files that the leader sends to nodes that do not have them: the program, and libraries of its own.
//!
//! All ranks explore the copy then, the leader's own included, under one path: what a run has on its stack depends on
//! the length of the program's path.

use super::message::{SentFile, Setup, ToRank, fingerprint};
use crate::error::{ToolError, plain};
use inspect_wire::{GUEST_LIBRARY, MANY_THREADS_LIBRARY};
use rustix::process::getuid;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Where nodes keep files for a while.
const TEMPORARY: &str = "/tmp";
/// Where a distribution has its libraries: these are not sent.
const OF_SYSTEM: [&str; 3] = ["/lib", "/lib64", "/usr"];
/// Where the loader looks for libraries first.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// The files that some rank lacks, and what all ranks explore once they have them.
pub(super) struct Sent {
    /// The message with the files.
    pub(super) files: ToRank,
    /// What is explored.
    pub(super) setup: Setup,
}

impl Sent {
    /// Reads the files at these paths, which are among those that were `asked` for.
    ///
    /// # Errors
    /// One of them is not the user's own, or cannot be read.
    pub(super) fn new(asked: &Setup, lacking: &[OsString]) -> Result<Sent, ToolError> {
        let (_, digest) = asked.files.first().ok_or_else(|| ToolError::new("there is no program"))?;
        let digest: String = digest.rsplit(':').next().unwrap_or_default().chars().take(16).collect();
        let folder = format!("{TEMPORARY}/inspect-mpi-{}-{}-{digest}", getuid().as_raw(), std::process::id());
        let folder = Path::new(&folder);
        let files = lacking.iter().map(|path| read(Path::new(path))).collect::<Result<_, _>>()?;
        let place = |path: &OsString| match Path::new(path).file_name() {
            Some(name) if lacking.contains(path) => folder.join(name).into_os_string(),
            Some(_) | None => path.clone(),
        };
        let mut setup = Setup {
            program: place(&asked.program),
            files: asked.files.iter().map(|(path, fingerprint)| (place(path), fingerprint.clone())).collect(),
            ..asked.clone()
        };
        if lacking.iter().any(|path| *path != asked.program) {
            look_for_libraries_in(folder, &mut setup);
        }
        Ok(Sent { files: ToRank::Files { folder: folder.into(), files }, setup })
    }
}

fn read(path: &Path) -> Result<SentFile, ToolError> {
    let fail = |why: &str| ToolError::new(format!("{}: {why}", path.display()));
    let name = path.file_name().ok_or_else(|| fail("no file"))?.to_owned();
    let is_ours = name != GUEST_LIBRARY && name != MANY_THREADS_LIBRARY;
    if !is_ours || OF_SYSTEM.iter().any(|folder| path.starts_with(folder)) {
        return Err(fail("No such file or directory there, and it is not the program's own, which would be sent"));
    }
    let bytes = std::fs::read(path).map_err(|error| fail(&plain(&error)))?;
    Ok(SentFile { name, bytes })
}

/// Has the loader find the libraries in this folder.
fn look_for_libraries_in(folder: &Path, setup: &mut Setup) {
    let mut variables = setup.environment.take().unwrap_or_else(|| std::env::vars_os().collect());
    let before = variables.iter().position(|(name, _)| name == LIBRARY_PATH).map(|at| variables.remove(at).1);
    let mut path = folder.as_os_str().to_owned();
    if let Some(others) = before.filter(|others| !others.is_empty()) {
        path.push(":");
        path.push(others);
    }
    variables.push((LIBRARY_PATH.into(), path));
    setup.environment = Some(variables);
}

/// Files that this rank has received; removed when it has ended. Other ranks of the node have the same ones.
pub(super) struct Received {
    folder: PathBuf,
}

impl Received {
    /// Puts the files into the folder, which has to be this user's alone.
    ///
    /// # Errors
    /// The folder is somebody else's, or cannot be written to.
    pub(super) fn new(folder: &OsStr, files: &[SentFile]) -> Result<Received, ToolError> {
        let folder = PathBuf::from(folder);
        let fail = |why: &str| ToolError::new(format!("{}: {why}", folder.display()));
        make_own(&folder).map_err(|error| fail(&plain(&error)))?;
        for file in files {
            place(&folder, file).map_err(|error| fail(&plain(&error)))?;
        }
        Ok(Received { folder })
    }
}

fn make_own(folder: &Path) -> io::Result<()> {
    match std::fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made,
    }
    let about = folder.symlink_metadata()?;
    let is_own = about.is_dir() && about.uid() == getuid().as_raw() && about.mode() & 0o077 == 0;
    if is_own { Ok(()) } else { Err(io::Error::other("the folder is there, and others can write to it")) }
}

/// Another rank may put the same file there at the same time.
fn place(folder: &Path, file: &SentFile) -> io::Result<()> {
    let mut fresh = tempfile::Builder::new().tempfile_in(folder)?;
    fresh.write_all(&file.bytes)?;
    fresh.as_file().set_permissions(std::fs::Permissions::from_mode(0o700))?;
    fresh.persist(folder.join(&file.name)).map(drop).map_err(|error| error.error)
}

impl Drop for Received {
    fn drop(&mut self) {
        // Another rank may have removed it.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The files that are not there at all, and an error for one that is another one than the leader's.
pub(super) fn lacking(setup: &Setup) -> Result<Vec<OsString>, ToolError> {
    let mut lacking = Vec::new();
    for (path, expected) in &setup.files {
        let file = Path::new(path);
        if file.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            lacking.push(path.clone());
        } else if fingerprint(file)? != *expected {
            return Err(ToolError::new(format!("{}: not the file that rank 0 has there", file.display())));
        }
    }
    Ok(lacking)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(folder: &Path, environment: Option<Vec<(OsString, OsString)>>) -> Setup {
        let file = |name: &str| {
            let path = folder.join(name);
            std::fs::write(&path, name).expect("written");
            (path.into_os_string(), "sha256:0123456789abcdef0123".to_owned())
        };
        let files = vec![file("program"), file("libown.so"), ("/usr/lib/libc.so.6".into(), "sha256:1".into())];
        Setup { program: files[0].0.clone(), args: Vec::new(), environment, files, guests: None }
    }

    #[test]
    fn what_is_lacking_is_explored_in_the_folder_that_it_is_sent_to() {
        let home = tempfile::tempdir().expect("a folder");
        let asked = setup(home.path(), Some(vec![(LIBRARY_PATH.into(), "/opt".into())]));
        let lacking: Vec<OsString> = asked.files[..2].iter().map(|(path, _)| path.clone()).collect();
        let Sent { files, setup } = Sent::new(&asked, &lacking).expect("both can be sent");
        let ToRank::Files { folder, files } = files else { panic!("{files:?}") };
        let at = |name: &str| Path::new(&folder).join(name).into_os_string();
        assert_eq!(files.iter().map(|file| &file.bytes[..]).collect::<Vec<_>>(), [&b"program"[..], b"libown.so"]);
        assert_eq!(setup.program, at("program"));
        let paths: Vec<_> = setup.files.iter().map(|(path, _)| path.clone()).collect();
        assert_eq!(paths, [at("program"), at("libown.so"), "/usr/lib/libc.so.6".into()]);
        let mut both = folder.clone();
        both.push(":/opt");
        assert_eq!(setup.environment, Some(vec![(LIBRARY_PATH.into(), both)]));
        let received = Received::new(&folder, &files).expect("the folder can be made");
        let again = Received::new(&folder, &files).expect("as by another rank of the node");
        assert_eq!(std::fs::read(at("libown.so")).expect("there"), b"libown.so");
        drop((received, again));
        assert!(!Path::new(&folder).exists());
    }

    #[test]
    fn the_system_s_own_libraries_and_inspect_s_are_not_sent() {
        let home = tempfile::tempdir().expect("a folder");
        let asked = setup(home.path(), None);
        for path in ["/usr/lib/libc.so.6".into(), home.path().join(GUEST_LIBRARY).into_os_string()] {
            let refused = Sent::new(&asked, std::slice::from_ref(&path)).err().expect("it is not sent").to_string();
            assert!(refused.starts_with(&format!("{}: No such file", path.display())), "{refused}");
        }
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("shared");
        std::fs::DirBuilder::new().mode(0o777).create(&folder).expect("a folder");
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).expect("it may be changed");
        assert!(Received::new(folder.as_os_str(), &[]).is_err());
    }

    #[test]
    fn a_file_that_is_another_one_is_no_lacking_one() {
        let home = tempfile::tempdir().expect("a folder");
        let mut asked = setup(home.path(), None);
        asked.files.truncate(1);
        std::fs::remove_file(home.path().join("libown.so")).expect("removed");
        let error = lacking(&asked).expect_err("it has another digest").to_string();
        assert!(error.contains("program"), "{error}");
        std::fs::remove_file(home.path().join("program")).expect("removed");
        assert_eq!(lacking(&asked).expect("nothing is another one"), [asked.program.clone()]);
    }
}
