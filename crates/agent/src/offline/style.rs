//! The look of a page: light and dark, print, narrow screens. No font, no script, nothing from elsewhere.

pub(crate) const STYLE: &str = "
:root { color-scheme: light dark; --text: #1d1f24; --quiet: #5a5f6b; --line: #d8dbe2; --ground: #ffffff; --shade: #f5f6f9; --mark: #9a3412; --markbg: #fff4ec;
  --c0: #2563a8; --c1: #c2570c; --c2: #2e7d4f; --c3: #8a3f9e; --c4: #a16207; --c5: #0e7490; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eaf0; --quiet: #a3a9b8; --line: #363b47; --ground: #15171c; --shade: #1e2128; --mark: #fdba8c; --markbg: #2a211b;
    --c0: #7ab0ec; --c1: #f2995b; --c2: #7ccb9b; --c3: #cf9be0; --c4: #e0b64c; --c5: #6fc7d8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, -apple-system, \"Segoe UI\", Roboto, \"Noto Sans\", \"Noto Sans CJK KR\", sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1rem; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .8rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
.note { color: var(--quiet); font-size: .88rem; margin: 0 0 1rem; }
.asked { border: 1px solid var(--line); border-radius: .4rem; padding: .6rem 1rem; margin: 0 0 1.2rem; font-size: .93rem; }
.asked p { margin: .25rem 0; }
.about, .why, cite { color: var(--quiet); }
.about { margin: 0 0 .8rem; }
.from { margin: .4rem 0 0; color: var(--quiet); font-size: .88rem; }
.why { display: block; font-size: .9rem; }
cite { font: .82rem/1.4 ui-monospace, SFMono-Regular, Menlo, monospace; overflow-wrap: anywhere; unicode-bidi: isolate; direction: ltr; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 1.5rem; }
nav li { margin: 0; }
nav a { display: block; border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .75rem; color: inherit; text-decoration: none; font-size: .88rem; }
nav a:hover, nav a:focus { background: var(--shade); }
ul, ol { padding-inline-start: 1.4rem; }
li { margin: .45rem 0; }
.against { list-style: none; padding: 0; }
.against > li { border: 1px solid var(--line); border-inline-start: 4px solid var(--mark); border-radius: .4rem; padding: .7rem 1rem; margin: 0 0 .9rem; background: var(--markbg); }
.perhaps > li { border-inline-start-color: var(--line); background: none; }
.against strong { display: block; margin-bottom: .4rem; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: .8rem; }
blockquote { margin: 0; padding: .5rem .8rem; background: var(--ground); border-radius: .3rem; overflow-wrap: anywhere; }
blockquote cite { display: block; margin-top: .3rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .6rem; text-align: start; vertical-align: top; overflow-wrap: break-word; }
th { background: var(--shade); font-weight: 600; white-space: nowrap; }
td.s, td cite { white-space: nowrap; overflow-wrap: normal; }
td cite { display: inline-block; }
td.n { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: 0; }
svg { width: 100%; height: auto; display: block; background: var(--ground); }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .ax { fill: var(--quiet); }
svg .name { font-weight: 600; }
.grid { stroke: var(--line); stroke-width: 1; }
.base { stroke: var(--quiet); stroke-width: 1; }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
.l0 { stroke: var(--c0); } .l1 { stroke: var(--c1); stroke-dasharray: 7 4; } .l2 { stroke: var(--c2); stroke-dasharray: 2 4; }
.l3 { stroke: var(--c3); stroke-dasharray: 10 3 2 3; } .l4 { stroke: var(--c4); stroke-dasharray: 4 2; } .l5 { stroke: var(--c5); }
.f0 { fill: var(--c0); } .f1 { fill: var(--c1); } .f2 { fill: var(--c2); } .f3 { fill: var(--c3); } .f4 { fill: var(--c4); } .f5 { fill: var(--c5); }
.dot { fill-opacity: .65; }
.part { stroke: var(--ground); stroke-width: 2; }
details { margin-top: .5rem; }
summary { cursor: pointer; color: var(--quiet); font-size: .9rem; }
@media print { nav { display: none; } main { max-width: none; padding: 0; } section { break-inside: avoid-page; } }
";
