#include "app/tools/attachment.h"

#include "app/answers/read.h"
#include "app/setup/app.h"
#include "app/tool_support/tool_support.h"
#include "base/pool.h"
#include "mcp/call.h"
#include "picture/picture.h"
#include "vault/text/media.h"
#include "vault/vault.h"

static const char *const picture_types[] = {[PICTURE_PNG] = "image/png",
                                            [PICTURE_JPEG] = "image/jpeg",
                                            [PICTURE_GIF] = "image/gif",
                                            [PICTURE_WEBP] = "image/webp"};

static bool is_picture(str type)
{
    for (size_t i = 0; i < COUNT_OF(picture_types); i++)
        if (str_eq(type, str_c(picture_types[i])))
            return true;
    return false;
}

bool attachment_is(str path)
{
    str type = media_type(path);
    return is_picture(type) || media_is(type, STR("audio")) ||
           str_eq(type, STR("application/pdf"));
}

static size_t size_max(struct mcp_call *call)
{
    return (size_t)app_of(call)->settings.attachment_max << 20;
}

/* --- pictures --- */

/* A picture on its way, kept while its call is run again. */
struct sending {
    str path, bytes;
    struct picture picture;
    int runs; /* so far */
};

bool attachment_run_later(struct mcp_call *call, int *runs)
{
    if (++*runs > ATTACHMENT_WAITS_MAX)
        return false;
    mcp_wait(call, *runs == 1 ? 1 : ATTACHMENT_WAIT_MS);
    return true;
}

static bool answer_picture(struct mcp_call *call, const struct sending *s, str shown,
                           enum picture_kind kind)
{
    const struct picture *p = &s->picture;
    struct picture sent;
    struct read_image image = {s->path, str_c(picture_types[p->kind]), s->bytes.n,
                               p->width, p->height};
    if (shown.p != s->bytes.p && picture_read(shown, &sent)) {
        image.shown_width = sent.width;
        image.shown_height = sent.height;
    }
    mcp_image(call, shown, str_c(picture_types[kind]));
    return tool_answer(call, &read_image_shape, &image, TOOL_NO_BUDGET);
}

bool attachment_copy(struct mcp_call *call, str bytes, const struct picture *p, str *out,
                     enum picture_kind *kind, struct err *err)
{
    if (!pool_leave())
        return err_named(err, E_BUSY, "too many calls are waiting: try again later");
    bool ok = picture_copy(call->arena, bytes, p, out, kind, err);
    pool_return();
    return ok;
}

static bool send_picture(struct mcp_call *call, struct sending *s, struct err *err)
{
    enum picture_kind kind;
    str copy;
    if (picture_fits(&s->picture, s->bytes.n))
        return answer_picture(call, s, s->bytes, s->picture.kind);
    if (s->runs == 0)
        return attachment_run_later(call, &s->runs);
    if (attachment_copy(call, s->bytes, &s->picture, &copy, &kind, err))
        return answer_picture(call, s, copy, kind);
    return err->name == E_BUSY && attachment_run_later(call, &s->runs);
}

static bool read_picture(struct mcp_call *call, str path, struct err *err)
{
    static const struct mcp_kept sending_kept = {sizeof(struct sending)};
    struct sending *s = mcp_kept(call, &sending_kept);
    if (s->path.n > 0)
        return send_picture(call, s, err);
    s->path = path;
    if (!vault_bytes(tool_vault(call), call->arena, path, PICTURE_FILE_MAX, &s->bytes,
                     err))
        return false;
    if (!picture_read(s->bytes, &s->picture))
        return err_named(err, E_NOT_TEXT,
                         "'" STR_FMT "' is neither a text file nor a picture",
                         STR_ARG(path));
    return send_picture(call, s, err);
}

/* --- PDF and sounds --- */

/* For a PDF that the server would show as text, if it could. */
static str why_no_text(struct mcp_call *call, str type)
{
    const struct app *app = app_of(call);
    bool missing = app->pdf == NULL && app->settings.pdf == PDF_ON;
    return missing && str_eq(type, STR("application/pdf"))
               ? STR("its text cannot be read on this machine: install poppler-utils")
               : (str){0};
}

/* The type that the bytes have. Sound and video have the same formats, so there the name
 * decides: an m4a file begins like an mp4 file. */
static str type_of_bytes(str named, str bytes)
{
    str found = media_of_bytes(bytes);
    bool same = media_is(named, STR("audio")) && media_is(found, STR("video")) &&
                str_eq(str_skip(named, STR("audio").n), str_skip(found, STR("video").n));
    return same ? named : found;
}

static bool read_other(struct mcp_call *call, str path, str named, struct err *err)
{
    str bytes;
    if (!vault_bytes(tool_vault(call), call->arena, path, size_max(call), &bytes, err))
        return err->code == ERR_LIMIT &&
               err_hint(err, "the limit is --attachment-max of the server");
    str type = type_of_bytes(named, bytes);
    if (type.n == 0)
        return err_named(err, E_NOT_TEXT, "'" STR_FMT "' is not " STR_FMT, STR_ARG(path),
                         STR_ARG(named));
    if (media_is(type, STR("audio")))
        mcp_audio(call, bytes, type);
    else
        mcp_resource_blob(call, app_uri(call->arena, tool_served(call), path), type,
                          bytes);
    struct read_image file = {
        .path = path, .mime = type, .size = bytes.n, .note = why_no_text(call, type)};
    return tool_answer(call, &read_image_shape, &file, TOOL_NO_BUDGET);
}

bool attachment_read(struct mcp_call *call, str path, struct err *err)
{
    str type = media_type(path);
    return is_picture(type) ? read_picture(call, path, err)
                            : read_other(call, path, type, err);
}
