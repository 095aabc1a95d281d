#include "app/setup/model_file.h"

#include "app/setup/settings.h"
#include "base/os/file.h"
#include "vault/meaning/model.h"

str model_file_own(struct arena *a, str state_dir)
{
    return arena_printf(a, STR_FMT "/sentence.model", STR_ARG(state_dir));
}

str model_file_former(struct arena *a, str state_dir)
{
    return arena_printf(a, STR_FMT "/minilm.model", STR_ARG(state_dir));
}

str model_file_find(struct arena *a, str given, str state_dir)
{
    if (given.n > 0)
        return arena_str(a, settings_path(a, given));
    str own = model_file_own(a, state_dir), former = model_file_former(a, state_dir);
    if (file_exists(own.p))
        return own;
    if (file_exists(former.p))
        return former;
    return file_exists(MODEL_FILE_SHARED) ? STR(MODEL_FILE_SHARED) : STR("");
}

bool model_file_open(struct arena *a, const struct settings_embeddings *s, str state_dir,
                     struct model **out, struct err *err)
{
    str path = model_file_find(a, s->file, state_dir);
    *out = NULL;
    if (path.n == 0 || (s->file.n == 0 && !model_is_fast(NULL)))
        return true;
    return model_open(path.p, out, err) || err_at(err, path.p);
}
