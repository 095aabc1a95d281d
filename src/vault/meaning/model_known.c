#include "vault/meaning/model_known.h"

/* The texts that XLM-R and Multilingual MiniLM learnt from. */
#define KNOWN_XLM_R                                                                      \
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd "  \
    "gl gu ha he hi hr hu hy id is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml "  \
    "mn mr ms my nb ne nl nn no om or pa pl ps pt ro ru sa sd si sk sl so sq sr su sv "  \
    "sw ta te th tl tr ug uk ur uz vi xh yi zh"

static const struct known_model known_models[] = {
    {
        .name = "all-MiniLM-L6-v2",
        .reads = "English",
        .languages = "en",
        .licence = "Apache-2.0",
        .length = 256,
        .width = 384,
        .layers = 6,
        .weak = 0.30f,
        .sha256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    },
    {
        .name = "multilingual-e5-small",
        .query = "query: ",
        .chunk = "passage: ",
        .reads = "about 100 languages",
        .languages = KNOWN_XLM_R,
        .licence = "MIT",
        .length = 512,
        .width = 384,
        .layers = 12,
        .sha256 = "1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477",
    },
    {
        .name = "multilingual-e5-base",
        .query = "query: ",
        .chunk = "passage: ",
        .reads = "about 100 languages",
        .languages = KNOWN_XLM_R,
        .licence = "MIT",
        .length = 512,
        .width = 768,
        .layers = 12,
    },
    {
        .name = "paraphrase-multilingual-MiniLM-L12-v2",
        .reads = "about 50 languages",
        .languages =
            "ar bg ca cs da de el en es et fa fi fr gl gu he hi hr hu hy id it ja "
            "ka ko ku lt lv mk mn mr ms my nb nl no pl pt ro ru sk sl sq sr sv th "
            "tr uk ur vi zh",
        .licence = "Apache-2.0",
        .length = 128,
        .width = 384,
        .layers = 12,
        .sha256 = "eaa086f0ffee582aeb45b36e34cdd1fe2d6de2bef61f8a559a1bbc9bd955917b",
    },
    {
        .name = "bge-small-en-v1.5",
        .query = "Represent this sentence for searching relevant passages: ",
        .reads = "English",
        .languages = "en",
        .licence = "MIT",
        .length = 512,
        .width = 384,
        .layers = 12,
        .pooling = MODEL_FIRST,
        .sha256 = "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad",
    },
    {
        .name = "gte-multilingual-base",
        .refused = "it has rotary positions and gated layers, which the built-in engine "
                   "does not have; multilingual-e5-base reads the same languages",
    },
};

const struct known_model *known_model_find(str name)
{
    for (size_t i = 0; i < COUNT_OF(known_models); i++)
        if (str_eq_nocase(name, str_c(known_models[i].name)))
            return &known_models[i];
    return NULL;
}
