#include "vault/meaning/model_config.h"

#include "base/json.h"

static const struct encoder_family {
    const char *type;
    bool padded; /* positions begin after the number of the padding token */
} encoder_families[] = {
    {"bert", false}, {"roberta", true}, {"xlm-roberta", true}, {"camembert", true}};

static const struct encoder_bend {
    const char *name;
    enum kernel_bend bend;
} encoder_bends[] = {
    {"gelu", KERNEL_GELU},
    {"gelu_new", KERNEL_GELU_TANH},
    {"gelu_pytorch_tanh", KERNEL_GELU_TANH},
    {"gelu_fast", KERNEL_GELU_TANH},
    {"relu", KERNEL_RELU},
};

struct encoder_reading {
    struct arena *arena;
    const struct json *config;
    struct model_config *out;
    struct err *err;
};

static bool encoder_parse(struct encoder_reading *r, const char *name, str text,
                          const struct json **out)
{
    *out = NULL;
    if (text.n == 0)
        return true;
    return json_parse(r->arena, text, out, r->err) ||
           err_reword(r->err, "%s is not JSON: %s", name, r->err->msg);
}

/* A whole number from min to max; usual, if that is not below min and it is missing. */
static bool encoder_number(struct encoder_reading *r, const char *key, int64_t min,
                           int64_t max, int64_t usual, uint32_t *out)
{
    const struct json *j = json_get(r->config, str_c(key));
    int64_t n = usual;
    if ((j != NULL && !json_int(j, &n)) || n < min || n > max)
        return err_set(r->err, ERR_INVALID,
                       "config.json needs %s, a number from %lld to %lld", key,
                       (long long)min, (long long)max);
    *out = (uint32_t)n;
    return true;
}

static bool encoder_refuse(struct encoder_reading *r, const char *file, const char *what,
                           str name, const char *can)
{
    return err_set(r->err, ERR_INVALID, "%s: %s '" STR_FMT "' is not supported (%s)",
                   file, what, STR_ARG(str_slice(name, 0, 60)), can);
}

static bool encoder_family(struct encoder_reading *r, bool *padded)
{
    str type = json_get_str(r->config, STR("model_type"));
    str places = json_get_str(r->config, STR("position_embedding_type"));
    if (places.n > 0 && !str_eq(places, STR("absolute")))
        return encoder_refuse(r, "config.json", "position_embedding_type", places,
                              "absolute is");
    if (json_get_true(r->config, STR("is_decoder")))
        return encoder_refuse(r, "config.json", "is_decoder", STR("true"),
                              "an encoder is needed");
    for (size_t i = 0; i < COUNT_OF(encoder_families); i++)
        if (str_eq(type, str_c(encoder_families[i].type))) {
            *padded = encoder_families[i].padded;
            return true;
        }
    return encoder_refuse(r, "config.json", "model_type", type,
                          "bert, roberta, xlm-roberta and camembert are");
}

static bool encoder_bend(struct encoder_reading *r)
{
    str name = json_get_str(r->config, STR("hidden_act"));
    name = name.n > 0 ? name : STR("gelu");
    for (size_t i = 0; i < COUNT_OF(encoder_bends); i++)
        if (str_eq(name, str_c(encoder_bends[i].name))) {
            r->out->bend = encoder_bends[i].bend;
            return true;
        }
    return encoder_refuse(r, "config.json", "hidden_act", name,
                          "gelu, gelu_new, gelu_pytorch_tanh, gelu_fast and relu are");
}

static bool encoder_epsilon(struct encoder_reading *r)
{
    const struct json *j = json_get(r->config, STR("layer_norm_eps"));
    double epsilon = 1e-12;
    if ((j != NULL && !json_num(j, &epsilon)) || !(epsilon >= 1e-20 && epsilon <= 0.1))
        return err_set(r->err, ERR_INVALID,
                       "config.json needs layer_norm_eps, a number from 1e-20 to 0.1");
    r->out->epsilon = (float)epsilon;
    return true;
}

/* Kernels work on KERNEL_COLUMNS numbers at a time, and on the part of each head. */
static bool encoder_divides(struct encoder_reading *r)
{
    const struct model_config *c = r->out;
    if (c->width % c->heads == 0 && c->width / c->heads % KERNEL_COLUMNS == 0 &&
        c->inner % KERNEL_COLUMNS == 0)
        return true;
    return err_set(r->err, ERR_INVALID,
                   "config.json: a hidden_size of %u with %u heads and an "
                   "intermediate_size of %u is not supported: the part of each head and "
                   "the latter must be multiples of %d",
                   c->width, c->heads, c->inner, KERNEL_COLUMNS);
}

static bool encoder_sizes(struct encoder_reading *r)
{
    struct model_config *c = r->out;
    bool padded = false;
    uint32_t pad = 0;
    if (!encoder_family(r, &padded) ||
        !encoder_number(r, "vocab_size", 1, MODEL_WORDS_MAX, 0, &c->rows) ||
        !encoder_number(r, "hidden_size", 1, MODEL_WIDTH_MAX, 0, &c->width) ||
        !encoder_number(r, "num_hidden_layers", 1, MODEL_LAYERS_MAX, 0, &c->layers) ||
        !encoder_number(r, "num_attention_heads", 1, MODEL_WIDTH_MAX, 0, &c->heads) ||
        !encoder_number(r, "intermediate_size", 1, MODEL_INNER_MAX, 0, &c->inner) ||
        !encoder_number(r, "type_vocab_size", 1, 16, 2, &c->types) ||
        (padded && !encoder_number(r, "pad_token_id", 0, 1 << 10, 1, &pad)))
        return false;
    c->offset = padded ? pad + 1 : 0;
    if (!encoder_number(r, "max_position_embeddings", c->offset + 2, MODEL_POSITIONS_MAX,
                        0, &c->positions))
        return false;
    c->positions -= c->offset;
    return encoder_bend(r) && encoder_epsilon(r) && encoder_divides(r);
}

/* --- the files of sentence-transformers --- */

static bool encoder_modules(struct encoder_reading *r, str text)
{
    static const char *const known[] = {"Transformer", "Pooling", "Normalize"};
    const struct json *list;
    if (!encoder_parse(r, "modules.json", text, &list))
        return false;
    for (const struct json *m = json_is(list, JSON_ARRAY) ? list->child : NULL; m != NULL;
         m = m->next) {
        str type = json_get_str(m, STR("type"));
        bool found = false;
        for (size_t i = 0; i < COUNT_OF(known); i++)
            found = found || str_ends(type, str_c(known[i]));
        if (!found)
            return encoder_refuse(r, "modules.json", "the module", type,
                                  "Transformer, Pooling and Normalize are");
    }
    return true;
}

/* Vectors get the length 1, so the mean and the sum divided by anything are the same. */
static const struct encoder_pooling {
    const char *name, *key;
    bool can;
    enum model_pooling pooling;
} encoder_poolings[] = {
    {"cls", "pooling_mode_cls_token", true, MODEL_FIRST},
    {"mean", "pooling_mode_mean_tokens", true, MODEL_MEAN},
    {"mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens", true, MODEL_MEAN},
    {"max", "pooling_mode_max_tokens", false, MODEL_MEAN},
    {"weightedmean", "pooling_mode_weightedmean_tokens", false, MODEL_MEAN},
    {"lasttoken", "pooling_mode_lasttoken", false, MODEL_MEAN},
};

static bool encoder_pooling(struct encoder_reading *r, str text)
{
    const struct json *j;
    const struct encoder_pooling *found = NULL;
    size_t n = 0;
    if (!encoder_parse(r, "1_Pooling/config.json", text, &j) || j == NULL)
        return text.n == 0;
    for (size_t i = 0; i < COUNT_OF(encoder_poolings); i++) {
        const struct encoder_pooling *p = &encoder_poolings[i];
        if (json_get_true(j, str_c(p->key)) ||
            str_eq(json_get_str(j, STR("pooling_mode")), str_c(p->name))) {
            found = p;
            n++;
        }
    }
    if (n != 1 || !found->can)
        return encoder_refuse(r, "1_Pooling/config.json", "pooling by",
                              n != 1 ? STR("several or no modes") : str_c(found->name),
                              "mean and cls are");
    if (json_is(json_get(j, STR("include_prompt")), JSON_FALSE))
        return encoder_refuse(r, "1_Pooling/config.json", "include_prompt", STR("false"),
                              "true is");
    r->out->pooling = found->pooling;
    r->out->has_pooling = true;
    return true;
}

static bool encoder_length(struct encoder_reading *r, str text)
{
    const struct json *j;
    struct model_config *c = r->out;
    int64_t n = c->positions;
    if (!encoder_parse(r, "sentence_bert_config.json", text, &j))
        return false;
    (void)json_int(json_get(j, STR("max_seq_length")), &n);
    if (n < 2)
        return err_set(r->err, ERR_INVALID,
                       "sentence_bert_config.json: max_seq_length is less than 2");
    n = n < c->positions ? n : c->positions;
    c->length = n < TOKENS_MAX ? (uint32_t)n : TOKENS_MAX;
    return true;
}

static bool encoder_prompts(struct encoder_reading *r, str text)
{
    const struct json *j;
    if (!encoder_parse(r, "config_sentence_transformers.json", text, &j))
        return false;
    const struct json *prompts = json_get(j, STR("prompts"));
    r->out->query = json_get_str(prompts, STR("query"));
    r->out->chunk = json_get_str(prompts, STR("passage"));
    if (r->out->chunk.n == 0)
        r->out->chunk = json_get_str(prompts, STR("document"));
    return true;
}

bool model_config_read(struct arena *a, const struct model_files *files,
                       struct model_config *out, struct err *err)
{
    struct encoder_reading r = {.arena = a, .out = out, .err = err};
    *out = (struct model_config){0};
    return encoder_parse(&r, "config.json", files->config, &r.config) &&
           encoder_sizes(&r) && encoder_modules(&r, files->modules) &&
           encoder_pooling(&r, files->pooling) && encoder_length(&r, files->sentence) &&
           encoder_prompts(&r, files->prompts);
}
