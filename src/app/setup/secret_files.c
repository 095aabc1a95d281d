#include "app/setup/secret_files.h"

#include "app/setup/advice.h"
#include "app/setup/settings.h"
#include "base/log.h"
#include "base/os/file.h"
#include "base/os/machine.h"

enum { BY_OTHERS = 06 }; /* read or write */

bool secret_files_judge(int fd)
{
    struct file_stat st;
    return file_stat(fd, &st) && st.type == FILE_REGULAR && (st.mode & BY_OTHERS) != 0 &&
           !file_is_read_only(fd);
}

/* Only its owner and root may change the mode, and afterwards only they can read it. */
static str fix_of(struct arena *a, int fd, str path)
{
    struct file_stat st;
    struct machine_account account;
    if (machine_is_root() || (file_stat(fd, &st) && st.owner == machine_user()))
        return advice(a, ADVICE_PRIVATE_FILE, path);
    bool known = machine_find_account(a, machine_user(), &account);
    str user = known ? account.name : arena_printf(a, "%u", machine_user());
    return arena_printf(a, "chown " STR_FMT " '" STR_FMT "' && chmod 600 '" STR_FMT "'",
                        STR_ARG(user), STR_ARG(path), STR_ARG(path));
}

static bool is_exposed(struct arena *a, struct secret_file *f)
{
    if (f->path.n == 0)
        return false;
    AUTO_CLOSE int fd = file_open(FILE_CWD, arena_str(a, f->path).p, FILE_FOLLOW);
    if (fd < 0 || !secret_files_judge(fd))
        return false;
    f->fix = fix_of(a, fd, f->path);
    return true;
}

size_t secret_files_exposed(struct arena *a, const struct settings *s,
                            struct secret_file out[SECRET_FILES_MAX])
{
    struct secret_file all[SECRET_FILES_MAX] = {
        {"auth-users-file", s->auth_users_file},
        {"oauth-clients-file", s->oauth_clients_file},
        {"github-client-secret-file", s->github_client_secret_file},
        {"oidc-client-secret-file", s->oidc_client_secret_file},
        {"state-db-file", s->state_db_file},
        {"webhook-secret-file", s->sync.webhook_secret_file},
        {"embeddings-key-file", s->embeddings.key_file, .is_checked = true},
        {"git-token-file", s->sync.git_token_file, .is_checked = true},
        {"git-ssh-key", s->sync.git_ssh_key, .is_checked = true},
    };
    size_t n = 0;
    for (size_t i = 0; i < SECRET_FILES_MAX; i++)
        if (is_exposed(a, &all[i]))
            out[n++] = all[i];
    return n;
}

void secret_files_warn(const struct settings *s)
{
    struct arena a = {0};
    struct secret_file exposed[SECRET_FILES_MAX];
    size_t n = secret_files_exposed(&a, s, exposed);
    for (size_t i = 0; i < n; i++)
        log_event(LOG_WARN, "secret_exposed",
                  LOG_STR("setting", str_c(exposed[i].setting)),
                  LOG_STR("file", exposed[i].path), LOG_STR("fix", exposed[i].fix));
    arena_release(&a);
}
