/* Comes before libstdc++'s header of this name, which each of its headers includes. Each object has the functions of
   std::string that it calls, where they are seen, and does not call those that the library has compiled: the value -1 is
   libstdc++'s own way to say so. */
#pragma GCC system_header
#include_next <bits/c++config.h>
#if defined(_GLIBCXX_EXTERN_TEMPLATE) && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
