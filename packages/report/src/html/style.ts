/** The colours of pages and pictures, as CSS variables. */
export const colours = {
  light: `--paper: #fcfcfa; --ink: #1d1f21; --faint: #6b6f75; --line: #dcdcd6; --card: #f3f3ee;
  --ready: #a9cfae; --no-schedule: #d3da7e; --not-ready: #efbf63; --tainted: #cf5b4a; --absent: transparent; --eviction: #4d1812;
  --renewal: #35573b; --fault: #7a86b8; --action: #7a86b8; --ready-line: #2e7d4f; --wanted: #6b6f75; --bad: #b3261e;
  --pod-pending: #d8d5ca; --pod-running: #efd9a0; --pod-ready: #a9cfae; --pod-terminating: #e0927f; --pod-ended: #c9c9c9; --bar-ink: #2b2d2f;`,
  dark: `--paper: #17191c; --ink: #e6e6e1; --faint: #9a9ea5; --line: #34373c; --card: #202327;
  --ready: #3f7048; --no-schedule: #7d8434; --not-ready: #c08a2d; --tainted: #c4503f; --eviction: #ffd9d2;
  --renewal: #b6dcbc; --fault: #6f7fc4; --action: #6f7fc4; --ready-line: #6cc08b; --wanted: #9a9ea5; --bad: #ff8a7a;
  --pod-pending: #43484f; --pod-running: #7d6424; --pod-ready: #3f7048; --pod-terminating: #a34a3b; --pod-ended: #4b4d50; --bar-ink: #e9e9e4;`
} as const

/** The style of charts, in pages and in pictures. */
export const chartStyle = `svg text { font: 11px system-ui, sans-serif; fill: var(--faint); }
svg .zone, svg .size, svg .lane { text-anchor: end; } svg .zone, svg .named-zone { fill: var(--ink); font-size: 12px; }
svg .lane { fill: var(--ink); } svg .time { text-anchor: middle; } svg .on-node { fill: var(--bar-ink); font-size: 10px; }
.tick { stroke: var(--line); stroke-width: 1; } .fault { fill: var(--fault); fill-opacity: .16; } .action { stroke: var(--action); stroke-width: 1.5; stroke-dasharray: 2 2; }
svg .fault-name { fill: var(--fault); font-weight: 600; }
.ready { fill: var(--ready); } .no-schedule { fill: var(--no-schedule); } .not-ready { fill: var(--not-ready); }
.tainted { fill: var(--tainted); } .absent { fill: var(--absent); }
.eviction { fill: var(--eviction); stroke: var(--paper); stroke-width: .8; } .renewal { stroke: var(--renewal); stroke-width: 1.2; }
.served { fill: var(--ready); fill-opacity: .55; } .ready-line, .wanted { fill: none; stroke-width: 1.4; }
.ready-line { stroke: var(--ready-line); } .wanted { stroke: var(--wanted); stroke-dasharray: 3 3; }
.pod-pending { fill: var(--pod-pending); } .pod-running { fill: var(--pod-running); } .pod-ready { fill: var(--pod-ready); }
.pod-terminating { fill: var(--pod-terminating); } .pod-ended { fill: var(--pod-ended); }`

/** The style sheet, embedded in the page so that it opens from a file without a network. */
export const styleSheet = `
:root { color-scheme: light dark;
  ${colours.light} }
@media (prefers-color-scheme: dark) { :root {
  ${colours.dark} } }
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
.held { color: var(--ready-line); } .failed { color: var(--bad); font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .87rem; min-width: 100%; }
th { text-align: left; font-weight: 600; font-size: .75rem; color: var(--faint); }
th, td { padding: .22rem .9rem .22rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; font-variant-numeric: tabular-nums; }
ul { margin: 0; padding-left: 1.2rem; max-width: 52rem; } li { margin: .3rem 0; }
pre { white-space: pre-wrap; font-size: .82rem; } .more { color: var(--faint); font-size: .85rem; }
svg { display: block; width: 100%; max-width: 60rem; height: auto; }
${chartStyle}
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: .8rem; color: var(--faint); margin-top: .4rem; }
.legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: .15rem; margin-right: .35rem; vertical-align: -.08rem; }
`
