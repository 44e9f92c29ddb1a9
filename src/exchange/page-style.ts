/** How an exported page looks, and the few lines that fold it. Both stand in the page itself; its policy admits exactly these texts. */

export const STYLE = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2024;--dim:#60666e;--line:#dfe3e8;--soft:#f5f6f8;--accent:#1f5fd0;--good:#18794e;--bad:#c0272d;
--warn:#8a5a00;--add:#e4f6e9;--add-mark:#a9e3b9;--del:#fdeaea;--del-mark:#f7bcbc;--hunk:#eef2fb}
@media screen and (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e2e6ea;--dim:#98a1ab;--line:#2e343b;--soft:#1c2126;--accent:#7fb0ff;--good:#5fd08f;
--bad:#ff8a86;--warn:#e6b455;--add:#12301f;--add-mark:#1f6a40;--del:#3a1a1c;--del-mark:#8a2f33;--hunk:#1d2634}}
*{box-sizing:border-box}
html{background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;-webkit-text-size-adjust:100%}
body{max-width:60rem;margin:0 auto;padding:2rem 1.25rem 4rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.3;margin:0 0 .75rem}
h2{font-size:.8rem;font-weight:600;margin:0 0 .5rem;display:flex;gap:.6em;align-items:baseline;flex-wrap:wrap}
h3{font-size:1.15rem;margin:1.2em 0 .4em}h4{font-size:1.05rem;margin:1.1em 0 .4em}h5{font-size:.95rem;margin:1em 0 .4em}
p{margin:.5em 0}ul,ol{margin:.5em 0;padding-left:1.6em}a{color:var(--accent)}hr{border:0;border-top:1px solid var(--line);margin:1.2em 0}
code,pre,.diff{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace;font-size:.84em}
code{background:var(--soft);border-radius:4px;padding:.1em .3em}
pre{background:var(--soft);border-radius:6px;padding:.7em .9em;margin:.5em 0;overflow:auto;max-height:36rem;white-space:pre;line-height:1.45;overflow-wrap:normal;tab-size:4}
pre code{background:none;padding:0;font-size:1em}
blockquote{margin:.5em 0;padding-left:.9em;border-left:3px solid var(--line);color:var(--dim)}
img{display:block;max-width:100%;max-height:40rem;margin:.5em 0;border:1px solid var(--line);border-radius:6px}
.dim,.facts,.note,time{color:var(--dim);font-weight:400}.note{font-size:.85rem}
.wide{overflow-x:auto}
.text table{border-collapse:collapse;margin:.5em 0;font-size:.92em}.text th,.text td{border:1px solid var(--line);padding:.25em .6em;text-align:left}
header{border-bottom:1px solid var(--line);padding-bottom:1.25rem;margin-bottom:1.5rem}
.badge{display:inline-block;font-size:.8rem;font-weight:600;border:1px solid currentColor;border-radius:999px;padding:.1em .75em;color:var(--warn)}
.badge.accepted,.badge.answered{color:var(--good)}.badge.fault,.badge.cancelled{color:var(--bad)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1.1rem;margin:1rem 0;font-size:.9rem}dt{color:var(--dim)}dd{margin:0}
.files{list-style:none;padding:0;font-size:.9rem;margin:.3rem 0}.plus{color:var(--good)}.minus{color:var(--bad)}
.fold{display:flex;gap:.5rem;margin-top:1rem}
button{font:inherit;font-size:.8rem;color:var(--ink);background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.2em .8em;cursor:pointer}
section{margin:0 0 1.5rem}
.said{background:var(--soft);border-left:4px solid var(--accent);border-radius:0 8px 8px 0;padding:.8rem 1rem}
.said .words{white-space:pre-wrap}
.turn>h2{border-top:1px solid var(--line);padding-top:.6rem;color:var(--dim)}
.facts{margin-left:auto;font-variant-numeric:tabular-nums}
details{margin:.45rem 0}
summary{cursor:pointer;border-radius:6px}summary:focus-visible,a:focus-visible,button:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.call{border:1px solid var(--line);border-radius:8px}
.call>summary{display:flex;gap:.6em;padding:.4rem .75rem;align-items:baseline;list-style:none}
.call>summary::-webkit-details-marker{display:none}
.call>summary::after{content:"▸";color:var(--dim);transition:rotate .1s}.call[open]>summary::after{rotate:90deg}
.call>summary:hover{background:var(--soft)}
.call>.inside{padding:.1rem .75rem .6rem;border-top:1px solid var(--line)}
.title{flex:1;min-width:0;font-size:.92rem}.mark{font-weight:700;width:1em;text-align:center}.took{font-size:.8rem;white-space:nowrap}
.good .mark{color:var(--good)}.bad .mark,.word,.problem{color:var(--bad)}.word{font-size:.85em}
.aside>summary,.reasoning>summary{font-size:.82rem;color:var(--dim)}
.reasoning>.inside{border-left:3px solid var(--line);padding-left:.9rem;color:var(--dim);font-size:.93rem}
.subtask>summary{font-size:.88rem;font-weight:600}
.subtask>.inside{border-left:3px solid var(--accent);padding-left:.9rem;margin-top:.5rem}
.asked{font-size:.88rem;color:var(--dim)}.asked strong{color:var(--ink)}
.title.line{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace;font-size:.84em}
.command{font-weight:600}.result{border-left:3px solid var(--good);padding-left:.9rem;margin:.5rem 0}
.todos{list-style:none;padding:0}.todos .done{color:var(--dim)}
.notice{font-size:.88rem;color:var(--dim);border-left:3px solid var(--line);padding-left:.75rem}.notice.warning{border-color:var(--warn);color:var(--warn)}
.ending{font-weight:600;border-top:2px solid var(--line);padding-top:.8rem}.ending time{font-size:.8rem}
.ending.accepted,.ending.answered{color:var(--good)}.ending.fault,.ending.cancelled{color:var(--bad)}.ending.limit{color:var(--warn)}
.diff{border-collapse:collapse;width:100%;margin:.4rem 0;line-height:1.5;tab-size:4}
.diff td{padding:0 .5em;white-space:pre;vertical-align:top}
.diff td:nth-child(-n+3){width:1px;text-align:right;color:var(--dim);user-select:none}
.diff td:nth-child(3){padding:0 .2em}
.diff td[data-n]::before{content:attr(data-n)}
.diff .add{background:var(--add)}.diff .del{background:var(--del)}.diff .hunk{background:var(--hunk);color:var(--dim)}
.diff mark{color:inherit;border-radius:2px}.add mark{background:var(--add-mark)}.del mark{background:var(--del-mark)}
.usage{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
.usage th,.usage td{padding:.15em .9em .15em 0;text-align:right;font-weight:400}.usage th{color:var(--dim)}.usage :first-child{text-align:left}
footer{color:var(--dim);font-size:.82rem;border-top:1px solid var(--line);padding-top:1rem}
@media (max-width:40rem){body{padding:1rem .75rem 3rem}dl{grid-template-columns:1fr;gap:0}dt{margin-top:.4rem}.facts{margin-left:0;width:100%}}
@media print{html{font-size:11pt}body{max-width:none;padding:0}.fold{display:none}pre,.diff td:last-child{white-space:pre-wrap;overflow-wrap:anywhere;max-height:none}
.wide{overflow:visible}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}tr,img,.said,.notice{break-inside:avoid}h2,summary{break-after:avoid}}
`

/** Without it everything still folds; only the two buttons are missing. */
export const SCRIPT = `
for (const button of document.querySelectorAll("button[value]")) {
  button.parentElement.hidden = false
  button.addEventListener("click", () => {
    for (const one of document.querySelectorAll("details")) one.open = button.value === "open"
  })
}
const reveal = () => {
  const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  for (let one = wanted; one; one = one.parentElement) if (one instanceof HTMLDetailsElement) one.open = true
  wanted?.scrollIntoView()
}
addEventListener("hashchange", reveal)
reveal()
`
