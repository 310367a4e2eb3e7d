/**
 * How the page looks: the colours, sizes and words of the app (its design tokens), without anything that has to be fetched.
 * Rows far from the screen are not laid out until they are near, so that a page of many thousand opens at once.
 */
export const STYLE = `
:root{color-scheme:light dark;
--ui:-apple-system,BlinkMacSystemFont,"Segoe UI",Inter,"Noto Sans","PingFang SC","Microsoft YaHei UI","Noto Sans CJK SC",system-ui,sans-serif;
--mono:ui-monospace,"SF Mono","Cascadia Code","JetBrains Mono","Noto Sans Mono","DejaVu Sans Mono","Noto Sans Mono CJK SC",monospace;
--side:light-dark(#f7f6f3,#16171a);--content:light-dark(#fff,#1b1c1f);--inset:light-dark(#f5f4f1,#222428);--hover:light-dark(#1c1b160d,#ffffff0f);
--line-1:light-dark(#e5e3dd,#2b2d31);--line-2:light-dark(#cdcac2,#43464c);--line-3:light-dark(#848178,#777b83);
--tx-1:light-dark(#1d1c19,#ecedee);--tx-2:light-dark(#4d4b45,#b6b9be);--tx-3:light-dark(#65625b,#969aa1);
--ac-tx:light-dark(#0d5f82,#6dbfe0);--ac-bg:light-dark(#e2eff5,#1c323d);--focus:light-dark(#0f6285,#6dbfe0);
--ok-tx:light-dark(#22663a,#79c795);--bad-tx:light-dark(#a32b22,#f19489);--bad-bg:light-dark(#fbeae7,#3a2120);--bad-line:light-dark(#e2aca5,#704039);
--warn-tx:light-dark(#7a4f00,#e2b25c);--warn-bg:light-dark(#faf0d9,#352b17);--warn-line:light-dark(#dcc083,#66522a);
--add-bg:light-dark(#e8f4ea,#1a2c21);--add-tx:light-dark(#1d5c33,#8bd0a3);--del-bg:light-dark(#fcecea,#331f1e);--del-tx:light-dark(#97281f,#f3a096);
--mark:light-dark(#ffe69c,#6b5310);--ag-on:light-dark(#fff,#17181b)}
@media(prefers-contrast:more){:root{--line-1:light-dark(#767676,#8a8a8a);--line-2:light-dark(#4a4a4a,#c4c4c4);--tx-3:light-dark(#383838,#d6d6d6)}}
*{box-sizing:border-box}
html{scroll-padding-top:64px;text-size-adjust:100%}
body{margin:0;background:var(--content);color:var(--tx-1);font:400 14px/22px var(--ui);font-variant-numeric:tabular-nums}
.page{display:grid;grid-template-columns:minmax(0,1fr) 272px;max-width:1280px;margin:0 auto;padding:0 24px 64px;column-gap:40px}
header,main,footer{grid-column:1;min-width:0}
header{padding:32px 0 16px}
h1{font:600 22px/30px var(--ui);margin:0 0 12px;overflow-wrap:anywhere}
h2,h3,h4,h5,h6{font:600 14px/22px var(--ui);margin:16px 0 4px}
h3{font-size:16px}h4{font-size:15px}
h1,.agent-head h2{display:flex;gap:10px}
.mark{flex:none;width:20px;height:20px;margin-top:5px;fill:var(--tx-3)}.agent-head .mark{margin-top:3px}.mark text{fill:var(--ag-on);font:700 9px/1 var(--ui);text-anchor:middle}
.ag-claude{fill:light-dark(#b0502b,#e39a75)}.ag-codex{fill:light-dark(#3d4248,#c6cad0)}.ag-pi{fill:light-dark(#7446ad,#bd9be6)}.ag-hermes{fill:light-dark(#85640a,#d9b75a)}.ag-opencode{fill:light-dark(#0c6f68,#63c2b8)}.ag-gemini{fill:light-dark(#2d5fc4,#8db1f2)}
dl.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:2px 16px;margin:0;font-size:13px;line-height:20px}
dl.facts dt{color:var(--tx-3)}dl.facts dd{margin:0;overflow-wrap:anywhere}
ul.remarks{margin:12px 0 0;padding:0;list-style:none;font-size:13px;line-height:20px;color:var(--tx-2)}
.bar{grid-column:1/-1;grid-row:2;position:sticky;top:0;z-index:10;display:flex;align-items:center;gap:8px;padding:10px 0;background:var(--content);border-bottom:1px solid var(--line-1)}
.bar input{flex:1 1 200px;min-width:0;max-width:420px;height:32px;padding:0 10px;border:1px solid var(--line-3);border-radius:4px;background:var(--content);color:inherit;font:400 13px/20px var(--ui)}
.bar button{height:32px;padding:0 12px;border:1px solid var(--line-2);border-radius:4px;background:transparent;color:inherit;font:500 13px/20px var(--ui);cursor:pointer;white-space:nowrap}
.bar button:hover:not([disabled]){background:var(--hover)}.bar button[disabled]{color:var(--tx-3);cursor:default}
.bar output{min-width:64px;font-size:12px;color:var(--tx-3);white-space:nowrap}
.bar .gap{flex:1}.bar .to{display:none;padding:0 8px;font:500 13px/32px var(--ui)}
:focus-visible{outline:2px solid var(--focus);outline-offset:1px}
nav{grid-column:2;grid-row:3/span 3;align-self:start;position:sticky;top:68px;max-height:calc(100vh - 84px);overflow-y:auto;padding:16px 0;font-size:13px;line-height:18px;scrollbar-width:thin}
nav h2{margin:0 0 8px;font:500 11px/16px var(--ui);color:var(--tx-3)}
nav ol{margin:0;padding:0;list-style:none}
nav a{display:grid;grid-template-columns:32px minmax(0,1fr);padding:5px 8px 5px 0;border-radius:4px;color:var(--tx-2);text-decoration:none}
nav a:hover{background:var(--hover);color:var(--tx-1)}
nav a span{color:var(--tx-3);font:400 11px/18px var(--mono)}
nav a b{font-weight:400;overflow:hidden;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical}
nav a.agent b{font-weight:500}
.row{display:grid;grid-template-columns:64px minmax(0,1fr);padding:8px 0;content-visibility:auto;contain-intrinsic-size:auto 120px}
.row>a{font:400 11px/22px var(--mono);color:var(--tx-3);text-decoration:none}.row>a:hover{color:var(--ac-tx)}
.row>div{min-width:0;overflow-wrap:anywhere}
.row.off{color:var(--tx-3)}.row.off>div{border-left:2px dashed var(--line-2);padding-left:12px}
.row.now{background:var(--ac-bg);border-radius:6px}
.prompt{margin-top:20px;border-top:1px solid var(--line-1);padding-top:16px}main>.prompt:first-child,.agent-head+.prompt{margin-top:0;border-top:0}
.prompt>a{line-height:22px}
.said{max-width:76ch}
.who{display:flex;gap:12px;align-items:baseline;margin:0 0 4px;font:600 13px/22px var(--ui)}
.who time,.who i{font:400 12px/22px var(--ui);color:var(--tx-3);font-style:normal}
.prompt .text{padding:10px 14px;background:var(--inset);border-radius:6px;white-space:pre-wrap;max-width:calc(76ch + 28px)}
.text+.text{margin-top:8px}
.said p,.said ul,.said ol,.said blockquote{margin:0 0 10px}
.said p{white-space:pre-line}.said>:last-child{margin-bottom:0}
.said ul,.said ol{padding-left:22px}.said li{margin:2px 0}.said li>p{margin:0 0 4px}
.said blockquote{padding-left:12px;border-left:2px solid var(--line-2);color:var(--tx-2)}
.said hr{border:0;border-top:1px solid var(--line-1);margin:12px 0}
a{color:var(--ac-tx)}
code,pre{font:400 12px/18px var(--mono);font-variant-ligatures:none}
code{padding:1px 4px;border-radius:3px;background:var(--inset)}
.prompt .text code{background:transparent}
pre{margin:0;padding:10px 12px;border-radius:6px;background:var(--inset);white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4}
.code{position:relative;margin:0 0 10px}.lang{position:absolute;top:6px;right:10px;font:400 11px/16px var(--ui);color:var(--tx-3)}
.table{overflow-x:auto;margin:0 0 10px}table{border-collapse:collapse;font-size:13px;line-height:20px}
th,td{padding:4px 12px 4px 0;border-bottom:1px solid var(--line-1);text-align:left;vertical-align:top}th{font-weight:600}
details.think>summary,details.note>summary{color:var(--tx-3);font-size:12px;cursor:pointer;list-style-position:inside}
details.think>div,details.note>div{margin-top:6px;padding-left:12px;border-left:2px solid var(--line-1);color:var(--tx-2);white-space:pre-wrap;max-width:76ch}
.tools{border:1px solid var(--line-2);border-radius:6px;overflow:hidden}
.tool+.tool{border-top:1px solid var(--line-1)}
.tool>summary{display:grid;grid-template-columns:16px max-content minmax(0,1fr) max-content;gap:8px;align-items:baseline;min-height:28px;padding:3px 12px 3px 8px;font-size:12px;line-height:20px;cursor:pointer;list-style:none}
.tool>summary::-webkit-details-marker{display:none}
.tool>summary::before{content:"";width:5px;height:5px;margin-left:4px;border:solid var(--tx-3);border-width:0 1.5px 1.5px 0;transform:rotate(-45deg);align-self:center}
.tool[open]>summary::before{transform:rotate(45deg)}
.tool>summary:hover{background:var(--hover)}
.tool b{font-weight:500}.tool code{padding:0;background:none;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;color:var(--tx-2)}
.tool[open]>summary code{white-space:pre-wrap;overflow-wrap:anywhere}
.tool .end{color:var(--tx-3);white-space:nowrap}.tool .end em{font-style:normal;color:var(--ok-tx)}
.tool.bad>summary{background:var(--bad-bg)}.tool.bad .end em{color:var(--bad-tx)}
.tool .plus{color:var(--add-tx)}.tool .minus{color:var(--del-tx)}
.body{padding:4px 12px 12px 32px}
.body h3{margin:8px 0 4px;font:500 11px/16px var(--ui);color:var(--tx-3)}
.body pre{max-height:480px;overflow:auto}
.body dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:0 12px;margin:8px 0 4px;font-size:12px;line-height:18px}.body dt{color:var(--tx-3)}.body dd{margin:0;font-family:var(--mono);overflow-wrap:anywhere}
.diff{padding:6px 0}.diff span{display:block;padding:0 12px;min-height:18px}.diff .a{background:var(--add-bg);color:var(--add-tx)}.diff .d{background:var(--del-bg);color:var(--del-tx)}.diff .h{color:var(--tx-3)}
.away{display:inline-block;padding:2px 8px;border:1px dashed var(--line-3);border-radius:4px;font-size:12px;line-height:18px;color:var(--tx-3)}
img{display:block;max-width:100%;max-height:480px;border:1px solid var(--line-1);border-radius:6px}figure{margin:8px 0}figcaption{font-size:12px;line-height:18px;color:var(--tx-3)}
.rule{margin:16px 0 8px}.rule .line{display:flex;align-items:center;gap:12px;font:500 12px/22px var(--ui);color:var(--tx-2)}
.rule .line::before,.rule .line::after{content:"";flex:1;border-top:1px solid var(--line-2)}.rule .line::before{flex:0 0 24px}
.rule .said{margin-top:8px;padding:10px 14px;border:1px solid var(--line-1);border-radius:6px}
.warn{padding:4px 12px;border:1px solid var(--warn-line);border-radius:4px;background:var(--warn-bg);color:var(--warn-tx);font-size:12px;line-height:20px}
.agent-head{margin-top:48px;padding-top:20px;border-top:2px solid var(--line-3)}.agent-head h2{font:600 18px/26px var(--ui);margin:0 0 8px}
footer{padding-top:32px;color:var(--tx-3);font-size:12px;line-height:18px}
::highlight(found){background:var(--mark);color:inherit}
@media(max-width:1000px){.bar .to{display:inline-block}.page{grid-template-columns:minmax(0,1fr);padding:0 16px 48px}nav{grid-column:1;grid-row:auto;position:static;max-height:none;border-top:1px solid var(--line-1);margin-top:32px}}
@media(max-width:640px){body{font-size:15px}header{padding-top:20px}.row{grid-template-columns:minmax(0,1fr)}.row>a{line-height:16px}.bar{flex-wrap:wrap;gap:6px}.bar button,.bar .to{padding:0 8px;font-size:12px}html{scroll-padding-top:108px}.bar .gap{display:none}.bar input{flex-basis:100%;max-width:none}.body{padding-left:12px}.tool>summary{grid-template-columns:16px max-content minmax(0,1fr)}.tool .end{grid-column:2/-1;white-space:normal}dl.facts{column-gap:12px}}
@media print{:root{color-scheme:light}.bar,nav{display:none}.page{display:block;max-width:none;padding:0}.row{content-visibility:visible;break-inside:auto}.who,.tool>summary{break-after:avoid}.body pre{max-height:none}body{font-size:11pt;line-height:1.5}a{color:inherit}.tools,.prompt .text,pre{print-color-adjust:exact}}
`;
