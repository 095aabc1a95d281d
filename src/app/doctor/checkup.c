#include "app/doctor/checkup.h"

#include <stdlib.h>

#include "app/answers/term.h"
#include "app/doctor/checkup_parts.h"
#include "app/setup/advice.h"
#include "app/setup/confine.h"
#include "app/setup/secret_files.h"
#include "app/setup/settings.h"
#include "app/setup/sync_settings.h"
#include "app/setup/vault_config.h"
#include "base/json_write.h"
#include "base/os/file.h"
#include "base/os/machine.h"
#include "pdf/pdf.h"

void checkup_found(struct checkup *c, enum finding_status status, str got, str fix)
{
    if (c->n < FINDINGS_MAX)
        c->findings[c->n++] = (struct checkup_finding){c->now, status, got, fix};
}

str checkup_read(struct arena *a, const char *path)
{
    struct sbuf out = SBUF_ON(a);
    char piece[4096];
    size_t n;
    AUTO_CLOSE int fd = file_open(FILE_CWD, path, FILE_FOLLOW);
    while (fd >= 0 && out.n < CHECKUP_READ_MAX &&
           file_read(fd, piece, sizeof(piece), &n) && n > 0)
        sbuf_add(&out, (str){piece, n});
    return sbuf_str(&out);
}

static void checkup_settings(struct checkup *c)
{
    if (c->problem != NULL)
        FOUND_BAD(c, STR("See vaultd --help, or docs/settings.md"), "%s",
                  c->problem->msg);
    else if (c->settings->vaults_from < OPTION_BY_FLAG &&
             c->settings->vaults_origin.n > 0)
        FOUND_GOOD(c, "OK; the vault is from " STR_FMT,
                   STR_ARG(settings_path_shown(c->arena, c->settings->vaults_origin)));
    else
        FOUND_GOOD(c, "OK");
}

static void checkup_sandbox(struct checkup *c)
{
    struct sandbox_state s = sandbox_probe();
    enum sync_kind kind = SYNC_NONE;
    struct err err;
    (void)!sync_settings_kind(&c->settings->sync, &kind, &err);
    /* with --sandbox required, vaultd serve does not start */
    enum finding_status lack =
        c->settings->sandbox == SANDBOX_REQUIRED ? FINDING_BAD : FINDING_WARN;
    if (c->settings->sandbox == SANDBOX_OFF)
        FOUND_WARN(c, STR("Use --sandbox auto, the default"), "off");
    else if (!s.supported)
        FOUND(c, lack, advice(c->arena, ADVICE_SANDBOX, STR("")),
              "this build has no sandbox: vaultd and the programs it starts have "
              "all permissions of their user");
    else if (kind == SYNC_COMMAND)
        FOUND(c, lack, STR("Sync with git, which can be confined"),
              "only system calls can be confined: --sync-command may need any file");
    else if (!s.files)
        FOUND(c, lack,
              STR("Use Linux 5.19 or newer with landlock in its lsm= list, and a "
                  "container runtime that allows it"),
              "this kernel cannot confine files (Landlock version %d)", s.landlock);
    else if (!s.calls)
        FOUND(c, lack, STR("Use a kernel with seccomp"),
              "this kernel cannot confine system calls");
    else
        FOUND_GOOD(c, STR_FMT " can be confined (Landlock version %d)",
                   STR_ARG(confine_words(c->arena, &s)), s.landlock);
    if (machine_is_root())
        FOUND_WARN(c, advice(c->arena, ADVICE_ROOT, STR("")), "this is %s",
                   machine_system() == MACHINE_WINDOWS ? "an administrator" : "root");
}

static void checkup_secrets(struct checkup *c)
{
    struct secret_file exposed[SECRET_FILES_MAX];
    size_t n = secret_files_exposed(c->arena, c->settings, exposed);
    for (size_t i = 0; i < n; i++)
        if (!exposed[i].is_checked)
            FOUND_WARN(c, exposed[i].fix,
                       "every user of this machine can read or change " STR_FMT " (--%s)",
                       STR_ARG(exposed[i].path), exposed[i].setting);
}

static void checkup_pdf(struct checkup *c)
{
    if (c->settings->pdf == PDF_OFF)
        FOUND_GOOD(c, "not searched (--pdf off)");
    else if (!pdf_is_installed())
        FOUND_WARN(c, advice(c->arena, ADVICE_POPPLER, STR("")),
                   "not searched: pdfinfo, pdftotext or pdftoppm is missing");
    else if (!sandbox_probe().files)
        FOUND_WARN(c,
                   sandbox_probe().supported
                       ? STR("Use --pdf off, or a kernel with Landlock")
                       : advice(c->arena, ADVICE_PDF, STR("")),
                   "text is extracted by programs that this %s cannot confine",
                   sandbox_probe().supported ? "kernel" : "build");
    else
        FOUND_GOOD(c, "text is extracted with poppler-utils");
}

static const struct check checks[] = {
    {"settings", "Settings", checkup_settings},
    {"vault", "Vault", checkup_vault},
    {"watches", "Watching for changes", checkup_watches},
    {"index", "Stored index", checkup_index},
    {"state", "State folder", checkup_state},
    {"database", "Sign-in database", checkup_database},
    {"audit", "Audit log", checkup_audit},
    {"sign_in", "Sign-in", checkup_sign_in},
    {"secrets", "Files with secrets", checkup_secrets},
    {"sync", "Sync", checkup_sync},
    {"embeddings", "Search by meaning", checkup_meaning},
    {"port", "Address", checkup_port},
    {"proxy", "Proxy", checkup_proxy},
    {"clock", "Clock", checkup_clock},
    {"sandbox", "Sandbox", checkup_sandbox},
    {"pdf", "PDF files", checkup_pdf},
    {"clients", "AI clients", checkup_clients},
};

/* --- printing --- */

static size_t checkup_count(const struct checkup *c, enum finding_status status)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += c->findings[i].status == status;
    return n;
}

static void print_all(const struct checkup *c, enum term_colour colour)
{
    static const struct {
        enum term_style style;
        const char *mark;
    } marks[] = {[FINDING_GOOD] = {TERM_GOOD, "✓"},
                 [FINDING_WARN] = {TERM_WARN, "!"},
                 [FINDING_BAD] = {TERM_BAD, "✗"}};
    struct term t = term_open(c->arena, FILE_STDOUT, colour);
    for (size_t i = 0; i < c->n; i++) {
        const struct checkup_finding *f = &c->findings[i];
        term_printf(&t, marks[f->status].style, "%s ", marks[f->status].mark);
        term_printf(&t, TERM_PLAIN, "%s: " STR_FMT "\n", f->check->title,
                    STR_ARG(f->got));
        if (f->status != FINDING_GOOD)
            term_printf(&t, TERM_FAINT, "    " STR_FMT "\n", STR_ARG(f->fix));
    }
    size_t bad = checkup_count(c, FINDING_BAD), warnings = checkup_count(c, FINDING_WARN);
    term_printf(&t,
                bad > 0        ? TERM_BAD
                : warnings > 0 ? TERM_WARN
                               : TERM_GOOD,
                "%zu broken, %zu to check\n", bad, warnings);
    term_close(&t);
}

static void print_json(const struct checkup *c)
{
    static const char *const words[] = {
        [FINDING_GOOD] = "ok", [FINDING_WARN] = "warning", [FINDING_BAD] = "failed"};
    struct sbuf out = SBUF_ON(c->arena);
    struct jsonw w = JSONW_ON(&out);
    jsonw_object(&w);
    jsonw_put_bool(&w, STR("ok"), checkup_count(c, FINDING_BAD) == 0);
    jsonw_put_array(&w, STR("checks"));
    for (size_t i = 0; i < c->n; i++) {
        const struct checkup_finding *f = &c->findings[i];
        jsonw_object(&w);
        jsonw_put_str(&w, STR("id"), str_c(f->check->id));
        jsonw_put_str(&w, STR("status"), str_c(words[f->status]));
        jsonw_put_str(&w, STR("got"), f->got);
        if (f->status != FINDING_GOOD)
            jsonw_put_str(&w, STR("fix"), f->fix);
        jsonw_end(&w);
    }
    jsonw_end(&w);
    jsonw_end(&w);
    sbuf_char(&out, '\n');
    struct term t = term_open(c->arena, FILE_STDOUT, TERM_NEVER);
    term_json(&t, sbuf_str(&out));
    term_close(&t);
}

/* --- */

/* As serve finds them; what is wrong is reported as a problem of the settings. */
static void find_vaults(struct checkup *c, struct err *err)
{
    struct vault_config config = vault_config_of(c->settings);
    if (!vault_config_read(c->arena, &config, &c->vaults, err) && c->problem == NULL)
        c->problem = err;
    for (size_t i = 0; i < c->vaults.n; i++) { /* "." says little in a report */
        str *folder = &c->vaults.items[i].folder;
        *folder = vault_config_real(c->arena, *folder);
    }
}

int checkup_run(struct arena *a, const struct settings *s, const struct err *problem,
                const struct checkup_how *how)
{
    struct err err = {0};
    struct checkup *c = ARENA_NEW(a, struct checkup);
    *c = (struct checkup){.arena = a, .settings = s, .problem = problem};
    c->state_dir = settings_state_dir(a, s->state_dir).p;
    find_vaults(c, &err);
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        c->now = &checks[i];
        checks[i].run(c);
    }
    if (how->json)
        print_json(c);
    else
        print_all(c, how->colour);
    return checkup_count(c, FINDING_BAD) > 0;
}
