// The number of elements of an array, by the name that glibc's tests use.
#pragma once
#define array_length(array) (sizeof(array) / sizeof(*(array)))
#define array_end(array) (&(array)[array_length(array)])
