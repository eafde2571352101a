import type { Target } from "./targets.ts"

/** Two levels below the root, like a package, so that relative paths in a sandbox resolve. */
const SANDBOXES = "../../.mutation"

/** Added to the duration of the tests without a mutant; long enough that a busy machine is not taken for an endless loop. */
const TIMEOUT_MS = 5000
const TIMEOUT_FACTOR = 1.25

export interface Paths {
  /** Stryker's runner of vitest. */
  readonly plugin: string
  /** Where to write the report. */
  readonly report: string
  readonly vitestConfig: string
}

/**
 * Returns Stryker's configuration for a package, to run in the package's folder. TypeScript 7 has no API with which Stryker could rewrite a tsconfig:
 * the configuration names one that does not exist. Static mutants, which would need a process each, are left out (`ignoreStatic`).
 */
export const strykerConfig = ({ mutate }: Target, { plugin, report, vitestConfig }: Paths) => ({
  testRunner: "vitest",
  plugins: [plugin],
  tsconfigFile: "none.json",
  mutate,
  concurrency: 1,
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  disableTypeChecks: false,
  checkers: [],
  timeoutMS: TIMEOUT_MS,
  timeoutFactor: TIMEOUT_FACTOR,
  tempDirName: SANDBOXES,
  reporters: ["json", "progress-append-only"],
  jsonReporter: { fileName: report },
  allowConsoleColors: false,
  vitest: { related: false, configFile: vitestConfig }
})
