#include "vault/text/language.h"

/* Words that are frequent in nearly every text of a language, between spaces. */
static const str common[] = {
    STR(" the of and to in is that it for was on are with as be at by have from this not "
        "but what all were when your can there use an each which she do how their if "
        "will "
        "up other about out many then them these so some her would make like him into "
        "time has look more see no way could people my than first been who its now find "
        "down did get come made may part over where why does should while after before "
        "between both being here just also very only most such any our us me you we they "
        "or whose whom those because during without within under again "),
    STR(" der die das und ist in zu den dem des mit von fur auf nicht ein eine einen als "
        "auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie "
        "einem uber so zum war haben nur oder aber vor zur bis mehr durch man sein wurde "
        "ich wir ihr kann wenn was wo wer warum welche "),
    STR(" le la les des et est un une du dans que pour qui sur pas au avec ce il sont "
        "par "
        "plus ne se en de cette ont aux mais comme ou nous vous son leur etre fait tout "
        "elle quand comment pourquoi "),
    STR(" el la los las de que y en un una es por con para se del al lo como mas pero "
        "sus "
        "ya este si porque esta entre cuando muy sin sobre tambien hasta hay donde quien "
        "desde todo nos "),
    STR(" de que e do da em um para com nao uma os no se na por mais as dos como mas foi "
        "ao ele das tem seu sua ou ser quando muito nos ja esta eu tambem pelo pela ate "
        "isso onde "),
    STR(" di che e il la un a per in una sono mi ho lo ma ha le si ti con cosa se io "
        "come "
        "da ci questo della del nel alla gli dei delle anche piu non dove quando "),
    STR(" de het een en van ik te dat die in is niet zijn je op aan met als voor had er "
        "maar om dan zou wat mijn men dit zo door over ze zich bij ook tot uit worden "
        "naar heeft hoe waarom waar "),
    STR(" och att det som en pa ar av for med till den har de inte om ett han men var "
        "jag "
        "fran vi sa kan nar eller hur vad "),
    STR(" og at det er en til pa som med de for den af har ikke der et var han men kan "
        "vi "
        "om sa hvad hvor jeg "),
    STR(" og det er pa som en til av for med at har de ikke den et var han men om vi kan "
        "sa jeg hva hvor "),
    STR(" ja on ei se etta han oli mutta ovat kun niin kuin tai myos ole joka sita mita "
        "sen missa "),
    STR(" az es hogy nem is egy ez meg ha de mint csak vagy mar volt van kell "),
    STR(" ve bir bu da de icin ile olarak cok daha gibi kadar ne ama en var olan sonra "),
    STR(" si de la in cu nu este pe un sa ce mai din care pentru sunt "),
    STR(" yang dan di itu dengan untuk tidak ini dari dalam akan pada juga "),
    STR(" nie sie jest na do to ze co jak jest czy dla przez "),
    STR(" je se na to ze za po jak ale pro tak jsem "),
    STR(" и в не на что с я по это как но он все она так его за был от у же о из для вы "
        "мы "
        "при если или когда где чтобы который почему "),
    STR(" і в не на що з як та це до за для від коли де "),
    STR(" και το να του η της με που την απο για ειναι στο δεν "),
    STR(" في من على أن إلى هذا التي الذي عن مع كان "),
    STR(" و در به از که این را با است برای "),
    STR(" של את על לא הוא זה עם היא "),
};

static bool is_listed(str words, str word)
{
    for (size_t at = 0, i; (i = str_find(str_skip(words, at), word)) != STR_NONE;) {
        at += i + word.n;
        if (words.p[at - word.n - 1] == ' ' && words.p[at] == ' ')
            return true;
    }
    return false;
}

bool language_has_common(str word)
{
    bool found = false;
    for (size_t i = 0; word.n > 0 && i < COUNT_OF(common) && !found; i++)
        found = is_listed(common[i], word);
    return found;
}
