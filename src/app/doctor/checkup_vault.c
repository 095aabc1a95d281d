/* The folder with the notes: can it be read, written, watched? */

#include "app/doctor/checkup_parts.h"
#include "app/setup/advice.h"
#include "app/setup/vault_state.h"
#include "base/os/folder.h"
#include "base/os/machine.h"
#include "base/os/self.h"
#include "base/os/watcher.h"
#include "base/path.h"
#include "vault/vault.h"

enum { DEPTH_MAX = 150, NAMED_MAX = 3 };

/* How many there are, and the names of the first. */
struct first_names {
    size_t n;
    str names[NAMED_MAX];
};

/* What the walk has found. */
struct met {
    struct checkup *c;
    struct fs_root root;
    size_t folders;
    struct first_names closed, links_out, in_icloud;
};

static void add_one(struct first_names *s, str path)
{
    if (s->n < NAMED_MAX)
        s->names[s->n] = path;
    s->n++;
}

static bool leads_out(const struct met *m, str path)
{
    struct fs_info info;
    struct err err = {0};
    return !fs_stat(&m->root, path, &info, &err) && err.name == E_PATH_NOT_ALLOWED;
}

static void checkup_walk(struct met *m, str folder, int depth)
{
    int fd;
    struct err err;
    m->folders++;
    if (!fs_open_folder(&m->root, folder, false, &fd, &err)) {
        add_one(&m->closed, folder);
        return;
    }
    struct folder_names names = folder_names_of(fd);
    for (const char *name; (name = folder_next(&names)) != NULL;) {
        str in_icloud = path_in_icloud(str_c(name));
        if (in_icloud.n > 0)
            add_one(&m->in_icloud,
                    path_join(m->c->arena, folder, arena_str(m->c->arena, in_icloud)));
        if (name[0] == '.')
            continue;
        str path = path_join(m->c->arena, folder, arena_str(m->c->arena, str_c(name)));
        enum file_type type = folder_type(&names, name);
        if (type == FILE_FOLDER && depth < DEPTH_MAX)
            checkup_walk(m, path, depth + 1);
        else if (type == FILE_SYMLINK && leads_out(m, path))
            add_one(&m->links_out, path);
    }
    folder_end(&names);
}

static str list_names(struct arena *a, const struct first_names *s)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < s->n && i < NAMED_MAX; i++)
        sbuf_printf(&out, "%s" STR_FMT, i > 0 ? ", " : "",
                    STR_ARG(s->names[i].n > 0 ? s->names[i] : STR("the vault itself")));
    if (s->n > NAMED_MAX)
        sbuf_printf(&out, " and %zu more", s->n - NAMED_MAX);
    return sbuf_str(&out);
}

static bool checkup_vault_ignores_case(const char *folder)
{
    struct fs_root root;
    struct err err;
    if (!fs_root_open(&root, folder, &err))
        return false;
    bool ignores = fs_ignores_case(&root);
    fs_root_close(&root);
    return ignores;
}

/* On Windows the rights of a folder do not tell whether this program may write: protection
 * against ransomware (Controlled folder access) refuses unknown ones. */
static bool can_be_written(struct arena *a, const char *folder)
{
    if (machine_system() != MACHINE_WINDOWS)
        return file_allows(FILE_CWD, folder, FILE_MAY_WRITE);
    const char *probe = arena_printf(a, "%s/.vaultd-doctor-%d", folder, self_pid()).p;
    AUTO_CLOSE int fd = file_create(FILE_CWD, probe, 0600);
    return fd >= 0 && file_remove(FILE_CWD, probe);
}

/* Checks that do not depend on the files in it. */
static bool checkup_check_folder(struct checkup *c, const char *folder)
{
    struct arena *a = c->arena;
    bool changes = !c->settings->access.read_only;
    if (!folder_exists(folder)) {
        FOUND_BAD(c, STR("Give the folder that Obsidian opens, with --vault-path FOLDER"),
                  "%s is not a folder", folder);
        return false;
    }
    if (!file_allows(FILE_CWD, folder, FILE_MAY_READ | FILE_MAY_RUN)) {
        FOUND_BAD(c, advice(a, ADVICE_READ_FOLDER, str_c(folder)), "%s cannot be read",
                  folder);
        return false;
    }
    if (changes && !can_be_written(a, folder))
        FOUND_BAD(c, advice(a, ADVICE_WRITE_FOLDER, str_c(folder)),
                  "%s cannot be written", folder);
    if (!folder_exists(arena_printf(a, "%s/" VAULT_CONFIG, folder).p))
        FOUND_WARN(c,
                   STR("Open it in Obsidian once, or give another folder; other "
                       "folders of Markdown work, too"),
                   "%s has no " VAULT_CONFIG ": Obsidian has never opened it", folder);
    if (machine_system() == MACHINE_LINUX && checkup_vault_ignores_case(folder))
        FOUND_WARN(c,
                   STR("Keep the vault on a case-sensitive file system such as ext4, or "
                       "never give two notes names that differ only in case"),
                   "%s is on a file system that ignores case", folder);
    const char *cloud = advice_cloud_on(machine_system(), str_c(folder));
    if (cloud != NULL)
        FOUND_WARN(c, advice(a, ADVICE_CLOUD, str_c(folder)),
                   "%s is in %s: a note that is only in the cloud is downloaded when it "
                   "is read",
                   folder, cloud);
    return true;
}

static void check_files(struct checkup *c, const char *folder)
{
    struct met m = {.c = c};
    struct err err;
    if (!fs_root_open(&m.root, folder, &err)) {
        FOUND_BAD(c, STR("Run vaultd as its owner"), "%s: %s", folder, err.msg);
        return;
    }
    checkup_walk(&m, STR(""), 0);
    fs_root_close(&m.root);
    c->folders += m.folders;
    struct arena *a = c->arena;
    if (m.closed.n > 0)
        FOUND_WARN(
            c,
            STR("Give the user running vaultd read permission, or exclude these paths "
                "with --deny-paths"),
            STR_FMT " in %s cannot be read: " STR_FMT,
            STR_ARG(arena_count(a, m.closed.n, "folder", "folders")), folder,
            STR_ARG(list_names(a, &m.closed)));
    if (m.links_out.n > 0)
        FOUND_WARN(c,
                   STR("Such links are not followed: move the target into the vault, "
                       "or serve it as another vault (--vault NAME=FOLDER)"),
                   STR_FMT " outside %s or to hidden names: " STR_FMT,
                   STR_ARG(arena_count(a, m.links_out.n, "symbolic link leads",
                                       "symbolic links lead")),
                   folder, STR_ARG(list_names(a, &m.links_out)));
    if (m.in_icloud.n > 0)
        FOUND_WARN(c, advice(a, ADVICE_CLOUD, str_c(folder)),
                   STR_FMT " only in iCloud and cannot be read in %s: " STR_FMT,
                   STR_ARG(arena_count(a, m.in_icloud.n, "file is", "files are")), folder,
                   STR_ARG(list_names(a, &m.in_icloud)));
    if (m.closed.n == 0 && m.links_out.n == 0 && m.in_icloud.n == 0)
        FOUND_GOOD(c, "%s, " STR_FMT, folder,
                   STR_ARG(arena_count(a, m.folders, "folder", "folders")));
}

/* Of a table there may be thousands, and some are cloned later. */
static void check_hosted(struct checkup *c)
{
    size_t here = 0;
    for (size_t i = 0; i < c->vaults.n; i++)
        if (folder_exists(c->vaults.items[i].folder.p)) {
            c->vaults.items[here] = c->vaults.items[i];
            here += here < CONFIGURED_VAULTS_MAX;
        }
    FOUND_GOOD(c, STR_FMT " in the table of " STR_FMT "; %zu of them are checked below",
               STR_ARG(arena_count(c->arena, c->vaults.n, "vault", "vaults")),
               STR_ARG(c->settings->vaults_dir), here);
    c->vaults.n = here;
}

void checkup_vault(struct checkup *c)
{
    if (c->settings->vaults_dir.n > 0)
        check_hosted(c);
    else if (c->vaults.n == 0)
        FOUND_BAD(c,
                  STR("Give --vault-path FOLDER, set VAULT_PATH, or change into the "
                      "vault's folder"),
                  "no vault is configured, and this folder is not inside one");
    for (size_t i = 0; i < c->vaults.n; i++)
        if (checkup_check_folder(c, c->vaults.items[i].folder.p))
            check_files(c, c->vaults.items[i].folder.p);
}

/* --- watching --- */

enum finding_status checkup_judge_watches(size_t folders, int64_t limit)
{
    if ((int64_t)folders * 2 <= limit) /* other programs use watches, too */
        return FINDING_GOOD;
    return FINDING_WARN;
}

void checkup_watches(struct checkup *c)
{
    int64_t limit;
    if (c->folders == 0)
        return;
    if (c->settings->poll)
        FOUND_GOOD(c, "by polling every second (--poll)");
    else if (!watcher_is_supported())
        FOUND_GOOD(c, "by polling every second: this build cannot watch folders");
    else if (!watcher_limit(&limit))
        return;
    else if (checkup_judge_watches(c->folders, limit) == FINDING_GOOD)
        FOUND_GOOD(c, STR_FMT "; up to %lld can be watched",
                   STR_ARG(arena_count(c->arena, c->folders, "folder", "folders")),
                   (long long)limit);
    else
        FOUND_WARN(
            c,
            arena_printf(c->arena,
                         "sysctl fs.inotify.max_user_watches=%zu, and the same line "
                         "in /etc/sysctl.d/vaultd.conf",
                         4 * c->folders),
            "%zu folders, but the system allows only %lld watches per user: changes will "
            "be found by polling, which is slower",
            c->folders, (long long)limit);
}

/* --- the index of the last run --- */

void checkup_index(struct checkup *c)
{
    for (size_t i = 0; i < c->vaults.n; i++) {
        struct vault *v;
        struct err err = {0};
        const char *folder = c->vaults.items[i].folder.p;
        if (!vault_open(folder, &v, &err))
            continue;
        vault_set_state_key(v, vault_state_look(c->arena, c->state_dir,
                                                str_c(vault_folder(v)),
                                                c->vaults.items[i].identity));
        if (vault_check_stored(v, c->state_dir, &err))
            FOUND_GOOD(c, "the next start of %s will be fast", folder);
        else if (err.code == ERR_NOT_FOUND)
            FOUND_GOOD(c, "none yet: the first start of %s reads every note", folder);
        else
            FOUND_GOOD(c, "%s; the next start of %s rebuilds it", err.msg, folder);
        vault_close(v);
    }
}
