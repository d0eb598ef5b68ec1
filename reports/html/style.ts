// The look of the report: calm, legible, in light and dark, on a phone and on paper. No font, image or file from elsewhere.
const DARK = `color-scheme:dark;--bg:#131519;--card:#1a1d22;--sunk:#22262c;--ink:#e7e9ec;--soft:#9ea7b1;--line:#2d323a;--link:#8db8ff;
--pass:#6fce97;--pass-bg:#16301f;--fail:#ff8f85;--fail-bg:#3b1a18;--warning:#f0b95b;--warning-bg:#352812;--excused:#8cc4da;--excused-bg:#16303a;
--inconclusive:#c6a6f2;--inconclusive-bg:#2b2139;--idle:#98a2ac;--idle-bg:#262b31;--shadow:none`;

export const STYLE = `
:root{color-scheme:light;--bg:#faf9f6;--card:#fff;--sunk:#f3f1ec;--ink:#20242a;--soft:#626a73;--line:#e5e2da;--link:#2457a6;
--pass:#26734a;--pass-bg:#e3f2e8;--fail:#b3261e;--fail-bg:#fbe9e7;--warning:#8a5a00;--warning-bg:#fdf1d8;--excused:#2f6478;--excused-bg:#e2eef3;
--inconclusive:#6d46a0;--inconclusive-bg:#f0e9f8;--idle:#66707a;--idle-bg:#eceef0;--shadow:0 1px 2px #2b25180d,0 6px 20px #2b25180a;
--mono:ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
:root[data-theme=dark]{${DARK}}
@media (prefers-color-scheme:dark){:root:not([data-theme]){${DARK}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:64px}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
main,.bar>div{max-width:1080px;margin:0 auto;padding:0 20px}
a{color:var(--link);text-underline-offset:2px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:4px}
h1,h2,h3,p,dl,dd,ol,figure{margin:0}
h2{font-size:1.3rem;letter-spacing:-.01em;margin:56px 0 16px}
h3{font-size:1rem}
small{color:var(--soft);font-weight:400;font-size:.85em}
code,pre,.id,.files{font-family:var(--mono);font-size:.86em}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-999px}.skip:focus{left:12px;top:12px;background:var(--card);padding:8px 12px;z-index:9}
.bar{position:sticky;top:0;z-index:5;background:color-mix(in srgb,var(--bg) 88%,transparent);backdrop-filter:blur(8px);border-bottom:1px solid var(--line)}
.bar>div{display:flex;gap:18px;align-items:center;height:48px}
.bar nav{display:flex;gap:16px;flex:1;overflow-x:auto;scrollbar-width:none}
.bar nav a{color:var(--soft);text-decoration:none;white-space:nowrap;font-size:.92rem}.bar nav a:hover{color:var(--ink)}.bar nav .n{font-size:.8em;font-variant-numeric:tabular-nums;padding:1px 6px;border-radius:99px;background:var(--sunk)}
.brand{font-weight:650;letter-spacing:-.02em}
button{font:inherit;font-size:.86rem;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:8px;padding:4px 11px;cursor:pointer}
button:hover{border-color:var(--soft)}
html:not(.js) .needs-js{display:none}
.hero{display:grid;grid-template-columns:auto 1fr;gap:22px;align-items:center;margin:40px 0 28px}
.seal{width:76px;height:76px;border-radius:50%;display:grid;place-items:center;font-size:34px;line-height:1}
.hero h1{font-size:clamp(1.8rem,4.6vw,2.6rem);line-height:1.12;letter-spacing:-.025em;font-weight:680}
.hero p{color:var(--soft);margin-top:6px;font-size:1.05rem}
.conformant .seal{background:var(--pass-bg);color:var(--pass)}.not-conformant .seal{background:var(--fail-bg);color:var(--fail)}.hero.inconclusive .seal{background:var(--inconclusive-bg);color:var(--inconclusive)}
.meta{display:grid;grid-template-columns:repeat(auto-fit,minmax(124px,1fr));gap:1px;background:var(--line);border:1px solid var(--line);border-radius:12px;overflow:hidden}
.meta div{background:var(--card);padding:12px 16px}.meta div:first-child{grid-column:span 2}.meta dt{color:var(--soft);font-size:.8rem}.meta dd{font-weight:550;font-size:.95rem;line-height:1.45}
.levels{display:grid;gap:14px;margin-top:28px}
.level{display:grid;grid-template-columns:76px 1fr;gap:6px 14px;align-items:center}
.level b{font-size:.9rem;letter-spacing:.03em;white-space:nowrap}.level svg{width:100%;height:14px;border-radius:7px;display:block}
.level p{grid-column:2;color:var(--soft);font-size:.9rem}
.level p span+span::before{content:" · "}
svg .pass,.seg.pass{fill:var(--pass)}.seg.fail{fill:var(--fail)}.seg.warning{fill:var(--warning)}.seg.excused{fill:var(--excused)}.seg.inconclusive,.seg.harness-fault{fill:var(--inconclusive)}.seg.not-exercised{fill:var(--idle)}.seg.not-applicable{fill:var(--line)}
.banner{border:1px solid var(--line);border-left:4px solid var(--link);background:var(--card);border-radius:10px;padding:14px 18px;margin-top:26px}
.banner.advice{margin:0 0 26px;border-left-color:var(--inconclusive)}.banner.fail{border-left-color:var(--fail)}.banner ul{margin:6px 0 0;padding-left:20px}
.card{background:var(--card);border:1px solid var(--line);border-radius:14px;box-shadow:var(--shadow);padding:20px 22px;margin-bottom:20px;border-top:3px solid var(--idle)}
.card.fail{border-top-color:var(--fail)}.card.warning{border-top-color:var(--warning)}.card.excused{border-top-color:var(--excused)}
.card>*+*{margin-top:16px}
.card h3 a{color:inherit;text-decoration:none;font-family:var(--mono);font-size:1.02rem}.card h3 a:hover{text-decoration:underline}
.tags{display:flex;flex-wrap:wrap;gap:6px;margin-top:8px}
.tag{display:inline-block;font-size:.76rem;line-height:1.5;padding:1px 8px;border-radius:99px;background:var(--sunk);color:var(--soft);font-family:inherit}
.tag.fail{background:var(--fail-bg);color:var(--fail)}.tag.warning{background:var(--warning-bg);color:var(--warning)}.tag.excused{background:var(--excused-bg);color:var(--excused)}.tag.pass{background:var(--pass-bg);color:var(--pass)}
.asks{font-size:1.05rem}.excuse{background:var(--excused-bg);border-radius:8px;padding:8px 12px}
.versus{display:grid;grid-template-columns:1fr 1fr;gap:12px}
.versus div{border-radius:10px;padding:10px 14px;background:var(--pass-bg)}.versus .found{background:var(--fail-bg)}
.versus dt{font-size:.78rem;font-weight:600;color:var(--pass)}.versus .found dt{color:var(--fail)}
.versus dd{font-family:var(--mono);font-size:.88rem;white-space:pre-wrap;max-height:16em;overflow:auto}
.index{list-style:none;padding:0;margin:0 0 26px;border:1px solid var(--line);border-radius:12px;background:var(--card);overflow:hidden}
.index li+li{border-top:1px solid var(--line)}
.index a{display:grid;grid-template-columns:22px minmax(200px,30%) 1fr;gap:2px 12px;padding:8px 14px;color:inherit;text-decoration:none;align-items:start}.index a:hover{background:var(--sunk)}.index a:focus-visible{outline-offset:-2px}
.index .id{padding-top:1px}.index .text{color:var(--soft);font-size:.9rem;display:grid;grid-template-columns:1fr 1fr;gap:2px 16px}
.proof figcaption{font-size:.86rem;color:var(--fail)}.proof pre{border-left:3px solid var(--fail);margin-bottom:8px}
.label{font-size:.8rem;color:var(--soft)}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:10px;background:var(--bg);margin-top:6px}
.seq{display:block;min-width:600px;width:100%;max-width:860px;margin:0 auto;font-family:var(--mono)}
.seq text{fill:var(--ink);font-size:11px;text-anchor:middle}
.seq .what,.seq .gap{paint-order:stroke;stroke:var(--bg);stroke-width:4px;stroke-linejoin:round}.seq .note+.what{stroke:none}.seq .marked .what{stroke:var(--fail-bg)}.seq .detail{fill:var(--soft);font-weight:400}.seq .marked .detail{fill:var(--fail)}
.seq .lane{fill:var(--card);stroke:var(--line)}.seq .lane.tested{fill:var(--ink);stroke:var(--ink)}
.seq .lane-name{font:600 13px ui-sans-serif,system-ui,sans-serif}.seq .lane-who{font:10px ui-sans-serif,system-ui,sans-serif;fill:var(--soft)}.seq .tested.lane-name{fill:var(--bg)}.seq .tested.lane-who{fill:var(--bg);opacity:.75}
.seq .life,.time-line .life{stroke:var(--line);stroke-width:1.5}
.seq .way{stroke:var(--soft);stroke-width:1.4}.seq .tip{fill:var(--soft)}
.seq .answer .way{stroke-dasharray:5 3}.seq .error .way{stroke:var(--warning);stroke-dasharray:5 3}.seq .error .tip{fill:var(--warning)}.seq .error .what{fill:var(--warning)}
.seq .time{font-size:10px;fill:var(--soft);text-anchor:end}.seq .gap{fill:var(--soft)}
.seq .note{fill:var(--sunk);stroke:var(--line)}.seq .end .note{fill:var(--card);stroke-dasharray:3 3}
.seq .mark{fill:var(--fail-bg)}.seq .marked .way{stroke:var(--fail);stroke-width:2.4}.seq .marked .tip{fill:var(--fail)}.seq .marked .what{fill:var(--fail);font-weight:700}.seq .marked .note{stroke:var(--fail);fill:var(--card)}.seq .flag{fill:var(--fail);text-anchor:end;font-size:14px}
.frames summary{cursor:pointer;color:var(--link);font-size:.92rem}
.frames ol{list-style:none;padding:0;margin-top:10px;display:grid;gap:10px}
.frames li{border-left:3px solid var(--line);padding-left:12px}.frames li.marked{border-left-color:var(--fail)}
.frames p{font-size:.86rem}.frames .n{color:var(--soft);font-family:var(--mono)}.frames .way,.frames .t,.left{color:var(--soft);font-size:.86rem}
pre{margin:4px 0 0;padding:10px 12px;background:var(--sunk);border-radius:8px;white-space:pre-wrap;max-height:22em;overflow:auto}
.replay{display:flex;flex-wrap:wrap;align-items:center;gap:8px 12px;background:var(--sunk);border-radius:10px;padding:9px 14px}.replay code{flex:1;min-width:200px}
.files{color:var(--soft);display:flex;flex-wrap:wrap;gap:2px 18px}
.matrix{margin-top:34px;display:grid;grid-template-columns:repeat(auto-fill,minmax(440px,1fr));gap:8px 28px}.strip{display:grid;grid-template-columns:206px 1fr;gap:12px;align-items:start}
.sec{font-size:.86rem;color:var(--soft);padding-top:1px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}.sec b{display:inline-block;min-width:44px;font-weight:550;color:var(--ink)}.group h3 b{font-weight:inherit;margin-right:4px}.cells{display:flex;flex-wrap:wrap;gap:4px}
.cell{display:inline-grid;place-items:center;width:22px;height:22px;border-radius:6px;font:700 12px/1 ui-sans-serif,system-ui,sans-serif;text-decoration:none;background:var(--idle-bg);color:var(--idle);flex:none}
.cell.pass{background:var(--pass-bg);color:var(--pass)}.cell.fail{background:var(--fail);color:var(--card)}.cell.warning{background:var(--warning-bg);color:var(--warning)}.cell.excused{background:var(--excused-bg);color:var(--excused)}.cell.inconclusive,.cell.harness-fault{background:var(--inconclusive-bg);color:var(--inconclusive)}.cell.not-applicable{background:none;box-shadow:inset 0 0 0 1px var(--line)}
.cell.soft{border-radius:50%}a.cell:hover{box-shadow:0 0 0 2px var(--soft)}
.legend{display:flex;flex-wrap:wrap;gap:8px 18px;margin-top:16px;color:var(--soft);font-size:.86rem}.key{display:inline-flex;gap:7px;align-items:center}
.tools{display:flex;flex-wrap:wrap;gap:10px;margin:28px 0 14px;align-items:center;position:sticky;top:49px;background:var(--bg);padding:8px 0;z-index:4}
.tools input[type=search],.tools select{font:inherit;font-size:.95rem;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:9px;padding:7px 12px}
.tools input[type=search]{flex:1 1 220px;min-width:0}.tools .shown{color:var(--soft);font-size:.86rem}
.group h3{margin:26px 0 8px;font-weight:620}
.clause{border-top:1px solid var(--line)}.group .clause:last-child{border-bottom:1px solid var(--line)}
.clause summary{display:grid;grid-template-columns:22px minmax(180px,26%) 66px 1fr auto;gap:4px 12px;align-items:start;padding:9px 6px;cursor:pointer;list-style:none}
.clause summary::-webkit-details-marker{display:none}.clause summary:hover{background:var(--sunk)}
.clause .text{color:var(--soft);font-size:.93rem}.clause .count{color:var(--soft);font-size:.84rem;white-space:nowrap;font-variant-numeric:tabular-nums}
.clause .tag{justify-self:start}.none{color:var(--soft);padding:26px 0}.clause .id{padding-top:1px}.clause[open] summary{background:var(--sunk)}
.clause:target>summary{box-shadow:inset 3px 0 0 var(--link)}
.more{padding:10px 12px 16px 40px}.more dl{display:grid;gap:8px}.more dl div{display:grid;grid-template-columns:96px 1fr;gap:12px}.more dt{color:var(--soft);font-size:.86rem}.more p{margin-top:10px}
table{border-collapse:collapse;width:100%;font-size:.88rem}th,td{text-align:left;vertical-align:top;padding:7px 12px;border-bottom:1px solid var(--line)}thead th{color:var(--soft);font-weight:550;background:var(--sunk)}tbody th{font-weight:550;font-family:var(--mono);font-size:.84rem}
tr.marked td{background:var(--fail-bg)}
.lead{color:var(--soft);margin-bottom:12px}
.kill,.time-line,.lanes{display:block;margin:8px 0}.kill{margin:8px}.kill text,.time-line text,.lanes text{font:10px var(--mono);fill:var(--soft);text-anchor:end}.kill text.wrong{fill:var(--fail);font-weight:700}.kill .head{text-anchor:start}.kill .rule{stroke:var(--line);stroke-width:.5}.kill text.row:not(.wrong){fill:var(--ink)}
.chip{display:inline-block;width:11px;height:11px;border-radius:3px;background:var(--idle)}.chip.round{border-radius:50%}.chip.caught,.chip.task{background:var(--pass)}.chip.missed,.chip.wrong{background:var(--fail)}.chip.also{background:var(--line)}.chip.alarm,.chip.tool{background:var(--warning)}.chip.turn{background:var(--link)}.chip.model{background:var(--inconclusive)}.chip.action{background:var(--excused)}
.time{display:grid;grid-template-columns:auto 1fr;border:1px solid var(--line);border-radius:10px;background:var(--bg);margin-top:6px}.time .scroll{border:0;margin:0;border-radius:0 10px 10px 0;border-left:1px solid var(--line)}.time-line text.tick{text-anchor:middle}
.kill .caught{fill:var(--pass)}.kill .missed{fill:var(--fail)}.kill .also{fill:var(--line)}.kill .alarm{fill:var(--warning)}
.time-line .event{fill:var(--idle)}.time-line .turn{fill:var(--link)}.time-line .model{fill:var(--inconclusive)}.time-line .tool{fill:var(--warning)}.time-line .action{fill:var(--excused)}.time-line .task{fill:var(--pass)}.time-line .event.wrong{fill:var(--fail);stroke:var(--bg);stroke-width:2}.time-line .fault{stroke:var(--fail);stroke-width:1;stroke-dasharray:2 3}.time-line text.fault-name{fill:var(--fail);text-anchor:middle;font-weight:700;stroke:none}
.plain{padding-left:20px;margin:0}.plain li{margin:4px 0}
footer{color:var(--soft);font-size:.86rem;margin:64px 0 40px;border-top:1px solid var(--line);padding-top:16px}
[hidden]{display:none!important}
@media (max-width:720px){body{font-size:15px}main,.bar>div{padding:0 16px}h2{margin-top:44px}.hero{gap:16px;margin:28px 0 22px}.seal{width:56px;height:56px;font-size:25px}
.meta{grid-template-columns:1fr 1fr}.level{grid-template-columns:68px 1fr}.strip{grid-template-columns:148px 1fr;gap:10px}.index a{grid-template-columns:22px 1fr}.index .text{grid-column:2;grid-template-columns:1fr}.matrix{grid-template-columns:1fr}.versus{grid-template-columns:1fr}.card{padding:16px}
.clause summary{grid-template-columns:22px 1fr auto}.clause .text{grid-column:2/-1}.clause .count{grid-column:2/-1}.more{padding-left:40px}.more dl div{grid-template-columns:1fr;gap:0}.tools{position:static}.cell{width:26px;height:26px}}
@media print{.bar,.tools,.copy{display:none}body{background:#fff}.card{break-inside:avoid;box-shadow:none}details>*{display:block}}
`;
