/* The style of all pages: light and dark, from a phone to a wide screen, and on paper. It is made
 * of parts, as the map has a style of its own and takes only some of them. */
#include "oauth/page.h"

#define LIGHT                                                                            \
    "--ground:#faf9fc;--hover:#f7f6fb;--card:#fff;--text:#1d1a26;--soft:#5b5668;--line:" \
    "#d9d6e2;"                                                                           \
    "--field:#fff;--edge:#8b8599;--accent:#5b3fd6;--accent-strong:#4a31b8;"              \
    "--on-accent:#fff;--tint:#f0edfc;--warn:#7a4300;--warn-ground:#fff4e0;"              \
    "--warn-line:#e8b765;--bad:#a4161a;--bad-ground:#fdecec;--bad-line:#e5a3a5;"         \
    "--good:#14592f;--good-ground:#e8f6ed;--good-line:#9ccfb0;"                          \
    "--shadow:0 1px 2px rgba(29,26,38,.06),0 12px 32px rgba(29,26,38,.08);"

#define DARK                                                                             \
    "--ground:#131118;--hover:#221f2b;--card:#1d1a24;--text:#ebe8f2;--soft:#aea8bd;--"   \
    "line:#353042;"                                                                      \
    "--field:#15131b;--edge:#7d768f;--accent:#a994ff;--accent-strong:#bfb0ff;"           \
    "--on-accent:#1a1230;--tint:#28223a;--warn:#ffd591;--warn-ground:#33270f;"           \
    "--warn-line:#7a5a1d;--bad:#ffb3b3;--bad-ground:#3a1a1d;--bad-line:#8a3c41;"         \
    "--good:#a6e3bd;--good-ground:#14301f;--good-line:#2f6b46;"                          \
    "--shadow:0 1px 2px rgba(0,0,0,.3),0 16px 40px rgba(0,0,0,.35);"

#define THEME_STYLE                                                                      \
    ":root{color-scheme:light dark;" LIGHT "}"                                           \
    "@media (prefers-color-scheme:dark){:root{" DARK "}}"

/* The header of all pages. */
#define BAR_STYLE                                                                        \
    ".bar{display:flex;align-items:center;gap:.25rem 1.25rem;padding:.375rem 1.25rem;"   \
    "background:var(--card);border-bottom:1px solid var(--line);min-height:3.25rem;"     \
    "font-size:.9375rem}"                                                                \
    ".bar .home{display:flex;align-items:center;gap:.625rem;color:inherit;flex:none;"    \
    "text-decoration:none;font-weight:600}"                                              \
    ".bar .vault{max-width:14rem;overflow:hidden;text-overflow:ellipsis;"                \
    "white-space:nowrap;overflow-wrap:normal}"                                           \
    ".bar .mark{flex:none}.mark-fill{fill:var(--accent)}.mark-line{fill:var(--card)}"    \
    ".bar nav{display:flex;gap:.125rem}"                                                 \
    ".bar nav a{display:flex;align-items:center;gap:.4375rem;padding:.375rem .625rem;"   \
    "border-radius:.4375rem;color:var(--soft);text-decoration:none;white-space:nowrap}"  \
    ".bar nav a:hover{color:var(--text);background:var(--tint)}"                         \
    ".bar nav a[aria-current]{color:var(--accent-strong);background:var(--tint)}"        \
    ".bar .icon{flex:none;width:1rem;height:1rem;fill:none;stroke:currentColor;"         \
    "stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}"                      \
    ".bar .vaults{margin-left:auto;overflow-x:auto}"                                     \
    ".bar .vaults a{font-size:.875rem}"                                                  \
    ".count{font-weight:500;font-size:.75rem;background:var(--accent);"                  \
    "color:var(--on-accent);border-radius:1rem;padding:0 .4rem}"                         \
    ".bar .find{margin:0 0 0 auto;flex:0 1 18rem;min-width:6rem}"                        \
    ".bar .find input{width:100%;font:inherit;font-size:.875rem;color:inherit;"          \
    "background:var(--ground);border:1px solid var(--line);border-radius:.4375rem;"      \
    "padding:.25rem .625rem;min-height:2.125rem}"                                        \
    ".bar .vaults+.find{margin-left:0}"                                                  \
    "@media (max-width:56rem){.bar{flex-wrap:wrap;padding:.375rem .75rem}"               \
    ".bar nav{flex-basis:100%;overflow-x:auto;order:2;scrollbar-width:none}"             \
    ".bar .vaults{order:3}.bar .find{flex:1 1 8rem}}"                                    \
    "@media (max-width:30rem){.bar nav a{padding:.375rem .5rem;font-size:.875rem}"       \
    ".bar nav:not(.vaults) .icon{display:none}}"

/* A note as it is shown, also in the map. */
#define NOTE_STYLE                                                                       \
    ".note{overflow-wrap:anywhere}"                                                      \
    ".note .p{margin:.75rem 0}.note>:first-child{margin-top:0}"                          \
    ".note h2,.note h3,.note h4,.note h5,.note h6{line-height:1.3;margin:1.75rem 0 "     \
    ".5rem;"                                                                             \
    "scroll-margin-top:1rem}"                                                            \
    ".note strong,.note :is(h2,h3,h4,h5,h6){font-weight:600}"                            \
    ".note h2{font-size:1.375rem}.note h3{font-size:1.1875rem}"                          \
    ".note h4{font-size:1.0625rem}.note h5,.note h6{font-size:1rem}"                     \
    ".note ul,.note ol{padding-left:1.5rem;margin:.5rem 0}.note li{margin:.2rem 0}"      \
    ".note li>ul,.note li>ol{margin:0}"                                                  \
    ".note .task{list-style:none;margin-left:-1.5rem}"                                   \
    ".note .task>input{margin:0 .25rem 0 0;vertical-align:-.15rem}"                      \
    ".note blockquote{margin:.75rem 0;padding:0 0 0 1rem;"                               \
    "border-left:3px solid var(--line);color:var(--soft)}"                               \
    ".note hr{border:0;border-top:1px solid var(--line);margin:1.5rem 0}"                \
    ".note img{max-width:100%;height:auto;border-radius:.375rem}"                        \
    "code.in{display:inline;padding:.1rem .3rem;margin:0;font-size:.875em;"              \
    "user-select:auto}"                                                                  \
    "pre.code{background:var(--tint);border-radius:.5rem;padding:.75rem "                \
    "1rem;overflow:auto;"                                                                \
    "font:.8125rem/1.6 ui-monospace,monospace;margin:.75rem 0;white-space:pre-wrap}"     \
    "pre.code[data-language]::before{content:attr(data-language);display:block;"         \
    "color:var(--soft);font-size:.75rem;margin-bottom:.25rem}"                           \
    ".table{overflow-x:auto;margin:.75rem 0}"                                            \
    "table{border-collapse:collapse;font-size:.9375rem}"                                 \
    "th,td{border:1px solid var(--line);padding:.375rem .75rem;text-align:start;"        \
    "vertical-align:top;overflow-wrap:normal}"                                           \
    "th{background:var(--tint);font-weight:500}"                                         \
    ".right{text-align:end}.middle{text-align:center}"                                   \
    ".callout{border:1px solid var(--line);border-left:4px solid var(--accent);"         \
    "border-radius:.5rem;padding:.5rem 1rem;margin:.75rem 0;background:var(--tint)}"     \
    ".callout-title{font-weight:600;font-size:1rem;color:var(--text)}"                   \
    ".callout .p{margin:.375rem 0}"                                                      \
    ".callout.good{border-left-color:var(--good);background:var(--good-ground)}"         \
    ".callout.warn{border-left-color:var(--warn-line);background:var(--warn-ground)}"    \
    ".callout.bad{border-left-color:var(--bad);background:var(--bad-ground)}"            \
    ".callout.calm{border-left-color:var(--edge);background:none}"                       \
    ".embed{border-left:3px solid var(--accent);padding-left:1rem;margin:.75rem 0}"      \
    ".embed-title{font-size:.8125rem;text-decoration:none}"                              \
    "a.tag{text-decoration:none}"                                                        \
    ".missing{color:var(--soft);border-bottom:1px dashed var(--edge)}"                   \
    ".outside::after{content:'\\2197';font-size:.75em;margin-left:.1em}"                 \
    ".footnotes{border-top:1px solid var(--line);margin-top:2rem;font-size:.875rem}"     \
    ".footnotes .p{margin:0}sup{line-height:0}"                                          \
    ".state-box{display:inline-block;width:1.05em;height:1.05em;margin:0 .35rem 0 0;"    \
    "border:1.5px solid var(--edge);border-radius:.25em;font:600 .8em/1 "                \
    "ui-monospace,monospace;text-align:center;vertical-align:-.1em}"

const str page_style = STR(
    THEME_STYLE BAR_STYLE
    "*{box-sizing:border-box}"
    "html{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',"
    "sans-serif;background:var(--ground);color:var(--text);"
    "-webkit-text-size-adjust:100%}"
    "body{margin:0;min-height:100vh;display:flex;flex-direction:column}"
    ".vault,h1,h2,h3,p,li,dd,bdi{overflow-wrap:anywhere;min-width:0}"
    "main{width:100%;max-width:29rem;margin:0 auto;padding:1rem}"
    "body:not(.wide) main{background:var(--card);border:1px solid var(--line);"
    "border-radius:.75rem;padding:1.75rem;margin:auto;width:calc(100% - 1.5rem)}"
    "body:not(.wide) .bar{background:none;border-color:transparent}"
    "body.wide main{max-width:62rem;padding:1.5rem 1.25rem 3rem}"
    "body.full main{max-width:100rem}"
    "footer{width:100%;max-width:100rem;margin:auto auto 0;padding:.75rem 1.25rem 1rem;"
    "color:var(--soft);font-size:.8125rem}"
    "footer a{color:inherit}"
    ".icon{flex:none;width:1em;height:1em;fill:none;stroke:currentColor;stroke-width:1."
    "75;"
    "stroke-linecap:round;stroke-linejoin:round;vertical-align:-.125em}"
    "h1{font-size:1.375rem;font-weight:600;line-height:1.3;margin:0 0 .25rem;"
    "letter-spacing:-.01em;text-wrap:balance}"
    "h1 strong{font-weight:inherit;color:var(--accent-strong)}"
    "h2{font-size:1rem;font-weight:600;margin:2rem 0 .25rem}"
    "h3{font-size:.9375rem;font-weight:500;margin:0}"
    "p{margin:.5rem 0 1rem}"
    "main>:last-child{margin-bottom:0}strong{font-weight:500}"
    ".soft{color:var(--soft)}.soft strong,.who "
    "strong{color:var(--text)}.small{font-size:.875rem}"
    "a{color:var(--accent-strong)}"

    /* forms */
    "form{margin:0}"
    "label{display:block;font-weight:500;margin:1rem 0 .375rem}"
    "input[type=text],input[type=password]{width:100%;font:inherit;color:inherit;"
    "background:var(--field);border:1px solid var(--edge);border-radius:.5rem;"
    "padding:.625rem .75rem;min-height:2.75rem}"
    "button,.button{font:inherit;font-weight:500;font-size:.9375rem;cursor:pointer;"
    "display:inline-flex;"
    "align-items:center;justify-content:center;gap:.5rem;min-height:2.75rem;"
    "padding:.5rem 1.125rem;border-radius:.5rem;border:1px solid var(--edge);"
    "background:var(--card);color:var(--text);text-decoration:none}"
    "button:hover,.button:hover{border-color:var(--accent);background:var(--tint)}"
    "button.danger{color:var(--bad);border-color:var(--bad-line)}"
    "button.danger:hover{border-color:var(--bad);background:var(--bad-ground)}"
    "button.main{background:var(--accent);border-color:var(--accent);"
    "color:var(--on-accent)}"
    "button.main:hover{background:var(--accent-strong);"
    "border-color:var(--accent-strong)}"
    "button.full{width:100%;margin-top:1.25rem}"
    "button.link{border:0;background:none;padding:0;min-height:1.5rem;font-weight:400;"
    "color:var(--accent-strong);text-decoration:underline}"
    "button.link:hover{background:none;text-decoration-thickness:2px}"
    "button.small,.button.small{min-height:2rem;padding:.125rem "
    ".75rem;font-size:.8125rem;"
    "flex:none;border-color:var(--line)}"
    ".small.danger{border-color:var(--bad-line)}"
    "button.quiet{border-color:transparent;background:none;color:var(--soft)}"
    "button.quiet:hover,button.quiet:focus-visible{color:var(--text);"
    "border-color:var(--line)}"
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
    "legend{font-weight:500;padding:0;margin-bottom:.5rem}"
    ".choice{display:grid;grid-template-columns:auto 1fr;gap:0 .75rem;font-weight:400;"
    "margin:0;padding:.75rem .875rem;border:1px solid var(--line);cursor:pointer}"
    ".choice:first-of-type{border-radius:.625rem .625rem 0 0}"
    ".choice:last-of-type{border-radius:0 0 .625rem .625rem}"
    ".choice:first-of-type:last-of-type{border-radius:.625rem}"
    ".choice+.choice{border-top:0}"
    ".choice:hover,.choice:focus-within{background:var(--tint)}"
    ".choice b{font-weight:500}"
    ".choice span{grid-column:2;color:var(--soft);font-size:.875rem}"
    "input[type=radio],input[type=checkbox]{accent-color:var(--accent);width:1.125rem;"
    "height:1.125rem;margin:.2rem 0 0}"
    ".folders{list-style:none;margin:.5rem 0 0;padding:.375rem .875rem;"
    "max-height:15.5rem;overflow:auto;border:1px solid var(--line);"
    "border-radius:.625rem}"
    ".folders label{display:flex;gap:.75rem;font-weight:400;margin:0;padding:.375rem 0;"
    "cursor:pointer}"
    ".folders label{align-items:center;justify-content:space-between}"
    "select{font:inherit;color:inherit;background:var(--field);border:1px solid "
    "var(--edge);border-radius:.5rem;padding:.375rem .5rem;min-height:2.75rem;"
    "flex:none;max-width:60%}"
    ".tools{list-style:none;margin:.5rem 0 0;padding:0}"
    ".tools label{display:flex;gap:.75rem;align-items:center;font-weight:400;margin:0;"
    "min-height:2.75rem;cursor:pointer}.tools input{margin:0;flex:none}"
    ".tools .tag{margin-left:auto}.paths{padding-left:1.25rem;margin:.25rem 0}"
    ".rows .tools li,.rows .paths li{display:block;padding:0;border:0}"
    "h4{font-size:.875rem;margin:.75rem 0 0}"
    ".where:not(:has([value=each]:checked)) .folders{display:none}"
    ".where:not(:has([value=each]:checked)) .among{display:none}"
    ".among{width:100%;margin:.5rem 0 0}.folders [hidden]{display:none}"
    ".folders .nested{padding-left:1rem}.folders .nested bdi{color:var(--soft)}"
    "details{margin:.5rem 0 0}summary{cursor:pointer;font-size:.875rem;"
    "color:var(--accent-strong)}details button{margin-top:.75rem}"

    /* facts and messages */
    ".facts{margin:1.25rem 0 0;border:1px solid var(--line);border-radius:.625rem;"
    "font-size:.875rem;background:var(--card)}"
    ".facts>div{display:grid;grid-template-columns:7.5rem 1fr;gap:.75rem;"
    "padding:.5rem .875rem}"
    ".facts>div+div{border-top:1px solid var(--line)}"
    "dt{color:var(--soft)}dd{margin:0}"
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
    "border-radius:.625rem;background:var(--card)}"
    ".rows li{display:flex;align-items:center;gap:.75rem;padding:.625rem 1rem}"
    ".rows>li:hover{background:var(--hover)}"
    ".rows li>.icon{color:var(--soft);align-self:flex-start;margin-top:.3rem}"
    ".rows li+li{border-top:1px solid var(--line)}"
    ".rows .body{flex:1;min-width:0}"
    ".rows p{margin:.125rem 0 0}"
    ".tag{display:inline-block;font-size:.75rem;font-weight:500;border-radius:1rem;"
    "padding:0 .625rem;background:var(--tint);color:var(--accent-strong);"
    "margin-right:.375rem}"
    ".empty{border:1px dashed var(--line);border-radius:.75rem;padding:1rem;"
    "margin:.75rem 0 0;color:var(--soft)}"

    /* changes, and the front page */
    "code{display:block;margin-top:.25rem;padding:.375rem .625rem;border-radius:.375rem;"
    "background:var(--tint);font:.875rem/1.5 ui-monospace,monospace;"
    "overflow-wrap:anywhere;user-select:all}"
    ".copied{display:flex;gap:.5rem;align-items:start;margin-top:.25rem}"
    ".copied code{flex:1;min-width:0;margin:0}"
    ".links{display:flex;flex-wrap:wrap;gap:.5rem 1rem;margin:1.5rem 0 0}"
    ".rows .item{font-size:.9375rem;margin:0;font-weight:500}"
    ".rows .item a{color:var(--text)}"
    ".file{margin-top:1.5rem}.file h2{font-size:1rem;margin:0 0 .5rem}"
    ".diff{margin:0;padding:.5rem 0;border:1px solid var(--line);border-radius:.625rem;"
    "max-height:32rem;overflow:auto;font:.8125rem/1.6 ui-monospace,monospace;"
    "white-space:pre-wrap;overflow-wrap:anywhere}"
    ".diff span{display:inline-block;width:100%;padding:0 .75rem 0 2rem;min-height:1.6em;"
    "vertical-align:top;unicode-bidi:isolate}"
    ".diff .add{color:var(--good);background:var(--good-ground)}"
    ".diff .del{color:var(--bad);background:var(--bad-ground)}"
    ".diff .at{color:var(--soft)}"
    ".sign{display:inline-block;width:1.25rem;margin-left:-1.25rem;font-style:normal;"
    "user-select:none}"
    ".day{font-size:.8125rem;color:var(--soft);font-weight:500;margin:1.5rem 0 0}"
    ".day+.rows{margin-top:.375rem}"
    ".lines{font-size:.75rem;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".lines ins{color:var(--good);text-decoration:none}"
    ".lines del{color:var(--bad);text-decoration:none}"
    ".filter{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end;margin:1rem 0 0}"
    ".filter label{margin:0;flex:1 1 8.5rem;font-size:.8125rem;color:var(--soft);"
    "font-weight:400}"
    ".filter input[type=search],.filter select{display:block;width:100%;max-width:none;"
    "margin-top:.125rem;font-size:.9375rem;min-height:2.25rem;padding:.25rem .5rem;"
    "color:var(--text);border-color:var(--line)}"
    ".filter button{min-height:2.25rem;padding:.25rem 1rem}"
    ".rows .item a{text-decoration:none;font-weight:500}"
    ".rows .item a:hover{text-decoration:underline}"
    ".rows p a{color:inherit}"

    /* proposals: what is decided is shown as a whole, and the buttons are always there */
    ".diff.open{max-height:none;margin-top:.5rem}"
    ".diff .mix{background:var(--tint)}"
    ".diff ins{text-decoration:none;font-weight:600;color:var(--good);"
    "background:var(--good-ground)}"
    ".diff del{color:var(--bad);background:var(--bad-ground)}"
    ".pick{display:flex;gap:.75rem;align-items:center;font-weight:600;margin:.5rem 0;"
    "min-height:2.75rem;cursor:pointer}"
    ".pick input{flex:none;margin:0;width:1.5rem;height:1.5rem}"
    ".hunk{margin-top:1rem}"
    ".hunk:has(.pick input:not(:checked)) .diff,"
    ".file:has(h2+.pick input:not(:checked)) .hunk .diff{opacity:.8;"
    "border-style:dashed}"
    "textarea{width:100%;font:inherit;color:inherit;background:var(--field);"
    "border:1px solid var(--edge);border-radius:.5rem;padding:.625rem .75rem}"
    ".decide{position:sticky;bottom:0;display:flex;gap:.75rem;padding:.75rem 0;"
    "margin-top:1rem;background:var(--card);border-top:1px solid var(--line)}"
    ".decide button{flex:1}"

    /* the start page: what goes on, beside how things are */
    ".state{display:flex;align-items:center;gap:.5rem;margin:0;font-size:.9375rem}"
    ".state::before{content:'';width:.625rem;height:.625rem;border-radius:50%;"
    "background:currentColor;flex:none}"
    ".state.good{color:var(--good)}.state.warn{color:var(--warn)}"
    ".state.bad{color:var(--bad)}"
    ".columns{display:grid;grid-template-columns:minmax(0,1fr) 22rem;gap:0 2rem}"
    ".columns h2:first-child{margin-top:1.25rem}"
    ".ways{list-style:none;margin:.75rem 0 0;padding:0;display:grid;gap:.75rem;"
    "grid-template-columns:repeat(auto-fill,minmax(min(22rem,100%),1fr))}"
    ".ways li{border:1px solid var(--line);border-radius:.625rem;padding:.75rem 1rem;"
    "background:var(--card);font-size:.875rem}"
    "@media (max-width:60rem){.columns{grid-template-columns:minmax(0,1fr)}}"

    /* the calendar of changes */
    ".calendar{display:grid;grid-auto-flow:column;grid-template-rows:repeat(7,auto);"
    "grid-auto-columns:minmax(0,1.5rem);gap:.2rem;margin:.5rem 0 0;padding:1rem;"
    "border:1px solid var(--line);border-radius:.625rem;background:var(--card)}"
    ".calendar i{aspect-ratio:1}"
    ".calendar i{border-radius:.15rem;background:var(--line)}"
    ".calendar .c1{background:color-mix(in srgb,var(--accent) 30%,var(--line))}"
    ".calendar .c2{background:color-mix(in srgb,var(--accent) 55%,var(--line))}"
    ".calendar .c3{background:color-mix(in srgb,var(--accent) 80%,var(--line))}"
    ".calendar .c4{background:var(--accent)}"

    /* reading */
    ".searching{display:flex;gap:.5rem;margin:1rem 0}"
    "input[type=search]{flex:1;min-width:0;font:inherit;color:inherit;"
    "background:var(--field);border:1px solid var(--edge);border-radius:.5rem;"
    "padding:.5rem .75rem;min-height:2.75rem}"
    ".snippet{white-space:pre-line;font-size:.875rem}"
    "mark{background:var(--warn-ground);color:var(--warn);border-radius:.2rem;"
    "padding:0 .125rem}"
    ".folder{margin:0 0 .25rem}"
    ".reader{display:grid;grid-template:auto 1fr/minmax(0,48rem) minmax(14rem,22rem);"
    "gap:0 3rem;justify-content:start;margin-top:1rem}"
    ".reader>.outlined{grid-area:1/2}.reader>aside{grid-area:2/2}"
    ".reader>div{grid-area:1/1/span 2}"
    "@media (min-width:100rem){.reader{grid-template:1fr/16rem minmax(0,52rem) 24rem;"
    "justify-content:center}.reader>.outlined{grid-area:1/1;position:sticky;top:4.5rem;"
    "align-self:start;max-height:calc(100vh - 6rem);overflow:auto}"
    ".reader>div{grid-area:1/2}.reader>aside{grid-area:1/3}"
    "body.full .heading{max-width:98rem;margin:0 auto}}"
    ".results{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(32rem,100%),"
    "1fr));gap:.75rem;border:0;background:none}"
    ".results>li,.rows.results li+li{border:1px solid var(--line);border-radius:.625rem;"
    "background:var(--card);align-items:flex-start}"
    ".reader>div{min-width:0}"
    ".reader>aside,.outlined{font-size:.875rem;min-width:0}"
    ".reader>aside h2,.outlined h2{font-size:.8125rem;font-weight:500;"
    "margin:0 0 .375rem;color:var(--soft)}"
    ".reader>aside>ul,.outlined ul{list-style:none;margin:0 0 1.5rem;padding:0}"
    ".reader>aside li,.outlined li{overflow-wrap:anywhere;padding:.125rem 0}"
    ".reader>aside a,.outlined a{text-decoration:none;display:inline-block;"
    "padding:.125rem 0}"
    ".reader>aside a:hover,.outlined a:hover{text-decoration:underline}"
    ".context{display:block;color:var(--soft);font-size:.8125rem;line-height:1.45}"
    ".outline .l2{padding-left:.75rem}.outline .l3{padding-left:1.5rem}"
    ".outline .l4,.outline .l5,.outline .l6{padding-left:2.25rem}" NOTE_STYLE
    ".properties{margin:0 0 1.5rem}"
    "@media (max-width:56rem){.reader{grid-template:auto/minmax(0,1fr);gap:1.5rem}"
    ".reader>.outlined,.reader>aside,.reader>div{grid-area:auto}"
    ".reader>.outlined{order:-1}}"

    "@media (max-width:30rem){body.wide main{padding:1rem .75rem 2rem}"
    "body:not(.wide) main{padding:1.25rem;margin-top:.5rem}"
    ".facts>div{grid-template-columns:1fr;gap:0}"
    ".rows li{padding:.625rem .75rem}.rows form{align-self:center}"
    ".rows .stacks{flex-wrap:wrap}.rows .stacks .body{flex-basis:100%}}"
    "@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}"
    "@media print{.bar,footer,form,button,.outlined,.reader>aside,.links{display:none}"
    ":root{" LIGHT "--ground:#fff}html{font-size:11pt}"
    "body.wide main{max-width:none;padding:0}.reader{display:block}"
    ".note a.inside,.note a.tag{color:inherit;text-decoration:none}"
    ".note a.outside[href]::after{content:' (' attr(href) ')';font-size:.85em}"
    ".note :is(h2,h3,h4){break-after:avoid}"
    ".note :is(pre,table,img,.callout){break-inside:avoid}"
    ".diff{max-height:none;overflow:visible}details::details-content{content-visibility:"
    "visible}}"
    "@media (forced-colors:active){.mark-fill{fill:CanvasText}.mark-line{fill:Canvas}}");

const str page_map_style = STR(THEME_STYLE BAR_STYLE NOTE_STYLE);
