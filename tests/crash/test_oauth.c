/*
 * A process issues and revokes codes, tokens and keys as fast as it can and is killed at
 * a random time, again and again: what it answered holds afterwards (SEC-26).
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/log.h"
#include "oauth_place.h"
#include "until.h"

/* Each round is killed after up to STEPS_MAX slots and some microseconds. */
enum { ROUNDS = 60, SLOTS = 64, TEXT = 96, STEPS_MAX = 7, PAUSE_US_MAX = 30000 };

enum stage { EMPTY, CODE, SPENT, REFRESHED, TOKEN_REVOKED, REVOKED };

/* What the client knows, in memory that outlives the process. Written only after an
 * answer; asked is what was requested since then. */
struct slot {
    enum stage answered, asked;
    char code[TEXT], access[TEXT], refresh[TEXT], access2[TEXT], refresh2[TEXT];
};

struct key_slot {
    enum stage answered, asked;
    char key[TEXT];
};

struct shared {
    _Atomic int next;
    struct slot slots[SLOTS];
    struct key_slot keys[SLOTS];
};

static void keep(char *to, str text)
{
    memcpy(to, text.p, text.n);
    to[text.n] = '\0';
}

static void step_code(struct oauth_place *p, struct slot *s)
{
    struct oauth_answer answer;
    struct err err;
    s->asked = CODE;
    keep(s->code, place_code(p));
    s->answered = CODE;

    s->asked = SPENT;
    if (place_redeem(p, "app", str_c(s->code), &answer) != NULL)
        _exit(2);
    keep(s->access, answer.access_token);
    keep(s->refresh, answer.refresh_token);
    s->answered = SPENT;

    s->asked = REFRESHED;
    if (place_refresh(p, "app", str_c(s->refresh), 0, &answer) != NULL)
        _exit(3);
    keep(s->access2, answer.access_token);
    keep(s->refresh2, answer.refresh_token);
    s->answered = REFRESHED;

    s->asked = TOKEN_REVOKED;
    if (!grants_revoke_token(p->oauth, STR("app"), str_c(s->access), &err))
        _exit(4);
    s->answered = TOKEN_REVOKED;
    if (s->code[5] % 2 == 0)
        return;
    s->asked = REVOKED;
    if (!grants_revoke_token(p->oauth, STR("app"), str_c(s->refresh2), &err))
        _exit(5);
    s->answered = REVOKED;
}

static void step_key(struct oauth_place *p, struct key_slot *s, int number)
{
    struct oauth_rights rights = {.scopes = OAUTH_READ};
    struct err err;
    str key, name = arena_printf(&p->arena, "key %d", number);
    s->asked = CODE;
    if (!keys_add(p->oauth, &p->arena, name, &rights, &key, &err))
        _exit(6);
    keep(s->key, key);
    s->answered = CODE;
    if (number % 2 == 0)
        return;
    s->asked = REVOKED;
    if (!keys_revoke(p->oauth, name, &err))
        _exit(7);
    s->answered = REVOKED;
}

static void work(struct oauth_place *p, struct shared *shared, int round)
{
    place_open(p);
    for (int i = 0; i < SLOTS; i++) {
        step_code(p, &shared->slots[i]);
        step_key(p, &shared->keys[i], round * SLOTS + i);
        shared->next = i + 1;
        arena_reset(&p->arena);
    }
    _exit(0);
}

/* Unanswered requests may or may not have been carried out. */
static void check_slot(struct oauth_place *p, const struct slot *s)
{
    struct oauth_answer out;
    enum stage sure = s->answered, perhaps = s->asked;
    if (sure >= SPENT) {
        bool passes = place_passes(p, str_c(s->access));
        if (perhaps < TOKEN_REVOKED)
            assert_true(passes);
        if (sure >= TOKEN_REVOKED)
            assert_false(passes);
    }
    if (sure >= REFRESHED) {
        bool passes = place_passes(p, str_c(s->access2));
        if (perhaps < REVOKED)
            assert_true(passes);
        if (sure == REVOKED)
            assert_false(passes);
    }
    if (sure == SPENT) /* the answer to a refresh was lost: try again */
        assert_null(place_refresh(p, "app", str_c(s->refresh), 0, &out));
    if (sure >= REFRESHED && perhaps < REVOKED)
        assert_null(place_refresh(p, "app", str_c(s->refresh2), 0, &out));
    if (sure == REVOKED)
        assert_non_null(place_refresh(p, "app", str_c(s->refresh2), 0, &out));
    if (sure == CODE && perhaps == CODE)
        assert_null(place_redeem(p, "app", str_c(s->code), &out));
    if (sure >= SPENT) { /* a code can be used only once */
        assert_non_null(place_redeem(p, "app", str_c(s->code), &out));
        assert_false(place_passes(p, str_c(s->access2)));
    }
}

static void check_key(struct oauth_place *p, const struct key_slot *s)
{
    bool passes = s->answered >= CODE && place_passes(p, str_c(s->key));
    if (s->answered == CODE && s->asked == CODE)
        assert_true(passes);
    if (s->answered == REVOKED)
        assert_false(passes);
}

static void test_SEC_26_killed_at_any_time(void **state)
{
    struct oauth_place *p = place_new(true);
    struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int all = 0;
    assert_true(shared != MAP_FAILED);
    log_setup(LOG_ERROR, LOG_TEXT);
    for (int round = 0; round < ROUNDS; round++) {
        memset(shared, 0, sizeof(*shared));
        pid_t pid = fork();
        if (pid == 0)
            work(p, shared, round);
        UNTIL(shared->next >= round % (STEPS_MAX + 1));
        usleep((useconds_t)(round * 7919 % PAUSE_US_MAX));
        int status;
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
        all += shared->next;
        place_open(p);
        for (int i = 0; i < SLOTS; i++) {
            check_slot(p, &shared->slots[i]);
            check_key(p, &shared->keys[i]);
        }
        oauth_free(p->oauth);
        p->oauth = NULL;
        arena_reset(&p->arena);
    }
    print_message("%d rounds of everything\n", all);
    assert_true(all > 0);
    munmap(shared, sizeof(*shared));
    place_free(p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_SEC_26_killed_at_any_time)};
    return place_run(argc, tests, COUNT_OF(tests), 0);
}
