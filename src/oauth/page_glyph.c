/* Small pictures in the colour of the text beside them, drawn for these pages. */
#include "oauth/html.h"
#include "oauth/page.h"

static const char *const shapes[] = {
    [GLYPH_HOME] = "<path d=\"M2.5 7.5 8 3l5.5 4.5V13h-4V9.5h-3V13h-4Z\"/>",
    [GLYPH_CHANGES] = "<circle cx=\"8\" cy=\"8\" r=\"5.5\"/><path d=\"M8 5v3l2 1.5\"/>",
    [GLYPH_PROPOSALS] =
        "<path d=\"M2.5 9.5 4.5 3h7l2 6.5V13h-11Zm0 0H6l1 1.5h2l1-1.5h3.5\"/>",
    [GLYPH_MAP] = "<circle cx=\"4\" cy=\"4.5\" r=\"1.75\"/><circle cx=\"12\" cy=\"6\" "
                  "r=\"1.75\"/><circle cx=\"6\" cy=\"12\" r=\"1.75\"/>"
                  "<path d=\"M5.7 4.9 10.3 5.7M4.4 6.2 5.6 10.3M10.8 7.3 7.2 10.8\"/>",
    [GLYPH_SEARCH] =
        "<circle cx=\"7\" cy=\"7\" r=\"4.25\"/><path d=\"m10.2 10.2 3.3 3.3\"/>",
    [GLYPH_ACCOUNT] = ("<circle cx=\"8\" cy=\"5.5\" r=\"2.5\"/>"
                       "<path d=\"M3 13.5c.5-3 2.5-4 5-4s4.5 1 5 4\"/>"),
    [GLYPH_CREATED] = "<path d=\"M9 2.5H4v11h8v-8Zm0 0V5.5h3M8 7.5v4M6 9.5h4\"/>",
    [GLYPH_CHANGED] = "<path d=\"m3 13 .7-3L10.5 3.2l2.3 2.3L6 12.3Z\"/>",
    [GLYPH_MOVED] = "<path d=\"M2.5 8h10M9 4.5 12.5 8 9 11.5\"/>",
    [GLYPH_DELETED] = "<path d=\"M3 4.5h10M6 4.5v-2h4v2M4.5 4.5 5 13.5h6l.5-9\"/>",
    [GLYPH_UNDO] = "<path d=\"M5.5 3 2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6\"/>",
    [GLYPH_NOTE] = "<path d=\"M9 2.5H4v11h8v-8Zm0 0V5.5h3M6 8.5h4M6 11h4\"/>",
};

void page_glyph(struct html *h, enum page_glyph g)
{
    html_raw(h, STR("<svg class=\"icon\" viewBox=\"0 0 16 16\" aria-hidden=\"true\" "
                    "focusable=\"false\">"));
    html_raw(h, str_c(shapes[g]));
    html_raw(h, STR("</svg>"));
}
