/*
 * For builds with ThreadSanitizer: libuv closes descriptors with syscall(SYS_close),
 * which the sanitizer does not see. The next descriptor with the same number, used by
 * another thread, then looks like a data race. Here such a close goes through close().
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef long syscall_fn(long number, ...);

/* The linker lets libuv find this one before that of libc. */
long syscall(long number, ...)
{
    long args[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        args[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_close)
        return close((int)args[0]);
    syscall_fn *next = (syscall_fn *)dlsym(RTLD_NEXT, "syscall");
    return next(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}
