/** The style sheet, embedded in the page so that it opens from a file without a network. */
export const styleSheet = `
:root { color-scheme: light dark;
  --paper: #fcfcfa; --ink: #1d1f21; --faint: #6b6f75; --line: #dcdcd6; --card: #f3f3ee;
  --ready: #a9cfae; --not-ready: #efbf63; --tainted: #cf5b4a; --absent: transparent; --dot: #4d1812; --fault: #7a86b8; --good: #2e7d4f; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #17191c; --ink: #e6e6e1; --faint: #9a9ea5; --line: #34373c; --card: #202327;
  --ready: #3f7048; --not-ready: #c08a2d; --tainted: #c4503f; --dot: #ffd9d2; --fault: #6f7fc4; --good: #6cc08b; --bad: #ff8a7a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: .8rem; letter-spacing: .08em; margin: 2.25rem 0 .6rem; color: var(--faint); }
* + article { margin-top: 4rem; border-top: 3px solid var(--line); padding-top: 2rem; }
.about { max-width: 46rem; } .line { color: var(--faint); font-size: .9rem; }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0 0; padding: 0; }
.tiles div { background: var(--card); border-radius: .5rem; padding: .6rem 1rem; min-width: 9rem; }
.tiles dt { font-size: .8rem; color: var(--faint); } .tiles dd { margin: 0; font-size: 1.15rem; font-weight: 600; }
.held { color: var(--good); } .failed { color: var(--bad); font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .87rem; min-width: 100%; }
th { text-align: left; font-weight: 600; font-size: .75rem; color: var(--faint); }
th, td { padding: .22rem .9rem .22rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; font-variant-numeric: tabular-nums; }
ul { margin: 0; padding-left: 1.2rem; max-width: 52rem; } li { margin: .3rem 0; }
pre { white-space: pre-wrap; font-size: .82rem; } .more { color: var(--faint); font-size: .85rem; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 11px system-ui, sans-serif; fill: var(--faint); }
svg .zone, svg .size { text-anchor: end; } svg .zone { fill: var(--ink); font-size: 12px; } svg .time { text-anchor: middle; }
.tick { stroke: var(--line); stroke-width: 1; } .fault { fill: var(--fault); fill-opacity: .16; } svg .fault-name { fill: var(--fault); font-weight: 600; }
.ready { fill: var(--ready); } .not-ready { fill: var(--not-ready); } .tainted { fill: var(--tainted); } .absent { fill: var(--absent); }
.eviction { fill: var(--dot); stroke: var(--paper); stroke-width: .8; }
.served { fill: var(--ready); fill-opacity: .55; } .ready-line, .wanted { fill: none; stroke-width: 1.4; }
.ready-line { stroke: var(--good); } .wanted { stroke: var(--faint); stroke-dasharray: 3 3; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: .8rem; color: var(--faint); margin-top: .4rem; }
.legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: .15rem; margin-right: .35rem; vertical-align: -.08rem; }
`
