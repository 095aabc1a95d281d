#include <signal.h>
#include <sys/prctl.h>

#include "base/thread.h"
#include "check.h"

struct seen {
    sigset_t mask;
    char name[16];
};

static void *look(void *arg)
{
    struct seen *seen = arg;
    pthread_sigmask(SIG_SETMASK, NULL, &seen->mask);
    prctl(PR_GET_NAME, seen->name);
    return seen;
}

static void test_start(void **state)
{
    (void)state;
    sigset_t before, after;
    struct seen seen;
    pthread_t thread;
    void *result;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    CHECK("started", thread_start(&thread, "vault-looks", look, &seen));
    CHECK_INT("joined", pthread_join(thread, &result), 0);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    CHECK("its result", result == &seen);
    CHECK_STR("its name", str_c(seen.name), "vault-looks");
    CHECK("it blocks SIGTERM", sigismember(&seen.mask, SIGTERM) == 1);
    CHECK("and SIGHUP", sigismember(&seen.mask, SIGHUP) == 1);
    CHECK("the caller does not",
          sigismember(&after, SIGTERM) == sigismember(&before, SIGTERM));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
