/*
 * Two vaults and a user with plain git edit the same notes through one remote; the
 * servers of the vaults are killed again and again. In the end all have the same content,
 * and every added line is there.
 */
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/os/rand.h"
#include "rounds.h"
#include "sync_world.h"

enum {
    NOTES = 3,
    LIVES = 5,
    LIVES_MAX = 60,
    LIFE_MAX_MS = 3000,
    SETTLE_MAX = 20,
    SYNC_FAILED = 2
};

static unsigned roll(unsigned n)
{
    uint32_t r;
    rand_bytes(&r, sizeof(r));
    return r % n;
}

/* --- a vault, in its own process: NAME TOP --- */

/* Add a word to text as a new line at a random place, or at the end of a line, where two
 * words conflict. */
static str with_word(struct arena *a, str text, str word)
{
    size_t lines = 0, at = 0;
    bool joined = roll(2) == 0;
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    for (size_t n = roll((unsigned)lines) + 1; n > 0; n--)
        at += str_find_char(str_skip(text, at), '\n') + 1;
    str before = str_slice(text, 0, joined ? at - 1 : at);
    return arena_printf(a, STR_FMT "%s" STR_FMT "\n" STR_FMT, STR_ARG(before),
                        joined ? " " : "", STR_ARG(word), STR_ARG(str_skip(text, at)));
}

/* A line is recorded when it is on disk: from then on it must not be lost. */
static void add_line(struct side *s, int log, const char *name)
{
    struct arena *a = &s->place.arena;
    uint32_t id;
    rand_bytes(&id, sizeof(id));
    str line = arena_printf(a, "%s-%08x", name, id);
    const char *note = arena_printf(a, "Note %u.md", roll(NOTES)).p;
    struct actor as = {.tool = STR("test")};
    struct draft *d = draft_create(s->place.vault, a, &as);
    struct draft_file f;
    struct draft_result r;
    struct err err = {0};
    if (!draft_read(d, str_c(note), &f, &err) ||
        !draft_write(d, f.path, with_word(a, f.text, line), DRAFT_OVERWRITE, &err) ||
        !draft_commit(d, &(struct idempotency){0}, &r, &err))
        return; /* the sync was faster */
    str noted = arena_printf(a, STR_FMT "\n", STR_ARG(line));
    if (write(log, noted.p, noted.n) != (ssize_t)noted.n)
        abort();
    sync_changed(s->sync);
}

static int be_side(const char *name, const char *top, int edits)
{
    struct world w = {0};
    struct side s;
    struct err err = {0};
    snprintf(w.top, sizeof(w.top), "%s", top);
    log_setup(LOG_ERROR, LOG_TEXT);
    side_init(&w, &s, name);
    s.config.git.pull_s = 1;
    int log = open(arena_printf(&w.arena, "%s/lines", top).p,
                   O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (!sync_prepare(&s.config, &err) ||
        !vault_open(s.place.folder, &s.place.vault, &err))
        return fprintf(stderr, "%s: %s\n", name, err.msg), 1;
    vault_start(s.place.vault, &(struct vault_options){.state_dir = s.place.state});
    if (!vault_wait(s.place.vault, NULL, NULL, &err) ||
        !sync_start(&s.config, s.place.vault, &s.sync, &err))
        return fprintf(stderr, "%s: %s\n", name, err.msg), 1;
    for (int i = 0; i < edits; i++) {
        add_line(&s, log, name);
        poll(NULL, 0, (int)roll(200));
    }
    bool ok = sync_wait(s.sync, NULL, NULL, &err);
    if (!ok)
        fprintf(stderr, "%s: %s\n", name, err.msg);
    sync_stop(s.sync, clock_ms() + SYNC_STOP_PUSH_MS);
    vault_close(s.place.vault);
    arena_release(&s.place.arena);
    arena_release(&w.arena);
    close(log);
    return ok ? 0 : SYNC_FAILED;
}

/* --- all sides --- */

static pid_t start_side(struct world *w, const char *name, const char *edits)
{
    const char *complaints = arena_printf(&w->arena, "%s/complaints", w->top).p;
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open(complaints, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
        if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
            _exit(127);
        execl("/proc/self/exe", "test", name, w->top, edits, NULL);
        _exit(127);
    }
    return pid;
}

/* A side exits by itself or is killed by us, never by anything else; it reports itself if
 * the remote was too busy. */
static void end_side(struct world *w, pid_t pid, unsigned after_ms)
{
    int status = 0;
    if (after_ms > 0) {
        poll(NULL, 0, (int)after_ms);
        kill(pid, SIGKILL);
    }
    waitpid(pid, &status, 0);
    bool killed = after_ms > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    bool ended = WIFEXITED(status) &&
                 (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == SYNC_FAILED);
    if (!killed && !ended)
        fail_msg("a side ended with status %x: " STR_FMT, (unsigned)status,
                 STR_ARG(sh(w, "cat complaints")));
}

/* Our kill may truncate a sanitizer report. */
static void check_complaints(struct world *w)
{
    CHECK_STR("complaints",
              sh_code(w, "grep -E 'Sanitizer|runtime error|BUG' complaints", 1), "");
}

/* A line that cannot be pushed is not recorded, and is retried with the next one. */
static const char *const plain_git =
    "cd ann; for i in 1 2 3; do git fetch -q; git reset -q --hard origin/main;"
    "l=ann-$(od -An -N4 -tx4 /dev/urandom | tr -d ' ');"
    "sed -i \"1a $l\" \"Note $((i - 1)).md\"; git commit -qam edit;"
    "if git push -q 2>/dev/null; then echo $l >> ../lines; fi; done; true";

static void check_lines(struct world *w)
{
    str missing =
        sh(w, "cd ann; cat *.md > ../all; sort -u ../lines | while read -r l; do "
              "grep -qF \"$l\" ../all || echo \"$l\"; done");
    CHECK_STR("missing", missing, "");
    CHECK_STR("markers", sh_code(w, "grep -lE '^(<<<<<<<|=======|>>>>>>>)' ann/*.md", 1),
              "");
}

static bool all_same(struct world *w)
{
    return sh(w, "for r in remote.git bob eve; do git -C $r rev-parse main; done |"
                 "sort -u | wc -l")
               .p[0] == '1';
}

static void test_converge(void **state)
{
    struct world *w = *state;
    sh(w, "git clone -q remote.git ann 2>/dev/null; cd ann;"
          "for i in 0 1 2; do printf '# Note\\n\\ntext\\n\\n- item\\n' > \"Note $i.md\";"
          "done; git add .; git commit -qm seed; git push -q origin HEAD:main");
    for (int i = rounds_up_to(LIVES, LIVES_MAX); i > 0; i--) {
        pid_t bob = start_side(w, "bob", "25"), eve = start_side(w, "eve", "25");
        sh(w, plain_git);
        end_side(w, bob, 1 + roll(LIFE_MAX_MS));
        end_side(w, eve, 1 + roll(LIFE_MAX_MS));
    }
    bool same = false;
    for (int i = 0; i < SETTLE_MAX && !same; i++) {
        end_side(w, start_side(w, "bob", "0"), 0);
        end_side(w, start_side(w, "eve", "0"), 0);
        same = all_same(w);
    }
    check_complaints(w);
    assert_true(same);
    sh(w, "cd ann; git fetch -q; git reset -q --hard origin/main");
    check_lines(w);
    CHECK_STR("disk", sh(w, "for d in bob eve; do git -C $d status --porcelain; done"),
              "");
    check_sound(w, "remote.git");
    check_sound(w, "bob");
    check_sound(w, "eve");
    print_message("# %s lines, %s conflicts\n", sh(w, "sort -u lines | wc -l").p,
                  sh(w, "ls ann | grep -c conflict || true").p);
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return be_side(argv[1], argv[2], (int)strtol(argv[3], NULL, 10));
    const struct CMUnitTest tests[] = {WORLD_TEST(test_converge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
