// The tests of glibc include it and use nothing of it.
