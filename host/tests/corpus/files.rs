//! The files of a case: made before the program runs, and read again afterwards.

use std::collections::BTreeMap;
use std::io::Result;
use std::path::Path;

/// What contents begin with that stand for a symbolic link to what follows.
const LINK: &str = "-> ";

/// Makes the files in this folder, and the folders that they lie in.
pub(crate) fn make(folder: &Path, files: &BTreeMap<String, String>) -> Result<()> {
    for (name, contents) in files {
        let path = folder.join(name);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        match contents.strip_prefix(LINK) {
            Some(target) => std::os::unix::fs::symlink(target, path)?,
            None => std::fs::write(path, contents)?,
        }
    }
    Ok(())
}

/// The files below this folder, by their paths in it.
pub(crate) fn found(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            let kind = path.symlink_metadata()?;
            if kind.is_dir() {
                open.push(path);
                continue;
            }
            let contents = if kind.is_symlink() {
                format!("{LINK}{}", path.read_link()?.display())
            } else {
                std::fs::read_to_string(&path)?
            };
            let name = path.strip_prefix(folder).expect("it lies below the folder").display().to_string();
            files.insert(name, contents);
        }
    }
    Ok(files)
}
