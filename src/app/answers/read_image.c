/* A picture, which is beside the answer. */
#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/read.h"

static void read_image_json(struct answer_out *out, const void *result)
{
    const struct read_image *i = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), i->path);
    jsonw_put_int(out->w, STR("size"), (int64_t)i->size);
    jsonw_put_str(out->w, STR("mime_type"), i->mime);
    if (i->shown_width > 0) {
        jsonw_put_array(out->w, STR("pixels"));
        jsonw_int(out->w, i->width);
        jsonw_int(out->w, i->height);
        jsonw_end(out->w);
        jsonw_put_array(out->w, STR("shown"));
        jsonw_int(out->w, i->shown_width);
        jsonw_int(out->w, i->shown_height);
        jsonw_end(out->w);
    }
    if (i->page > 0)
        jsonw_put_int(out->w, STR("page"), i->page);
    jsonw_put_text(out->w, STR("note"), i->note);
    jsonw_end(out->w);
}

static void read_image_text(struct model_text *s, const void *result)
{
    const struct read_image *i = result;
    sbuf_printf(s->out, STR_FMT " (" STR_FMT ", %zu bytes", STR_ARG(i->path),
                STR_ARG(i->mime), i->size);
    if (i->shown_width > 0)
        sbuf_printf(s->out, ", %u x %u pixels, scaled to %u x %u", i->width, i->height,
                    i->shown_width, i->shown_height);
    if (i->page > 0)
        sbuf_printf(s->out, ", page %u", i->page);
    sbuf_add(s->out, STR(")\n"));
    mt_note(s, i->note);
}

const struct answer_shape read_image_shape = {"read_image", .json = read_image_json,
                                              .text = read_image_text};
