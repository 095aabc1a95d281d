/* Sync: is the program installed, are its secrets private, does the remote answer? */

#include "app/doctor/checkup_parts.h"
#include "app/setup/advice.h"
#include "app/setup/secret_files.h"
#include "app/setup/sync_settings.h"
#include "base/os/file.h"
#include "base/process.h"
#include "sync/sync.h"

/* ssh also refuses a key that its group can read. */
static void check_secret(struct checkup *c, str file, const char *what, bool for_ssh)
{
    struct file_stat st;
    if (file.n == 0)
        return;
    const char *path = arena_str(c->arena, file).p;
    AUTO_CLOSE int fd = file_open(FILE_CWD, path, FILE_FOLLOW);
    if (fd < 0 || !file_stat(fd, &st))
        FOUND_BAD(c, STR("Give a file that the user running vaultd can read"),
                  "%s %s cannot be read", what, path);
    else if (for_ssh ? (st.mode & 077) != 0 : secret_files_judge(fd))
        FOUND_BAD(c, advice(c->arena, ADVICE_PRIVATE_FILE, file),
                  "%s %s can be read by others%s", what, path,
                  for_ssh ? ", so ssh refuses it" : "");
}

static void check_git(struct checkup *c, const struct sync_config *config)
{
    struct err err = {0};
    size_t before = c->n;
    check_secret(c, config->git.ssh_key, "the key", true);
    check_secret(c, config->git.token_file, "the token", false);
    if (c->n > before)
        return;
    if (sync_check(config, &err))
        FOUND_GOOD(c, "git works%s",
                   config->git.remote.n > 0 ? ", and the remote answers" : "");
    else
        FOUND_BAD(c,
                  err.code == ERR_NOT_FOUND
                      ? advice(c->arena, ADVICE_GIT, STR(""))
                      : STR("Try git ls-remote with the same URL and credentials; "
                            "docs/git.md explains what each kind of remote needs"),
                  "%s", err.msg);
}

static bool is_program(struct checkup *c, str name)
{
    const char *file =
        process_find(c->arena, arena_str(c->arena, name).p, process_path());
    return file != NULL && file_allows(FILE_CWD, file, FILE_MAY_RUN);
}

void checkup_sync(struct checkup *c)
{
    enum sync_kind kind = SYNC_NONE;
    struct sync_config config;
    struct err err = {0};
    if (c->problem != NULL || c->vaults.n == 0 ||
        !file_exists(c->vaults.items[0].folder.p) ||
        !sync_settings_kind(&c->settings->sync, &kind, &err) || kind == SYNC_NONE)
        return;
    if (!sync_settings_read(&c->settings->sync, c->arena, c->vaults.items[0].folder.p,
                            c->state_dir, &config, &err))
        FOUND_BAD(c, STR("See docs/git.md"), "%s", err.msg);
    else if (kind == SYNC_GIT)
        check_git(c, &config);
    else if (config.command.n > 0 && !is_program(c, config.command.argv[0]))
        FOUND_BAD(c, STR("Install it, or give its full path in --sync-command"),
                  "there is no program " STR_FMT, STR_ARG(config.command.argv[0]));
    else
        FOUND_GOOD(c, "the program was found");
}
