/*
 * A disk that hangs, for one thread or for all but that of the test: whatever it waits
 * for there, others search and update the index meanwhile. lock_check_slow() is called
 * before the disk is used, so it is where the thread is stopped (the linker puts
 * __wrap_lock_check_slow() in its place).
 */
#include <pthread.h>
#include <semaphore.h>

#include "base/lock.h"
#include "base/pool.h"
#include "check.h"
#include "vault/ops.h"
#include "vault/transact.h"
#include "vault_place.h"

void __real_lock_check_slow(void);
void __wrap_lock_check_slow(void);

static _Thread_local size_t left; /* uses of the disk until it hangs; 0: it never does */
static _Thread_local size_t uses;
static sem_t hangs, goes_on;
static uint64_t held; /* the locks of the thread that hangs */
static _Atomic bool all_hang;
static _Thread_local bool is_test; /* this thread never hangs with all */

void __wrap_lock_check_slow(void)
{
    __real_lock_check_slow();
    uses++;
    while (all_hang && !is_test)
        thread_pause(1000);
    if (left == 0 || --left > 0)
        return;
    held = lock_held();
    sem_post(&hangs);
    sem_wait(&goes_on);
}

struct mover {
    struct place *place;
    struct arena arena;
    size_t hangs_at;
    bool hung, ok;
};

static bool move_step(struct draft *d, void *arg, struct err *err)
{
    struct ops_report r;
    return ops_move(d, STR("Hub.md"), STR("Centre.md"), &r, err);
}

static void *plan(void *arg)
{
    struct mover *m = arg;
    struct draft_result made;
    struct err err = {0};
    struct transact t = {
        .by = {.tool = STR("move")}, .dry_run = true, .steps = move_step};
    left = m->hangs_at;
    m->ok = transact_run(m->place->vault, &m->arena, &t, &made, &err);
    m->hung = left == 0;
    left = 0;
    held = 0;
    if (!m->hung)
        sem_post(&hangs);
    return NULL;
}

/* Readers that come after a writer wait for it, so there is one, unless the thread that
 * hangs is updating the index itself. */
static void update_and_search(struct place *p, size_t i, size_t *updates)
{
    const char *word = arena_printf(&p->arena, "word%zu", i).p;
    CHECK_INT("found", place_hits(p, "hub"), 22);
    if ((held >> LOCK_WRITER & 1) != 0)
        return;
    place_put(p, "Other.md", str_c(word));
    vault_refresh(p->vault, &STR("Other.md"), 1);
    CHECK_INT("found", place_hits(p, word), 1);
    ++*updates;
}

static void test_rename(void **state)
{
    struct place *p = *state;
    size_t i = 0, updates = 0;
    bool hung = true;
    sem_init(&hangs, 0, 0);
    sem_init(&goes_on, 0, 0);
    place_put(p, "Hub.md", STR("hub"));
    for (int k = 0; k < 20; k++)
        place_put(p, arena_printf(&p->arena, "n%d.md", k).p, STR("[[Hub]]\n"));
    assert_int_equal(symlinkat("n1.md", p->fd, "link.md"), 0);
    place_start(p);
    while (hung) {
        struct mover m = {.place = p, .hangs_at = ++i};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, plan, &m), 0);
        sem_wait(&hangs);
        update_and_search(p, i, &updates);
        sem_post(&goes_on);
        pthread_join(thread, NULL);
        CHECK("planned", m.ok);
        hung = m.hung;
        if (!hung)
            sem_wait(&goes_on);
        arena_release(&m.arena);
    }
    print_message("# %zu uses of the disk, %zu updates meanwhile\n", i - 1, updates);
    CHECK("the disk was used", i > 20); /* each note with a link is read */
}

/* --- workers --- */

enum { WORKERS = 2 };

static sem_t ran;

static void run_other(void *arg)
{
    sem_post(&ran);
}

static void wait_for_vault(void *arg)
{
    struct place *p = arg;
    struct err err = {0};
    sem_post(&hangs);
    CHECK("read", vault_wait(p->vault, NULL, NULL, &err));
    sem_post(&goes_on);
}

/* A call that waits for a vault that is being read does not occupy a worker. */
static void test_first_read(void **state)
{
    struct place *p = *state;
    struct err err = {0};
    struct pool *pool = pool_create(WORKERS, 16);
    sem_init(&hangs, 0, 0);
    sem_init(&goes_on, 0, 0);
    sem_init(&ran, 0, 0);
    place_put(p, "A.md", STR("a"));
    is_test = true;
    assert_true(vault_open(p->folder, &p->vault, &err));
    all_hang = true;
    vault_start(p->vault, &(struct vault_options){.state_dir = p->state});
    for (int i = 0; i < WORKERS; i++)
        pool_submit_for(pool, 0, wait_for_vault, p);
    for (int i = 0; i < WORKERS; i++)
        sem_wait(&hangs);
    pool_submit_for(pool, 0, run_other, NULL);
    sem_wait(&ran);
    CHECK("it is still being read", !vault_progress(p->vault).ready);
    all_hang = false;
    for (int i = 0; i < WORKERS; i++)
        sem_wait(&goes_on);
    pool_free(pool);
}

static void refresh_all(void *arg)
{
    struct place *p = arg;
    vault_refresh(p->vault, NULL, 0);
    sem_post(&goes_on);
}

/* The same for a call that waits for an update of the index; and what is not updated
 * because too many wait is updated later. */
static void test_update(void **state)
{
    enum { CALLS = WORKERS + POOL_AWAY_MAX + 4 };
    struct place *p = *state;
    struct pool *pool = pool_create(WORKERS, 64);
    sem_init(&goes_on, 0, 0);
    sem_init(&ran, 0, 0);
    place_put(p, "A.md", STR("a"));
    place_start(p);
    is_test = true;
    all_hang = true;
    place_put(p, "B.md", STR("elephant"));
    for (int i = 0; i < CALLS; i++)
        pool_submit_for(pool, 0, refresh_all, p);
    pool_submit_for(pool, 0, run_other, NULL);
    sem_wait(&ran);
    all_hang = false;
    for (int i = 0; i < CALLS; i++)
        sem_wait(&goes_on);
    pool_free(pool);
    vault_refresh(p->vault, &STR("A.md"), 1);
    CHECK_INT("updated", place_hits(p, "elephant"), 1);
}

/* Where the system does not report changes, as here, a note that is found by its name is
 * edited without a look into every folder. */
static void test_by_name(void **state)
{
    enum { FOLDERS = 100, MOST = 20 };
    struct place *p = *state;
    struct draft_file f;
    for (int i = 0; i < FOLDERS; i++)
        place_put(p, arena_printf(&p->arena, "f%d/n%d.md", i, i).p, STR("text"));
    place_start(p);
    size_t before = uses;
    OK(ops_open(place_draft(p), STR("n7"), &f, &err));
    CHECK_STR("found", f.path, "f7/n7.md");
    CHECK("few uses of the disk", uses - before <= MOST);
    place_put(p, "new/other.md", STR("text"));
    struct draft *d = place_draft(p);
    OK(ops_open(d, STR("other"), &f, &err));
    before = uses;
    OK(ops_open(d, STR("other"), &f, &err));
    CHECK("looked once", uses - before <= MOST);
}

/* As clients see it, with policies. */
static struct vault *open_for_clients(struct place *p)
{
    OK(vault_open(p->folder, &p->vault, &err));
    vault_start(p->vault, &(struct vault_options){.state_dir = p->state,
                                                  .policy_property = STR("ai")});
    OK(vault_wait(p->vault, NULL, NULL, &err));
    return vault_for_clients(p->vault, &p->arena, &(struct access){0});
}

/* Links from so many notes, which lie in as many folders as a few or as many notes would. */
static void put_links(struct place *p, const char *hub, int n)
{
    place_put(p, arena_printf(&p->arena, "%s.md", hub).p, STR("hub"));
    for (int i = 0; i < n; i++)
        place_put(p, arena_printf(&p->arena, "in/%s/n%d.md", hub, i).p,
                  arena_printf(&p->arena, "[[%s]]", hub));
}

/* How often renaming a hub, and undoing that, uses the disk. */
static void count_uses(struct place *p, struct vault *v, const char *hub, size_t out[2])
{
    struct ops_report r;
    struct change undo = {.by.tool = STR("undo")};
    struct change_result undone;
    struct actor by = {.tool = STR("test")};
    struct draft *d = place_keep(p, draft_create(v, &p->arena, &by));
    size_t before = uses;
    OK(ops_move(d, str_c(hub), arena_printf(&p->arena, "%s again.md", hub), &r, &err));
    struct draft_result made = place_commit("moved", d);
    out[0] = uses - before;
    OK(vault_undo(v, &p->arena, made.change, &undo, &undone, &err));
    out[1] = uses - before - out[0];
}

/* What a rename does with the disk for each note that it rewrites, and what undoing it
 * does. */
static void test_uses_of_rename(void **state)
{
    enum { FEW = 10, MANY = 60, MOST = 15 };
    struct place *p = *state;
    size_t few[2], many[2];
    put_links(p, "Few", FEW);
    put_links(p, "Many", MANY);
    struct vault *v = open_for_clients(p);
    count_uses(p, v, "Few", few);
    count_uses(p, v, "Many", many);
    size_t rename = (many[0] - few[0]) / (MANY - FEW),
           undo = (many[1] - few[1]) / (MANY - FEW);
    print_message("# %zu uses of the disk for each note, %zu to undo it\n", rename, undo);
    CHECK("few uses of the disk", rename <= MOST);
    CHECK("an undo has few more", 2 * undo <= 3 * rename);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_by_name),    PLACE_TEST(test_uses_of_rename),
        PLACE_TEST(test_first_read), PLACE_TEST(test_update),
        PLACE_TEST(test_rename),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
