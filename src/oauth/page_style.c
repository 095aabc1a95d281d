/* One sheet for all pages: light and dark, from a phone to a wide screen. */
#include "oauth/page.h"

#define LIGHT                                                                            \
    "--ground:#f3f2f7;--card:#fff;--text:#1d1a26;--soft:#5b5668;--line:#d9d6e2;"         \
    "--field:#fff;--edge:#8b8599;--accent:#5b3fd6;--accent-strong:#4a31b8;"              \
    "--on-accent:#fff;--tint:#f0edfc;--warn:#7a4300;--warn-ground:#fff4e0;"              \
    "--warn-line:#e8b765;--bad:#a4161a;--bad-ground:#fdecec;--bad-line:#e5a3a5;"         \
    "--good:#14592f;--good-ground:#e8f6ed;--good-line:#9ccfb0;"                          \
    "--shadow:0 1px 2px rgba(29,26,38,.06),0 12px 32px rgba(29,26,38,.08);"

#define DARK                                                                             \
    "--ground:#131118;--card:#1d1a24;--text:#ebe8f2;--soft:#aea8bd;--line:#353042;"      \
    "--field:#15131b;--edge:#7d768f;--accent:#a994ff;--accent-strong:#bfb0ff;"           \
    "--on-accent:#1a1230;--tint:#28223a;--warn:#ffd591;--warn-ground:#33270f;"           \
    "--warn-line:#7a5a1d;--bad:#ffb3b3;--bad-ground:#3a1a1d;--bad-line:#8a3c41;"         \
    "--good:#a6e3bd;--good-ground:#14301f;--good-line:#2f6b46;"                          \
    "--shadow:0 1px 2px rgba(0,0,0,.3),0 16px 40px rgba(0,0,0,.35);"

const str page_style = STR(
    ":root{color-scheme:light dark;" LIGHT "}"
    "@media (prefers-color-scheme:dark){:root{" DARK "}}"
    "*{box-sizing:border-box}"
    "html{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',"
    "sans-serif;background:var(--ground);color:var(--text);"
    "-webkit-text-size-adjust:100%}"
    "body{margin:0 auto;max-width:27rem;min-height:100vh;padding:2rem 1rem;display:flex;"
    "flex-direction:column;justify-content:center}"
    "body.wide{max-width:46rem;justify-content:flex-start}"
    "header{display:flex;align-items:center;gap:.6rem;margin:0 .25rem 1rem;"
    "font-weight:600}"
    ".vault,h1,h2,h3,p,li,dd,bdi{overflow-wrap:anywhere;min-width:0}"
    ".mark{flex:none}.mark-fill{fill:var(--accent)}.mark-line{fill:var(--card)}"
    "main{background:var(--card);border:1px solid var(--line);border-radius:1rem;"
    "padding:1.75rem;box-shadow:var(--shadow)}"
    "footer{margin:1rem .25rem 0;color:var(--soft);font-size:.8125rem}"
    "h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem;letter-spacing:-.01em;"
    "text-wrap:balance}"
    "h1 strong{font-weight:inherit;color:var(--accent-strong)}"
    "h2{font-size:1.0625rem;margin:2rem 0 .25rem}"
    "h3{font-size:1rem;margin:0}"
    "p{margin:.5rem 0 1rem}"
    "main>:last-child{margin-bottom:0}"
    ".soft{color:var(--soft)}.soft strong,.who "
    "strong{color:var(--text)}.small{font-size:.875rem}"
    "a{color:var(--accent-strong)}"

    /* forms */
    "form{margin:0}"
    "label{display:block;font-weight:600;margin:1rem 0 .375rem}"
    "input[type=text],input[type=password]{width:100%;font:inherit;color:inherit;"
    "background:var(--field);border:1px solid var(--edge);border-radius:.5rem;"
    "padding:.625rem .75rem;min-height:2.75rem}"
    "button,.button{font:inherit;font-weight:600;cursor:pointer;display:inline-flex;"
    "align-items:center;justify-content:center;gap:.5rem;min-height:2.75rem;"
    "padding:.5rem 1.125rem;border-radius:.5rem;border:1px solid var(--edge);"
    "background:var(--card);color:var(--text);text-decoration:none}"
    "button:hover,.button:hover{border-color:var(--accent);background:var(--tint)}"
    "button.main{background:var(--accent);border-color:var(--accent);"
    "color:var(--on-accent)}"
    "button.main:hover{background:var(--accent-strong);"
    "border-color:var(--accent-strong)}"
    "button.full{width:100%;margin-top:1.25rem}"
    "button.link{border:0;background:none;padding:0;min-height:1.5rem;font-weight:400;"
    "color:var(--accent-strong);text-decoration:underline}"
    "button.link:hover{background:none;text-decoration-thickness:2px}"
    "button.small{min-height:2.25rem;padding:.25rem .875rem;font-size:.875rem;flex:none}"
    ":focus-visible{outline:3px solid var(--accent);outline-offset:2px;"
    "border-radius:.375rem}"
    "input:focus-visible{outline-offset:0}"
    ".actions{display:flex;flex-direction:row-reverse;gap:.75rem;margin-top:1.5rem}"
    ".actions button{flex:1}"
    ".or{display:flex;align-items:center;gap:.75rem;color:var(--soft);"
    "font-size:.875rem;margin:1.5rem 0 0}"
    ".or::before,.or::after{content:'';flex:1;border-top:1px solid var(--line)}"

    /* choices */
    "fieldset{border:0;margin:1.5rem 0 0;padding:0;min-width:0}"
    "legend{font-weight:600;padding:0;margin-bottom:.5rem}"
    ".choice{display:grid;grid-template-columns:auto 1fr;gap:0 .75rem;font-weight:400;"
    "margin:0;padding:.75rem .875rem;border:1px solid var(--line);cursor:pointer}"
    ".choice:first-of-type{border-radius:.625rem .625rem 0 0}"
    ".choice:last-of-type{border-radius:0 0 .625rem .625rem}"
    ".choice:first-of-type:last-of-type{border-radius:.625rem}"
    ".choice+.choice{border-top:0}"
    ".choice:hover,.choice:focus-within{background:var(--tint)}"
    ".choice b{font-weight:600}"
    ".choice span{grid-column:2;color:var(--soft);font-size:.875rem}"
    "input[type=radio],input[type=checkbox]{accent-color:var(--accent);width:1.125rem;"
    "height:1.125rem;margin:.2rem 0 0}"
    ".folders{list-style:none;margin:.5rem 0 0;padding:.375rem .875rem;"
    "max-height:15.5rem;overflow:auto;border:1px solid var(--line);"
    "border-radius:.625rem}"
    ".folders label{display:flex;gap:.75rem;font-weight:400;margin:0;padding:.375rem 0;"
    "cursor:pointer}"
    ".folders input{flex:none}"
    ".where:not(:has([value=some]:checked)) .folders{display:none}"

    /* facts and messages */
    ".facts{margin:1.25rem 0 0;border:1px solid var(--line);border-radius:.625rem;"
    "font-size:.9375rem}"
    ".facts div{display:grid;grid-template-columns:7.5rem 1fr;gap:.75rem;"
    "padding:.5rem .875rem}"
    ".facts div+div{border-top:1px solid var(--line)}"
    "dt{color:var(--soft)}dd{margin:0;font-weight:500}"
    ".alert,.warning,.notice{border:1px solid;border-radius:.625rem;"
    "padding:.625rem .875rem;margin:1rem 0 0;font-size:.9375rem}"
    ".alert{color:var(--bad);background:var(--bad-ground);border-color:var(--bad-line)}"
    ".warning{color:var(--warn);background:var(--warn-ground);"
    "border-color:var(--warn-line)}"
    ".notice{color:var(--good);background:var(--good-ground);"
    "border-color:var(--good-line)}"
    ".who{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline;"
    "justify-content:space-between;margin:1.25rem 0 0;font-size:.875rem;"
    "color:var(--soft)}"

    /* lists of /account */
    ".top{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;"
    "justify-content:space-between}"
    ".top h1{margin:0}"
    ".rows{list-style:none;margin:.75rem 0 0;padding:0;border:1px solid var(--line);"
    "border-radius:.75rem}"
    ".rows li{display:flex;align-items:center;gap:1rem;padding:.875rem 1rem}"
    ".rows li+li{border-top:1px solid var(--line)}"
    ".rows .body{flex:1;min-width:0}"
    ".rows p{margin:.125rem 0 0}"
    ".tag{display:inline-block;font-size:.8125rem;font-weight:600;border-radius:1rem;"
    "padding:0 .625rem;background:var(--tint);color:var(--accent-strong);"
    "margin-right:.375rem}"
    ".empty{border:1px dashed var(--line);border-radius:.75rem;padding:1rem;"
    "margin:.75rem 0 0;color:var(--soft)}"

    "@media (max-width:30rem){body{padding:1.25rem .75rem;justify-content:flex-start}"
    "main{padding:1.25rem}.facts div{grid-template-columns:1fr;gap:0}"
    ".rows li{flex-direction:column;align-items:stretch;gap:.75rem}"
    ".rows button{width:100%;min-height:2.75rem}}"
    "@media (forced-colors:active){.mark-fill{fill:CanvasText}.mark-line{fill:Canvas}}");
